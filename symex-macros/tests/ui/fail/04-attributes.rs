#[symex::harness]
#[test]
fn twice() {}

#[symex::harness]
#[should_panic(expected = "x")]
fn panics() {}

fn main() {}
