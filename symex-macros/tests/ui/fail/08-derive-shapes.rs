#[derive(symex::Symbolic)]
enum Never {}

#[derive(symex::Symbolic)]
union Either {
    a: u8,
    b: i8,
}

fn main() {}
