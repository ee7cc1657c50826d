#[symex::harness(timeuot = "10s")]
fn unknown() {}

#[symex::harness(timeout = "soon")]
fn nonsense() {}

#[symex::harness(timeout)]
fn missing() {}

#[symex::harness(max_paths = "many")]
fn text() {}

#[symex::harness(max_paths = 0)]
fn zero() {}

#[symex::harness(max_memory = "1 elephant")]
fn unit() {}

#[symex::harness(bound = 1, bound = 2)]
fn twice() {}

#[symex::harness(bound = -1)]
fn negative() {}

#[symex::harness(should_panic = 3)]
fn number() {}

#[symex::harness(memory_model = flat)]
fn word() {}

#[symex::harness(max_steps 3)]
fn syntax() {}

fn main() {}
