//! Types of the program form: lists of scalar leaves with byte offsets.
//!
//! Every first-class value becomes one slot per leaf. Integers over 128 bits count as several
//! leaves of at most 64 bits, lowest first, which is enough to move them. Types without a form are
//! an error with a reason.

use super::ll::{DataLayout, T, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Width of the widest scalar of the program form, in bits.
pub const MAX_WIDTH: u32 = 128;

/// Greatest number of leaves of a first-class value.
const MAX_LEAVES: u64 = 4096;

/// A scalar LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Int(u32),
    Ptr,
    /// A float with which the form computes: IEEE's binary16, 32, 64 and 128, and x87's 80-bit
    /// format.
    Float(u32),
    /// Any other float, by name and bits: it may be moved, and its sign bit may be changed.
    OtherFloat(&'static str, u32),
}

impl Scalar {
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Int(w) | Scalar::Float(w) | Scalar::OtherFloat(_, w) => w,
            Scalar::Ptr => 64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_) | Scalar::OtherFloat(..))
    }

    /// Returns the widths of its leaves in bits, lowest first.
    pub fn leaf_widths(self) -> Vec<u32> {
        let bits = self.bits();
        if bits <= MAX_WIDTH {
            return vec![bits];
        }
        (0..bits.div_ceil(64))
            .map(|i| (bits - i * 64).min(64))
            .collect()
    }

    pub fn leaf_count(self) -> u32 {
        let bits = self.bits();
        if bits <= MAX_WIDTH {
            1
        } else {
            bits.div_ceil(64)
        }
    }

    /// Returns the width if it is one leaf, else the reason why not.
    pub fn width(self) -> Result<u8, String> {
        let bits = self.bits();
        if bits <= MAX_WIDTH {
            Ok(bits as u8)
        } else {
            Err(format!("arithmetic on integers of {bits} bits"))
        }
    }

    /// Returns the width of a float with which the form computes, else the reason why not.
    pub fn float_width(self) -> Result<u8, String> {
        match self {
            Scalar::Float(w) => Ok(w as u8),
            Scalar::OtherFloat(name, _) => Err(format!("arithmetic on {name}")),
            Scalar::Int(_) | Scalar::Ptr => Err("float operation on another type".to_owned()),
        }
    }
}

/// Grouping of the leaves of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Void,
    Scalar(Scalar),
    Vector(Scalar, u32),
    Aggregate(Vec<Field>),
}

/// An element of a struct or array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub ty: T,
    /// Index of its first leaf.
    pub first: u32,
    pub leaves: u32,
}

/// A scalar within a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub width: u32,
    /// Offset from the start of the value in memory, in bytes.
    pub offset: u64,
    pub float: bool,
    /// Whether it is a lane of the same vector as the leaf before.
    pub joined: bool,
}

/// A first-class type.
#[derive(Debug)]
pub struct Type {
    pub shape: Shape,
    pub leaves: Vec<Leaf>,
    /// Whether it contains vectors whose lanes do not start at bytes. Then `offset` is meaningless
    /// within them.
    pub bit_packed: bool,
}

impl Type {
    pub fn widths(&self) -> Vec<u32> {
        self.leaves.iter().map(|l| l.width).collect()
    }

    /// Returns a bit set of the leaves that are floats, starting at a given bit.
    pub fn floats(&self, first: usize) -> u64 {
        let bits = self.leaves.iter().zip(first..64).filter(|(l, _)| l.float);
        bits.map(|(_, bit)| 1 << bit).sum()
    }

    /// Returns a bit set of the leaves that are lanes of the same vector as the one before,
    /// starting at a given bit.
    pub fn joined(&self, first: usize) -> u64 {
        let bits = self.leaves.iter().zip(first..64).filter(|(l, _)| l.joined);
        bits.map(|(_, bit)| 1 << bit).sum()
    }

    /// Returns the scalar and the number of lanes, if it is a scalar (one lane) or a vector.
    pub fn lanes(&self) -> Result<(Scalar, u32), String> {
        match self.shape {
            Shape::Scalar(s) => Ok((s, 1)),
            Shape::Vector(s, n) => Ok((s, n)),
            Shape::Void | Shape::Aggregate(_) => Err("operation on an aggregate".to_owned()),
        }
    }
}

/// Cache of the types met so far.
pub struct Types {
    pub layout: DataLayout,
    known: FxHashMap<T, Rc<Type>>,
}

impl Types {
    pub fn new(layout: DataLayout) -> Self {
        Types {
            layout,
            known: FxHashMap::default(),
        }
    }

