#[derive(symex::Symbolic)]
#[symex(bound = 3)]
struct OnType(Vec<u8>);

#[derive(symex::Symbolic)]
struct Unknown {
    #[symex(rnage = 0..3)]
    value: u8,
}

#[derive(symex::Symbolic)]
struct Both {
    #[symex(range = 0..3, with = 1)]
    value: u8,
}

#[derive(symex::Symbolic)]
enum OnVariant {
    #[symex(range = 0..3)]
    A(u8),
}

#[derive(symex::Symbolic)]
struct NoValue {
    #[symex(bound)]
    value: Vec<u8>,
}

fn main() {}
