//! The command `cargo-symex`; everything is in the library.

fn main() -> std::process::ExitCode {
    cargo_symex::cli::main()
}
