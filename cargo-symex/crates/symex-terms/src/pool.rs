//! The hash-consing pool: owner of every node, and of the properties derived from a node once.
//!
//! Invariant: two handles are equal exactly if their kind and width are, those of arrays if kind
//! and name are. No module outside `expr` can intern a raw node. A pool belongs to one worker; it
//! only grows (a harness starts with a fresh one).

use super::facts::{Facts, PackedFacts};
use super::node::*;
use super::signed::SignedRange;
use super::table::UniqueTable;
use super::value::Value;
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Handle of an interned, sorted set of symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SupportId(u32);

impl SupportId {
    /// The empty set of symbols.
    pub const EMPTY: SupportId = SupportId(0);
}

#[derive(Clone, Copy)]
pub(super) struct NodeData {
    pub kind: Kind,
    pub width: Width,
    pub properties: Properties,
}

/// What a term or an array takes over from the terms in it.
#[derive(Clone, Copy)]
pub(super) struct Properties {
    pub support: SupportId,
    /// Whether it depends on a base address.
    pub has_base: bool,
    /// Whether it depends on uninitialised memory.
    pub has_uninit: bool,
    /// Most look-ups of which each decides on the next, or makes what it finds; 255 or more is 255.
    pub nesting: u8,
}

impl Properties {
    /// Those of a constant.
    const NONE: Properties = Properties {
        support: SupportId::EMPTY,
        has_base: false,
        has_uninit: false,
        nesting: 0,
    };

    /// Those of a variable or a base address with this support.
    const fn of(support: SupportId) -> Properties {
        Properties {
            support,
            ..Properties::NONE
        }
    }
}

pub(super) struct ArrayData {
    pub kind: ArrayKind,
    /// Name of the table below all stores.
    pub name: ArrayName,
    pub elem_width: Width,
    pub len: u64,
    /// Facts that hold for each element.
    pub facts: Facts,
    pub properties: Properties,
}

/// Owner of all terms of one worker.
pub struct Pool {
    pub(super) nodes: Vec<NodeData>,
    /// Facts of the terms, by position of the node.
    pub(super) facts: Vec<PackedFacts>,
    pub(super) wide_facts: Vec<Facts>,
    /// Signed ranges of the terms for which they say more than their facts.
    pub(super) signed_ranges: FxHashMap<Expr, SignedRange>,
    interned: UniqueTable,
    pub(super) arrays: Vec<ArrayData>,
    interned_arrays: FxHashMap<(ArrayKind, ArrayName), Array>,
    /// Number of array names made so far.
    array_names: u32,
    vars: Vec<VarInfo>,
    interned_vars: FxHashMap<VarInfo, Var>,
    supports: Vec<Arc<[Symbol]>>,
    interned_supports: FxHashMap<Arc<[Symbol]>, SupportId>,
    unions: FxHashMap<(SupportId, SupportId), SupportId>,
    /// Bytes of the elements of supports and tables.
    element_bytes: usize,
    pub(super) canonizer: super::canonical::Canonizer,
    pub(super) scratch: super::eval::Scratch,
    pub(super) rules: super::simplify::Rules,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// Makes a pool without terms.
    pub fn new() -> Self {
        let empty: Arc<[Symbol]> = Arc::from([]);
        Pool {
            nodes: Vec::new(),
            facts: Vec::new(),
            wide_facts: Vec::new(),
            signed_ranges: FxHashMap::default(),
            interned: UniqueTable::new(),
            arrays: Vec::new(),
            interned_arrays: FxHashMap::default(),
            array_names: 0,
            vars: Vec::new(),
            interned_vars: FxHashMap::default(),
            supports: vec![empty.clone()],
            interned_supports: FxHashMap::from_iter([(empty, SupportId::EMPTY)]),
            unions: FxHashMap::default(),
            element_bytes: 0,
            canonizer: Default::default(),
            scratch: Default::default(),
            rules: Default::default(),
        }
    }

    /// Returns the structure of a term.
    pub fn kind(&self, e: Expr) -> Kind {
        self.nodes[e.index()].kind
    }