    /// Returns the type as leaves, or the reason why it has no form.
    pub fn get(&mut self, t: T) -> Result<Rc<Type>, String> {
        if let Some(known) = self.known.get(&t) {
            return Ok(known.clone());
        }
        let ty = Rc::new(self.build(t)?);
        self.known.insert(t, ty.clone());
        Ok(ty)
    }

    /// Returns the scalar that a type is.
    pub fn scalar(&self, t: T) -> Result<Scalar, String> {
        let other = |name| Ok(Scalar::OtherFloat(name, self.layout.bits(t) as u32));
        match t.kind() {
            TypeKind::Integer => Ok(Scalar::Int(t.int_bits())),
            TypeKind::Pointer if self.layout.bits(t) == 64 => Ok(Scalar::Ptr),
            TypeKind::Pointer => Err("pointers of other than 64 bits".to_owned()),
            TypeKind::Half => Ok(Scalar::Float(16)),
            TypeKind::Float => Ok(Scalar::Float(32)),
            TypeKind::Double => Ok(Scalar::Float(64)),
            TypeKind::BFloat => other("bfloat"),
            TypeKind::X86Fp80 => Ok(Scalar::Float(80)),
            TypeKind::Fp128 => Ok(Scalar::Float(128)),
            TypeKind::PpcFp128 => other("ppc_fp128"),
            TypeKind::ScalableVector => Err("scalable vectors".to_owned()),
            TypeKind::X86Amx => Err("x86_amx values".to_owned()),
            TypeKind::TargetExt => Err("target extension types".to_owned()),
            TypeKind::Token => Err("token values".to_owned()),
            TypeKind::Byte => Err("values of a byte type".to_owned()),
            TypeKind::Unknown => Err(format!("values of type {}", t.print())),
            _ => Err("values of a type that is not first-class".to_owned()),
        }
    }

    fn build(&mut self, t: T) -> Result<Type, String> {
        match t.kind() {
            TypeKind::Void | TypeKind::Metadata | TypeKind::Label => Ok(Type {
                shape: Shape::Void,
                leaves: Vec::new(),
                bit_packed: false,
            }),
            TypeKind::Vector => self.vector(t),
            TypeKind::Struct => {
                let fields = (0..t.field_count())
                    .map(|i| (t.field(i), self.layout.offset(t, i)))
                    .collect();
                self.aggregate(fields)
            }
            TypeKind::Array => {
                let (element, n) = (t.element(), t.array_len());
                if n > MAX_LEAVES {
                    return Err(format!("a value of {n} elements outside memory"));
                }
                let stride = self.layout.size(element);
                self.aggregate((0..n).map(|i| (element, i * stride)).collect())
            }
            _ => {
                let scalar = self.scalar(t)?;
                let leaves = scalar
                    .leaf_widths()
                    .into_iter()
                    .enumerate()
                    .map(|(i, width)| Leaf {
                        width,
                        offset: i as u64 * 8,
                        float: scalar.is_float(),
                        joined: false,
                    })
                    .collect();
                Ok(Type {
                    shape: Shape::Scalar(scalar),
                    leaves,
                    bit_packed: false,
                })
            }
        }
    }

    fn vector(&mut self, t: T) -> Result<Type, String> {
        let (scalar, n) = (self.scalar(t.element())?, t.vector_len());
        let widths = scalar.leaf_widths();
        let lane_bits = u64::from(scalar.bits());
        let mut leaves = Vec::new();
        for lane in 0..u64::from(n) {
            for (i, &width) in widths.iter().enumerate() {
                leaves.push(Leaf {
                    width,
                    offset: lane * lane_bits / 8 + i as u64 * 8,
                    float: scalar.is_float(),
                    joined: lane > 0 || i > 0,
                });
            }
        }
        Ok(Type {
            shape: Shape::Vector(scalar, n),
            leaves,
            bit_packed: lane_bits % 8 != 0,
        })
    }

    fn aggregate(&mut self, parts: Vec<(T, u64)>) -> Result<Type, String> {
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut fields = Vec::with_capacity(parts.len());
        let mut bit_packed = false;
        for (ty, offset) in parts {
            let inner = self.get(ty)?;
            fields.push(Field {
                ty,
                first: leaves.len() as u32,
                leaves: inner.leaves.len() as u32,
            });
            bit_packed |= inner.bit_packed;
            leaves.extend(inner.leaves.iter().map(|l| Leaf {
                offset: l.offset + offset,
                ..*l
            }));
            if leaves.len() as u64 > MAX_LEAVES {
                return Err(format!(
                    "a value of over {MAX_LEAVES} scalars outside memory"
                ));
            }
        }
        Ok(Type {
            shape: Shape::Aggregate(fields),
            leaves,
            bit_packed,
        })
    }
}
