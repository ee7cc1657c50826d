/* The functions of a reproducer, in sections that begin with the name of what they define. `reproducer.rs` puts those into a
 * file that its program needs, after the tables of inputs. Valid as C89 and as C++. */

/* @prelude */
static unsigned long symex_at;

/* Takes the next input. Where it is too short, the rest is zero; so is all that follows the last input. */
static void symex_next(void *to, unsigned long size) {
    unsigned char *byte = (unsigned char *)to;
    const unsigned char *from = 0;
    unsigned long most = 0, i;
    if (symex_at < sizeof symex_inputs / sizeof symex_inputs[0]) {
        from = symex_inputs[symex_at].bytes;
        most = symex_inputs[symex_at].size;
        symex_at++;
    }
    for (i = 0; i < size; i++) {
        byte[i] = (unsigned char)(i < most ? from[i] : 0);
    }
}

static void symex_leave(const char *why, const char *what, int code) {
    fflush(stdout);
    fprintf(stderr, "symex: %s%s\n", why, what);
    _exit(code);
}

static void symex_must(int holds) {
    if (!holds) {
        symex_leave("an assumption does not hold", "", 86);
    }
}

/* @missing */
static void symex_missing(const char *name) {
    symex_leave("nothing defines ", name, 88);
}

/* @symex_make_symbolic */
void symex_make_symbolic(void *at, size_t size, const char *name) {
    (void)name;
    symex_next(at, size);
}

/* @symex_range */
int symex_range(int begin, int end, const char *name) {
    int value;
    (void)name;
    symex_must(begin < end);
    symex_next(&value, sizeof value);
    symex_must(begin <= value && value < end);
    return value;
}

/* @symex_assume */
void symex_assume(int condition) {
    symex_must(condition);
}

/* @symex_cover */
void symex_cover(int condition, const char *name) {
    (void)condition;
    (void)name;
}

/* @symex_any_int */
unsigned long symex_any_int(unsigned bits, const char *name) {
    unsigned long value = 0;
    (void)name;
    bits = bits < 1 ? 1 : bits > 64 ? 64 : bits;
    symex_next(&value, (bits + 7) / 8);
    return value & (~0ul >> (64 - bits));
}

/* @symex_any_range */
unsigned long symex_any_range(unsigned long low, unsigned long high, const char *name) {
    unsigned long value = 0;
    (void)name;
    symex_must(low <= high);
    symex_next(&value, sizeof value);
    symex_must(low <= value && value <= high);
    return value;
}

/* @symex_any_len */
unsigned long symex_any_len(unsigned long most, const char *name) {
    unsigned long value = 0;
    (void)name;
    symex_next(&value, sizeof value);
    symex_must(value <= most);
    return value;
}

/* @symex_reject */
void symex_reject(const char *reason) {
    (void)reason;
    symex_must(0);
}

/* @symex_cut */
void symex_cut(const char *what) {
    (void)what;
    symex_must(0);
}

/* @symex_check_name */
void symex_check_name(const char *name) {
    (void)name;
}

/* @symex_is_symbolic */
int symex_is_symbolic(void) {
    return 0;
}

/* @klee_make_symbolic */
void klee_make_symbolic(void *at, size_t size, const char *name) {
    (void)name;
    symex_next(at, size);
}

/* @klee_range */
int klee_range(int begin, int end, const char *name) {
    int value;
    (void)name;
    symex_must(begin < end);
    symex_next(&value, sizeof value);
    symex_must(begin <= value && value < end);
    return value;
}

/* @klee_int */
int klee_int(const char *name) {
    int value;
    (void)name;
    symex_next(&value, sizeof value);
    return value;
}

/* @klee_assume */
void klee_assume(unsigned long condition) {
    symex_must(condition != 0);
}

/* @klee_is_symbolic */
unsigned klee_is_symbolic(unsigned long value) {
    (void)value;
    return 0;
}

/* @klee_silent_exit */
void klee_silent_exit(int code) {
    (void)code;
    symex_must(0);
}

/* @klee_abort */
void klee_abort(void) {
    abort();
}

/* @klee_report_error */
void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
    (void)suffix;
    fprintf(stderr, "%s:%d: %s\n", file, line, message);
    abort();
}

/* @klee_warning */
void klee_warning(const char *message) {
    (void)message;
}

/* @klee_warning_once */
void klee_warning_once(const char *message) {
    (void)message;
}

/* @klee_prefer_cex */
void klee_prefer_cex(void *object, unsigned long condition) {
    (void)object;
    (void)condition;
}

/* @klee_open_merge */
void klee_open_merge(void) {
}

/* @klee_close_merge */
void klee_close_merge(void) {
}

/* @klee_stack_trace */
void klee_stack_trace(void) {
}

/* @__VERIFIER_assume */
void __VERIFIER_assume(int condition) {
    symex_must(condition);
}

/* @__VERIFIER_nondet_bool */
int __VERIFIER_nondet_bool(void) {
    unsigned char value;
    symex_next(&value, 1);
    return value & 1;
}

/* @__VERIFIER_nondet__Bool */
int __VERIFIER_nondet__Bool(void) {
    unsigned char value;
    symex_next(&value, 1);
    return value & 1;
}

/* @nondet */
TYPE __VERIFIER_nondet_NAME(void) {
    TYPE value;
    symex_next(&value, sizeof value);
    return value;
}
