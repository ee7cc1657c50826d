#[symex::harness]
fn types<T: Clone>(value: T) {}

#[symex::harness]
fn numbers<const N: usize>(value: [u8; N]) {}

#[symex::harness]
fn hidden(value: Vec<impl Clone>) {}

fn main() {}
