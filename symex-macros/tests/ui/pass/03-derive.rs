#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! Shapes of types.

use symex::Symbolic;

/// Named.
#[derive(Symbolic)]
pub struct Named<T, const N: usize>
where
    T: Clone,
{
    /// A list.
    pub list: [T; N],
    #[symex(range = 1..=12)]
    month: u8,
    #[symex(bound = 2 + 6)]
    r#type: Vec<T>,
    #[symex(with = core::cell::Cell::new(1))]
    opaque: core::cell::Cell<u8>,
}

/// Tuple.
#[derive(Symbolic)]
pub struct Tuple(u8, #[symex(range = 'a'..'f')] pub char);

/// Unit.
#[derive(Symbolic)]
pub struct Unit;

/// Empty.
#[derive(Symbolic)]
pub struct Empty();

/// Enum.
#[derive(Symbolic)]
#[symex(assume = |tree| !matches!(tree, Tree::Two(..)))]
pub enum Tree<T: Default> {
    /// Leaf.
    Leaf,
    /// One.
    One(Box<Tree<T>>),
    /// Two.
    Two(T, Vec<Self>),
    /// Three.
    Three {
        /// Field.
        left: Option<Box<Tree<T>>>,
    },
}

/// One variant is not drawn.
#[derive(Symbolic)]
#[symex(crate = ::symex)]
pub enum Single {
    /// Only.
    Only(i128),
}

fn draws<T: Symbolic>() {}

fn main() {
    draws::<Named<u8, 3>>();
    draws::<(Tuple, Unit, Empty)>();
    draws::<Tree<u16>>();
    draws::<Single>();
    let named = Named { list: [0u8], month: 1, r#type: Vec::new(), opaque: core::cell::Cell::new(1) };
    let _ = (named.month, named.r#type, named.opaque);
    let _ = Tuple(1, 'a').0;
}