    /// Returns the term at a position in the sense of [`Expr::index`].
    pub fn expr_at(&self, index: usize) -> Option<Expr> {
        let number = u32::try_from(index.checked_add(1)?).ok()?;
        (index < self.nodes.len()).then_some(Expr(std::num::NonZeroU32::new(number)?))
    }

    /// Returns the width of a term in bits.
    pub fn width(&self, e: Expr) -> Width {
        self.nodes[e.index()].width
    }

    /// Returns the value, if the term is a constant.
    pub fn as_const(&self, e: Expr) -> Option<u128> {
        match self.kind(e) {
            Kind::Const(v) => Some(v),
            _ => None,
        }
    }

    /// Returns the structure of an array.
    pub fn array_kind(&self, a: Array) -> &ArrayKind {
        &self.arrays[a.index()].kind
    }

    /// Returns the name of an array, which comes from the table that it was made of.
    pub fn array_name(&self, a: Array) -> ArrayName {
        self.arrays[a.index()].name
    }

    /// Makes a name that no array has.
    pub fn fresh_array_name(&mut self) -> ArrayName {
        self.array_names += 1;
        ArrayName(self.array_names)
    }

    /// Returns the width of an element in bits, and the number of elements.
    pub fn array_shape(&self, a: Array) -> (Width, u64) {
        let d = &self.arrays[a.index()];
        (d.elem_width, d.len)
    }

    /// Returns the description of a variable.
    pub fn var_info(&self, v: Var) -> &VarInfo {
        &self.vars[v.0 as usize]
    }

    /// Returns the number of variables made so far; their ids are below it.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    /// Returns the number of terms made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Reports whether no term has been made.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the approximate size of the pool, in bytes.
    pub fn bytes(&self) -> usize {
        let of_arrays = size_of::<ArrayData>() + size_of::<((ArrayKind, ArrayName), Array)>();
        let of_supports = 2 * size_of::<Arc<[Symbol]>>() + size_of::<SupportId>();
        self.nodes.len() * (size_of::<NodeData>() + size_of::<PackedFacts>())
            + self.interned.bytes()
            + self.canonizer.bytes()
            + self.arrays.len() * of_arrays
            + self.supports.len() * of_supports
            + self.unions.len() * size_of::<[SupportId; 3]>()
            + self.element_bytes
            + self.wide_facts.len() * size_of::<Facts>()
            + self.signed_ranges.len() * size_of::<(Expr, SignedRange)>()
    }

    /// Returns the bytes that the pool will take at once within its next few terms: 0, or the size
    /// of a larger unique table.
    pub fn imminent_bytes(&self) -> usize {
        self.interned.imminent_bytes()
    }

    /// Returns all symbols that the term depends on, sorted.
    pub fn support(&self, e: Expr) -> &[Symbol] {
        &self.supports[self.nodes[e.index()].properties.support.0 as usize]
    }

    /// Returns storage that no other living pool has, which distinguishes pools for as long as it
    /// is held.
    pub fn identity(&self) -> &Arc<[Symbol]> {
        &self.supports[SupportId::EMPTY.0 as usize]
    }

    pub fn support_id(&self, e: Expr) -> SupportId {
        self.nodes[e.index()].properties.support
    }

    pub fn support_symbols(&self, s: SupportId) -> &Arc<[Symbol]> {
        &self.supports[s.0 as usize]
    }

    /// Reports whether the term depends on a base address.
    pub fn has_base(&self, e: Expr) -> bool {
        self.nodes[e.index()].properties.has_base
    }

    /// Reports whether a value is a pointer, or computed from one.
    pub fn is_pointer(&self, value: Value) -> bool {
        match value {
            Value::Ptr(..) => true,
            Value::Expr(term) => self.has_base(term),
            Value::Int(_) | Value::Undef => false,
        }
    }

    /// Reports whether an array contains base addresses.
    pub fn array_has_base(&self, a: Array) -> bool {
        self.arrays[a.index()].properties.has_base
    }

    /// Reports whether an array depends on no variable and no base address.
    pub fn array_is_constant(&self, a: Array) -> bool {
        self.arrays[a.index()].properties.support == SupportId::EMPTY
    }

