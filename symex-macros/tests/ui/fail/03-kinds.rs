#[symex::harness]
async fn later() {}

#[symex::harness]
unsafe fn risky() {}

#[symex::harness]
extern "C" fn foreign() {}

struct S;

impl S {
    #[symex::harness]
    fn method(&self) {}
}

fn main() {}
