struct Opaque;

#[derive(symex::Symbolic)]
struct Outer {
    good: u8,
    bad: Opaque,
}

#[derive(symex::Symbolic)]
struct Ranged {
    #[symex(range = 0.0..1.0)]
    ratio: f64,
}

fn main() {
    let _: Opaque = symex::any();
}
