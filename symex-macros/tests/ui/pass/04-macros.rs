#![forbid(unsafe_code)]
#![deny(warnings)]

macro_rules! harnesses {
    ($($name:ident: $ty:ty),*) => {$(
        #[symex::harness]
        fn $name(value: $ty) {
            symex::cover!(value == Default::default(), "the default");
            symex::cover!(value != Default::default());
            symex::cover!("reached");
            symex::check!(value == value, "reflexive");
            symex::check!(value == value, "reflexive", "{value} is not itself");
        }
    )*};
}

harnesses!(bytes: u8, words: u32);

#[symex::harness]
fn entry(_: u8) {}

#[symex::harness]
fn r#type(_: bool) {}

mod core {}
mod std {}

mod deep {
    pub struct Local;

    impl symex::Symbolic for Local {
        fn any(_: &mut symex::Cx) -> Self {
            Local
        }
    }

    pub mod deeper {
        #[symex::harness]
        pub fn relative(_: super::Local) {}
    }
}

fn main() {
    let _: (fn(u8), fn(u32)) = (bytes, words);
    entry(1);
    r#type(true);
    deep::deeper::relative(deep::Local);
}
