fn main() {
    println!("cargo::rerun-if-changed=c/hex.c");
    cc::Build::new().file("c/hex.c").compile("hex");
}
