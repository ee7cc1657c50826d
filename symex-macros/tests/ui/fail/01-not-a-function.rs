#[symex::harness]
struct Header;

fn main() {}