    /// Reports whether the term depends on uninitialised memory.
    pub fn has_uninit(&self, e: Expr) -> bool {
        self.nodes[e.index()].properties.has_uninit
    }

    /// Returns the length of the longest chain of look-ups in a term of which each decides on the
    /// position of the next, or makes what it finds. What is longer than 255 counts as 255.
    pub fn nesting(&self, e: Expr) -> u8 {
        self.nodes[e.index()].properties.nesting
    }

    /// Returns the term that is a variable.
    pub fn term_of(&self, var: Var) -> Expr {
        let found = self.find(&Kind::Var(var), self.var_info(var).width);
        found.expect("the term was made with the variable")
    }

    /// Returns the variable of this description; equal descriptions give the same one.
    pub fn var(&mut self, info: VarInfo) -> Expr {
        let width = info.width;
        let var = match self.interned_vars.get(&info) {
            Some(v) => *v,
            None => {
                let v = Var(self.vars.len() as u32);
                self.vars.push(info.clone());
                self.interned_vars.insert(info, v);
                v
            }
        };
        self.intern(Kind::Var(var), width)
    }

    /// Returns the union of two supports.
    pub fn union(&mut self, a: SupportId, b: SupportId) -> SupportId {
        if a == b || b == SupportId::EMPTY {
            return a;
        }
        if a == SupportId::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(u) = self.unions.get(&key) {
            return *u;
        }
        let (x, y) = (&self.supports[a.0 as usize], &self.supports[b.0 as usize]);
        let mut merged = Vec::with_capacity(x.len() + y.len());
        let (mut i, mut j) = (0, 0);
        while i < x.len() && j < y.len() {
            match x[i].cmp(&y[j]) {
                std::cmp::Ordering::Less => {
                    merged.push(x[i]);
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    merged.push(y[j]);
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    merged.push(x[i]);
                    i += 1;
                    j += 1;
                }
            }
        }
        merged.extend_from_slice(&x[i..]);
        merged.extend_from_slice(&y[j..]);
        let id = self.intern_support(merged);
        self.unions.insert(key, id);
        id
    }

    fn intern_support(&mut self, sorted: Vec<Symbol>) -> SupportId {
        let set: Arc<[Symbol]> = sorted.into();
        if let Some(id) = self.interned_supports.get(&set) {
            return *id;
        }
        let id = SupportId(self.supports.len() as u32);
        self.element_bytes += size_of_val(&*set);
        self.supports.push(set.clone());
        self.interned_supports.insert(set, id);
        id
    }

    /// Interns a node as it is, or the constant that it always equals. The caller has simplified it
    /// and checked its widths.
    pub(super) fn intern(&mut self, kind: Kind, width: Width) -> Expr {
        debug_assert!((1..=MAX_WIDTH).contains(&width), "width {width}");
        let hash = UniqueTable::hash(&(kind, width));
        if let Some(e) = self.find_hashed(hash, &kind, width) {
            return e;
        }
        let (facts, signed) = self.derive_halves(&kind, width);
        if let Some(v) = facts.as_const()
            && !matches!(kind, Kind::Const(_))
            && self.rules.enabled()
        {
            return self.intern(Kind::Const(v), width);
        }
        self.facts
            .push(PackedFacts::pack(facts, width, &mut self.wide_facts));
        let properties = self.derive(&kind);
        self.nodes.push(NodeData {
            kind,
            width,
            properties,
        });
        let e = Expr(
            NonZeroU32::new(self.nodes.len() as u32).expect("the pool holds fewer than 2^32 terms"),
        );
        self.interned.insert(hash, e.0.get());
        if let Some(range) = signed {
            self.signed_ranges.insert(e, range);
        }
        e
    }

    /// Finds the node, if it is interned in exactly this form. Rules may still rewrite such a node
    /// today.
    #[inline]
    pub(super) fn find(&self, kind: &Kind, width: Width) -> Option<Expr> {
        self.find_hashed(UniqueTable::hash(&(*kind, width)), kind, width)
    }

