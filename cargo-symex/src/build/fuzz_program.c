// What AFL and honggfuzz define for a program that asks for its input: the contents of a file, once.
const uint8_t *__afl_fuzz_ptr;
const uint32_t *__afl_fuzz_len;

static uint32_t length;
static int taken;

__attribute__((constructor)) static void offer_input(void) {
    const char *name = getenv(VARIABLE);
    size_t size;
    __afl_fuzz_ptr = read_input(name, &size);
    length = size;
    __afl_fuzz_len = &length;
    // Programs that do not know AFL's variables read it.
    if (!freopen(name, "rb", stdin))
        _exit(UNREADABLE);
    unsetenv(VARIABLE);
}

void __afl_manual_init(void) {}

int __afl_persistent_loop(unsigned int count) {
    (void)count;
    return !taken++;
}

void HF_ITER(const uint8_t **data, size_t *size) {
    if (taken++)
        _exit(0);
    *data = __afl_fuzz_ptr;
    *size = length;
}
