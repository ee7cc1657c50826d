#![deny(warnings)]

const LIMIT: usize = 3;

#[symex::harness(
    should_panic = "no",
    timeout = "10s",
    max_paths = 10,
    max_steps = 1_000,
    max_memory = "1GB",
    max_instructions = 100_000_000,
    max_queries = 10_000,
    bound = LIMIT,
    bound(data = 16),
    memory_model = "flat",
    crate = ::symex,
)]
fn all(data: &[u8]) {
    panic!("no {:?}", data);
}

#[symex::harness(timeout = 5, max_memory = 1_000_000, should_panic)]
#[ignore = "slow"]
#[cfg(all())]
fn numbers() {}

fn main() {
    numbers();
    let _: fn(&[u8]) = all;
}
