// Calls a fuzz target once, with the contents of a file.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

int main(int argc, char **argv) {
    size_t size;
    uint8_t *data = read_input(argc == 2 ? argv[1] : NULL, &size);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (LLVMFuzzerTestOneInput(data, size) == -1) {
        fputs("symex: an assumption does not hold\n", stderr);
        exit(REJECTED);
    }
    return 0;
}
