fn main() -> std::process::ExitCode {
    cargo_symex::cli::main()
}
