//! Compiles the C of this crate, a file a concern.

fn main() {
    println!("cargo::rerun-if-changed=c");
    let names = [
        "structs",
        "callbacks",
        "variadic",
        "layout",
        "memory",
        "symbols",
        "control",
        "errors",
        "ending",
        "plain_unwinding",
    ];
    let files = names.map(|name| format!("c/{name}.c"));
    cc::Build::new().files(files).compile("plain");
    // A file through which a panic may pass, as one compiles it for that.
    cc::Build::new()
        .file("c/unwinding.c")
        .flag("-fexceptions")
        .compile("unwinding");
}
