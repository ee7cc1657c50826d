//! The macros of symex-kani, which re-exports them as `kani::proof` and so on.
//!
//! Expanded code names everything by paths through `::kani`. What an attribute of Kani's asks for
//! and cannot be done becomes a statement of the proof that ends its paths as unsupported.

use proc_macro::TokenStream;

mod attributes;
mod contract;
mod derive;
mod loops;
mod proof;
mod stubs;

/// Makes a function a proof: it must not fail for any value that it draws.
#[proc_macro_attribute]
pub fn proof(options: TokenStream, item: TokenStream) -> TokenStream {
    proof::expand(proof::Kind::Plain, options.into(), item.into()).into()
}

/// Makes a function a proof of the contract of the function that it calls.
#[proc_macro_attribute]
pub fn proof_for_contract(path: TokenStream, item: TokenStream) -> TokenStream {
    proof::expand(proof::Kind::Contract, path.into(), item.into()).into()
}

/// Says that a proof panics for some value, and does not fail otherwise.
#[proc_macro_attribute]
pub fn should_panic(options: TokenStream, item: TokenStream) -> TokenStream {
    attributes::after_proof("should_panic", options.into(), item.into()).into()
}

/// Says that a proof relies on the contract of a function that has a proof of its own.
#[proc_macro_attribute]
pub fn stub_verified(path: TokenStream, item: TokenStream) -> TokenStream {
    attributes::after_proof("stub_verified", path.into(), item.into()).into()
}

/// Puts one function in the place of another for the length of a proof.
#[proc_macro_attribute]
pub fn stub(paths: TokenStream, item: TokenStream) -> TokenStream {
    attributes::after_proof("stub", paths.into(), item.into()).into()
}

/// Defines a set of functions that take the place of others, for proofs that use it.
#[proc_macro]
pub fn stub_set(set: TokenStream) -> TokenStream {
    stubs::set(set.into()).into()
}

/// Puts the functions of a set in the places of others for the length of a proof.
#[proc_macro_attribute]
pub fn use_stub_set(path: TokenStream, item: TokenStream) -> TokenStream {
    attributes::after_proof("use_stub_set", path.into(), item.into()).into()
}

/// Has no effect: loops are followed as far as they go.
#[proc_macro_attribute]
pub fn unwind(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Has no effect: there is one solver.
#[proc_macro_attribute]
pub fn solver(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Has no effect: a recursive call runs the function's body.
#[proc_macro_attribute]
pub fn recursion(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Says what a function requires of its callers.
#[proc_macro_attribute]
pub fn requires(condition: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand("requires", condition.into(), item.into()).into()
}

/// Says what a function ensures of its result.
#[proc_macro_attribute]
pub fn ensures(condition: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand("ensures", condition.into(), item.into()).into()
}

/// Says what a function may write.
#[proc_macro_attribute]
pub fn modifies(places: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand("modifies", places.into(), item.into()).into()
}

/// Checks a condition each time a loop comes to its beginning.
#[proc_macro_attribute]
pub fn loop_invariant(condition: TokenStream, item: TokenStream) -> TokenStream {
    loops::expand(condition.into(), item.into()).into()
}

/// Bounds a pass: what the loop writes is not compared with what it may.
#[proc_macro_attribute]
pub fn loop_modifies(places: TokenStream, item: TokenStream) -> TokenStream {
    loops::modifies(places.into(), item.into()).into()
}

/// Has no effect: that a loop ends is found by following it.
#[proc_macro_attribute]
pub fn loop_decreases(_measure: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Implements `kani::Arbitrary` for a struct or enum whose fields all do.
#[proc_macro_derive(Arbitrary, attributes(safety_constraint))]
pub fn arbitrary(item: TokenStream) -> TokenStream {
    derive::expand(item.into(), derive::arbitrary).into()
}

/// Implements `kani::BoundedArbitrary`: fields with `#[bounded]` are collections up to the bound.
#[proc_macro_derive(BoundedArbitrary, attributes(bounded))]
pub fn bounded_arbitrary(item: TokenStream) -> TokenStream {
    derive::expand(item.into(), derive::bounded).into()
}

/// Implements `kani::Invariant`: the constraints of the type hold, and the fields' invariants.
#[proc_macro_derive(Invariant, attributes(safety_constraint))]
pub fn invariant(item: TokenStream) -> TokenStream {
    derive::expand(item.into(), derive::invariant).into()
}
