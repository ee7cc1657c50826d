#[symex::harness]
fn unknown(#[symex(rnage = 0..3)] value: u8) {
    let _ = value;
}

#[symex::harness(bound(data = 3))]
fn twice(#[symex(bound = 4)] data: &[u8]) {
    let _ = data;
}

#[symex::harness]
fn other(#[allow(unused)] value: u8) {}

#[symex::harness]
fn no_range(#[symex(range = b'a'..b'z')] data: &[u8]) {
    let _ = data;
}

fn main() {}