    #[inline]
    fn find_hashed(&self, hash: u32, kind: &Kind, width: Width) -> Option<Expr> {
        let found = self.interned.find(hash, |handle| {
            let n = &self.nodes[handle as usize - 1];
            n.kind == *kind && n.width == width
        });
        found.and_then(NonZeroU32::new).map(Expr)
    }

    fn derive(&mut self, kind: &Kind) -> Properties {
        let of = |p: &Pool, e: Expr| p.nodes[e.index()].properties;
        match *kind {
            Kind::Const(_) => Properties::NONE,
            Kind::Var(v) => Properties {
                has_uninit: matches!(self.vars[v.0 as usize].origin, Origin::Uninit { .. }),
                ..Properties::of(self.intern_support(vec![Symbol::Var(v)]))
            },
            Kind::Base { object, .. } => Properties {
                has_base: true,
                ..Properties::of(self.intern_support(vec![Symbol::Base(object)]))
            },
            Kind::Un(_, a)
            | Kind::Extract { of: a, .. }
            | Kind::ZExt(a)
            | Kind::SExt(a)
            | Kind::FCast(_, a) => of(self, a),
            Kind::Bin(_, a, b) | Kind::Concat { hi: a, lo: b } => {
                let (x, y) = (of(self, a), of(self, b));
                self.joined(x, y)
            }
            Kind::Ite {
                cond: a,
                then: b,
                other: c,
            }
            | Kind::Fma(a, b, c) => {
                let (x, y, z) = (of(self, a), of(self, b), of(self, c));
                let either = self.joined(x, y);
                self.joined(either, z)
            }
            Kind::Select { array, index } => {
                let (x, y) = (self.arrays[array.index()].properties, of(self, index));
                let both = self.joined(x, y);
                Properties {
                    nesting: both.nesting.saturating_add(1),
                    ..both
                }
            }
        }
    }

    /// Returns the properties of what is made of two terms or arrays.
    fn joined(&mut self, a: Properties, b: Properties) -> Properties {
        Properties {
            support: self.union(a.support, b.support),
            has_base: a.has_base | b.has_base,
            has_uninit: a.has_uninit | b.has_uninit,
            nesting: a.nesting.max(b.nesting),
        }
    }

    /// Interns an array as it is.
    pub(super) fn intern_array(
        &mut self,
        kind: ArrayKind,
        name: ArrayName,
        elem_width: Width,
        len: u64,
    ) -> Array {
        let key = (kind, name);
        if let Some(a) = self.interned_arrays.get(&key) {
            return *a;
        }
        let kind = &key.0;
        let properties = match kind {
            ArrayKind::Table(elems) => {
                let mut symbols: Vec<Symbol> = Vec::new();
                let mut all = Properties::NONE;
                let mut last = SupportId::EMPTY;
                for e in elems.iter() {
                    let element = self.nodes[e.index()].properties;
                    all.has_base |= element.has_base;
                    all.has_uninit |= element.has_uninit;
                    all.nesting = all.nesting.max(element.nesting);
                    if element.support != last {
                        last = element.support;
                        symbols.extend_from_slice(&self.supports[last.0 as usize]);
                    }
                }
                symbols.sort_unstable();
                symbols.dedup();
                all.support = self.intern_support(symbols);
                all
            }
            ArrayKind::Store {
                array,
                index,
                value,
            } => {
                let below = self.arrays[array.index()].properties;
                let [at, value] = [index, value].map(|e| self.nodes[e.index()].properties);
                let position = self.joined(below, at);
                self.joined(position, value)
            }
        };
        if let ArrayKind::Table(elems) = kind {
            self.element_bytes += size_of_val(&**elems);
        }
        self.arrays.push(ArrayData {
            facts: self.derive_array_facts(kind, elem_width),
            kind: kind.clone(),
            name,
            elem_width,
            len,
            properties,
        });
        let a = Array(
            NonZeroU32::new(self.arrays.len() as u32)
                .expect("the pool holds fewer than 2^32 arrays"),
        );
        self.interned_arrays.insert(key, a);
        a
    }
}
