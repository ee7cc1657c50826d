#[symex::harness(bound(date = 3))]
fn misspelt(data: &[u8]) {
    let _ = data;
}

#[symex::harness(bound(data = 3, data = 4))]
fn twice(data: &[u8]) {
    let _ = data;
}

fn main() {}
