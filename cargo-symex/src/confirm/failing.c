/* @system */
/* Calls of the system on open files that are made to fail. The kernel is asked for a signal instead of such a call, whoever
 * makes it; the call is then made from one place here, where there is no signal, or answered as it is to be. */
#if defined(__linux__) && defined(__x86_64__)

long symex_system(long call, long a, long b, long c, long d, long e, long f);
extern char symex_system_end[];
__asm__(".text\n"
        "symex_system:\n"
        "    mov %rdi, %rax\n    mov %rsi, %rdi\n    mov %rdx, %rsi\n    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n    mov %r9, %r8\n    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "symex_system_end:\n"
        "    ret\n");

/* A call that gives no more than a number of bytes. */
static long symex_short(long call, const long *given, unsigned long most) {
    const struct iovec *pieces = (const struct iovec *)given[1];
    struct iovec piece;
    long i;
    switch (call) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
        for (i = 0; i + 1 < given[2] && pieces[i].iov_len == 0; i++) {
        }
        piece = pieces[i];
        piece.iov_len = piece.iov_len < most ? piece.iov_len : most;
        return symex_system(call, given[0], (long)&piece, 1, given[3], given[4], given[5]);
    default:
        return symex_system(call, given[0], given[1], (long)most, given[3], given[4], given[5]);
    }
}

static void symex_on_call(int signal, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    long call = info->si_syscall;
    struct symex_failure *failure = 0;
    unsigned long i;
    long given[6];
    (void)signal;
    given[0] = registers[REG_RDI];
    given[1] = registers[REG_RSI];
    given[2] = registers[REG_RDX];
    given[3] = registers[REG_R10];
    given[4] = registers[REG_R8];
    given[5] = registers[REG_R9];
    for (i = 0; i < sizeof symex_failures / sizeof symex_failures[0]; i++) {
        struct symex_failure *this_one = &symex_failures[i];
        if (this_one->call == call && this_one->descriptor == (int)given[0]) {
            this_one->seen++;
            if (this_one->seen == this_one->number) {
                failure = this_one;
            }
        }
    }
    if (failure && failure->answer > 0) {
        registers[REG_RAX] = symex_short(call, given, (unsigned long)failure->answer);
        return;
    }
    /* What cannot be closed is closed all the same. */
    if (!failure || call == SYS_close) {
        registers[REG_RAX] = symex_system(call, given[0], given[1], given[2], given[3], given[4], given[5]);
    }
    if (failure) {
        registers[REG_RAX] = failure->answer;
    }
}

/* A step of what the kernel does at each call; where a comparison fails, it skips this number of steps. */
static struct sock_filter *symex_step(struct sock_filter *step, unsigned code, unsigned value, int otherwise) {
    step->code = (unsigned short)code;
    step->jt = 0;
    step->jf = (unsigned char)otherwise;
    step->k = value;
    return step + 1;
}

__attribute__((constructor(101))) static void symex_ask_for_calls(void) {
    static struct sock_filter steps[6 + 5 * sizeof symex_failures / sizeof symex_failures[0]];
    const unsigned load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;
    unsigned long here = (unsigned long)symex_system_end, i;
    struct sock_filter *step = steps;
    struct sock_fprog program;
    struct sigaction action;
    step = symex_step(step, load, offsetof(struct seccomp_data, instruction_pointer), 0);
    step = symex_step(step, equal, (unsigned)here, 3);
    step = symex_step(step, load, offsetof(struct seccomp_data, instruction_pointer) + 4, 0);
    step = symex_step(step, equal, (unsigned)(here >> 32), 1);
    step = symex_step(step, answer, SECCOMP_RET_ALLOW, 0);
    for (i = 0; i < sizeof symex_failures / sizeof symex_failures[0]; i++) {
        step = symex_step(step, load, offsetof(struct seccomp_data, nr), 0);
        step = symex_step(step, equal, (unsigned)symex_failures[i].call, 3);
        step = symex_step(step, load, offsetof(struct seccomp_data, args), 0);
        step = symex_step(step, equal, (unsigned)symex_failures[i].descriptor, 1);
        step = symex_step(step, answer, SECCOMP_RET_TRAP, 0);
    }
    step = symex_step(step, answer, SECCOMP_RET_ALLOW, 0);
    program.len = (unsigned short)(step - steps);
    program.filter = steps;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    action.sa_sigaction = symex_on_call;
    if (sigaction(SIGSYS, &action, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        symex_leave("no call of the system can be made to fail here", "", 88);
    }
}

#else

__attribute__((constructor(101))) static void symex_ask_for_calls(void) {
    symex_leave("no call of the system can be made to fail on this machine", "", 88);
}

#endif

/* @minus-one */
long __real_NAME(long, long, long, long, long, long) __attribute__((weak));
long __wrap_NAME(long a, long b, long c, long d, long e, long f) {
    int error = symex_CALL_error();
    if (error) {
        errno = error;
        return -1;
    }
    return __real_NAME(a, b, c, d, e, f);
}

/* @null */
void *__real_NAME(long, long, long, long, long, long) __attribute__((weak));
void *__wrap_NAME(long a, long b, long c, long d, long e, long f) {
    int error = symex_CALL_error();
    if (error) {
        errno = error;
        return 0;
    }
    return __real_NAME(a, b, c, d, e, f);
}

/* @reopens */
FILE *__real_NAME(const char *, const char *, FILE *) __attribute__((weak));
FILE *__wrap_NAME(const char *path, const char *mode, FILE *file) {
    int error = symex_CALL_error();
    if (error) {
        /* There is no such file, and so the old one is closed. */
        __real_NAME("", mode, file);
        errno = error;
        return 0;
    }
    return __real_NAME(path, mode, file);
}
