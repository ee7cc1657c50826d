//! Proves that the answer to a query does not depend on where objects were placed [AAQC III-C, IV].
//!
//! The paper assumes that programs are well-behaved, and that only the executor's own queries are
//! not address-agnostic. Here the proof is made for each query, from the possible values of its
//! terms: a number, which is the same wherever objects lie, or an address within one of several
//! objects. A term that is neither (the low bits of an address, the difference of two objects'
//! addresses, an address that may lie outside its object) makes the query address-dependent.
//!
//! Addresses may be compared for equality, ordered within one object (one past its end included),
//! and compared with addresses at which there is no object. This is the language L1 of [AAQC IV],
//! with its requirement to respect the address space as a check, and the subtractions of L2 where
//! both sides are in the same object. Placement guarantees its part: objects are apart, so that the
//! end of one is not the start of another (red zones), and are never at low or at negative
//! addresses.
//!
//! Offsets are bounded by the domains of terms ([`Pool::facts`]) and by the constraints of the
//! query without bases. These mean the same under every placement: where they do not hold, the
//! query is false under all.

use super::Query;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symex_terms::{
    ADDRESSES_END, ArrayKind, BinOp, Expr, Kind, LOWEST_ADDRESS, ObjectId, Pool, Symbol,
    TermOperand,
};

/// Greatest number of objects that a term may point into. A term with more is not followed.
const MAX_TARGETS: usize = 1024;
/// Greatest number of pairs of objects that one comparison may compare.
const MAX_PAIRS: usize = 1 << 16;
/// Greatest number of nodes of a query. A larger one counts as address-dependent.
const MAX_PARTS: usize = 50_000;
/// Number of terms at which the memory is cleared.
const CAPACITY: usize = 200_000;

/// Proof results for one pool's terms, kept because a path's constraints come back with each of its
/// queries.
#[derive(Default)]
pub(super) struct Proofs {
    shown: FxHashMap<Expr, Shown>,
}

/// Dependence of a term on the placement of objects.
enum Shown {
    /// Agnostic as long as its objects have these sizes, whatever the query's constraints.
    Agnostic(Sizes),
    /// Dependent, whatever the constraints and however large its objects are.
    Dependent,
    /// Agnostic or dependent, depending on the query.
    ByQuery,
}

impl Proofs {
    /// Reports whether the answer to a query is proved to be the same wherever its objects lie, as
    /// long as their sizes and alignments are the same.
    pub(super) fn is_address_agnostic(&mut self, pool: &Pool, query: &Query) -> bool {
        let mut open: SmallVec<[Expr; 8]> = SmallVec::new();
        let terms = query.constraints.iter().chain([&query.goal]);
        for &e in terms.filter(|e| pool.has_base(**e)) {
            if self.shown.len() >= CAPACITY {
                self.shown.clear();
            }
            let shown = self.shown.entry(e);
            match shown.or_insert_with(|| Shown::of(pool, query, e)) {
                Shown::Agnostic(sizes) if sizes.fit(query) => {}
                Shown::Dependent => return false,
                Shown::Agnostic(_) | Shown::ByQuery => open.push(e),
            }
        }
        if open.is_empty() {
            return true;
        }
        let bounds = Some(query.bounds(pool));
        let mut analysis = Analysis::new(pool, query, AssumedRanges { bounds, any: false });
        open.into_iter().all(|e| analysis.agrees(e))
    }
}

impl Shown {
    fn of(pool: &Pool, query: &Query, e: Expr) -> Shown {
        let agrees =
            |any| Analysis::new(pool, query, AssumedRanges { bounds: None, any }).agrees(e);
        if !agrees(true) {
            return Shown::Dependent;
        }
        if !agrees(false) {
            return Shown::ByQuery;
        }
        Shown::Agnostic(Sizes::of(pool, query, [e]))
    }
}

/// The objects on which terms depend, with their sizes in a query.
pub(super) struct Sizes(SmallVec<[(ObjectId, Option<u64>); 2]>);

impl Sizes {
    /// Collects the sizes of the objects in some terms of a query.
    pub(super) fn of(pool: &Pool, query: &Query, terms: impl IntoIterator<Item = Expr>) -> Sizes {
        let size = |symbol: &Symbol| match *symbol {
            Symbol::Base(object) => Some((object, query.addresses.size(object))),
            Symbol::Var(_) => None,
        };
        let with_base = terms.into_iter().filter(|e| pool.has_base(*e));
        let symbols = with_base.flat_map(|e| pool.support(e));
        let mut sizes: SmallVec<_> = symbols.filter_map(size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Sizes(sizes)
    }

    /// Reports whether the objects have these sizes in another query, too.
    pub(super) fn fit(&self, query: &Query) -> bool {
        let mut sizes = self.0.iter();
        sizes.all(|(object, size)| query.addresses.size(*object) == *size)
    }
}

/// Abstract value of a term: a number, a pointer, or dependent on the placement.
#[derive(Clone, Debug)]
enum Nature {
    /// A number that is equal under every placement.
    Number,
    /// An address within an object, or a number.
    Pointer(PointerTargets),
    /// A value that may differ between placements.
    Dependent,
}

/// Possible targets of a pointer: objects with the least and the greatest offset. A target without
/// object is a number.
type PointerTargets = SmallVec<[(Option<ObjectId>, i128, i128); 2]>;

/// Assumptions about the ranges of numbers.
struct AssumedRanges {
    /// Terms bounded by constraints, with their least and greatest values.
    bounds: Option<FxHashMap<Expr, (u128, u128)>>,
    /// Whether each number is assumed to be as small or as large as would suit.
    any: bool,
}

struct Analysis<'a> {
    pool: &'a Pool,
    query: &'a Query<'a>,
    ranges: AssumedRanges,
    known: FxHashMap<Expr, Nature>,
    /// The common nature of all elements of an array.
    arrays: FxHashMap<symex_terms::Array, Nature>,
}

impl<'a> Analysis<'a> {
    fn new(pool: &'a Pool, query: &'a Query<'a>, ranges: AssumedRanges) -> Analysis<'a> {
        Analysis {
            pool,
            query,
            ranges,
            known: FxHashMap::default(),
            arrays: FxHashMap::default(),
        }
    }

    /// Reports whether a one-bit term is proved to be the same under every placement.
    fn agrees(&mut self, root: Expr) -> bool {
        let mut stack = vec![(TermOperand::Term(root), false)];
        while let Some((operand, ready)) = stack.pop() {
            if self.known.len() + stack.len() > MAX_PARTS {
                return false;
            }
            match operand {
                TermOperand::Term(e) if self.known.contains_key(&e) || !self.pool.has_base(e) => {}
                TermOperand::Array(a)
                    if self.arrays.contains_key(&a) || !self.pool.array_has_base(a) => {}
                TermOperand::Term(e) if ready => {
                    let nature = self.term(e);
                    if matches!(nature, Nature::Dependent) {
                        return false;
                    }
                    self.known.insert(e, nature);
                }
                TermOperand::Array(a) if ready => {
                    let nature = self.array(a);
                    if matches!(nature, Nature::Dependent) {
                        return false;
                    }
                    self.arrays.insert(a, nature);
                }
                TermOperand::Term(e) => {
                    stack.push((operand, true));
                    self.pool.operands(e, |o| stack.push((o, false)));
                }
                TermOperand::Array(a) => {
                    stack.push((operand, true));
                    self.pool.array_operands(a, |o| stack.push((o, false)));
                }
            }
        }
        match self.known.get(&root) {
            Some(nature) => matches!(nature, Nature::Number),
            None => true,
        }
    }

    fn is_number(&self, e: Expr) -> bool {
        matches!(self.known.get(&e), None | Some(Nature::Number))
    }

    /// Returns the targets of a term, be it a pointer or a number.
    fn targets(&self, e: Expr) -> PointerTargets {
        match self.known.get(&e) {
            Some(Nature::Pointer(targets)) => targets.clone(),
            _ => {
                let (low, high) = self.range(e, 8);
                PointerTargets::from_iter([(None, low, high)])
            }
        }
    }

    /// Computes the nature of a term whose operands are known.
    fn term(&self, e: Expr) -> Nature {
        match self.pool.kind(e) {
            Kind::Base { object, .. } => {
                Nature::Pointer(PointerTargets::from_iter([(Some(object), 0, 0)]))
            }
            Kind::Bin(op, a, b) if !self.is_number(a) || !self.is_number(b) => {
                self.of_pointers(op, a, b)
            }
            Kind::Ite { cond, then, other } if self.is_number(cond) => {
                self.either([then, other].into_iter())
            }
            Kind::Select { array, index } if self.is_number(index) => {
                match self.arrays.get(&array) {
                    Some(nature) => nature.clone(),
                    None => Nature::Number,
                }
            }
            _ => {
                let mut numbers = true;
                self.pool.operands(e, |o| {
                    numbers &= match o {
                        TermOperand::Term(e) => self.is_number(e),
                        TermOperand::Array(_) => false,
                    }
                });
                if numbers {
                    Nature::Number
                } else {
                    Nature::Dependent
                }
            }
        }
    }

    fn array(&self, a: symex_terms::Array) -> Nature {
        match self.pool.array_kind(a) {
            ArrayKind::Table(elems) => self.either(elems.iter().copied()),
            ArrayKind::Store {
                array,
                index,
                value,
            } => {
                if !self.is_number(*index) {
                    return Nature::Dependent;
                }
                let below = self.arrays.get(array);
                let mut targets = match below {
                    Some(Nature::Pointer(targets)) => targets.clone(),
                    Some(Nature::Dependent) => return Nature::Dependent,
                    Some(Nature::Number) | None => {
                        let facts = self.pool.array_facts(*array);
                        PointerTargets::from_iter([number(facts.min, facts.max)])
                    }
                };
                if self.is_number(*value) && !matches!(below, Some(Nature::Pointer(_))) {
                    return Nature::Number;
                }
                for target in self.targets(*value) {
                    join(&mut targets, target);
                }
                self.small(targets)
            }
        }
    }

    /// Joins the natures of several terms, any of which may be the value.
    fn either(&self, terms: impl Iterator<Item = Expr>) -> Nature {
        let mut targets = PointerTargets::new();
        let mut numbers = true;
        for e in terms {
            numbers &= self.is_number(e);
            for target in self.targets(e) {
                join(&mut targets, target);
            }
            if targets.len() > MAX_TARGETS {
                return Nature::Dependent;
            }
        }
        if numbers {
            Nature::Number
        } else {
            self.small(targets)
        }
    }

    fn of_pointers(&self, op: BinOp, a: Expr, b: Expr) -> Nature {
        let (left, right) = (self.targets(a), self.targets(b));
        if left.len() * right.len() > MAX_PAIRS {
            return Nature::Dependent;
        }
        match op {
            BinOp::Add => self.sums(&left, &right, 1),
            BinOp::Sub => self.sums(&left, &right, -1),
            BinOp::Eq | BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe => {
                let mut pairs = left.iter().flat_map(|x| right.iter().map(move |y| (x, y)));
                if pairs.all(|(x, y)| self.may_be_compared(op, x, y)) {
                    Nature::Number
                } else {
                    Nature::Dependent
                }
            }
            _ => Nature::Dependent,
        }
    }

    /// Returns the sums, or the differences, of all pairs of targets.
    fn sums(&self, left: &PointerTargets, right: &PointerTargets, sign: i128) -> Nature {
        let mut targets = PointerTargets::new();
        let mut numbers = true;
        for (x, low, high) in left {
            for (y, from, to) in right {
                let object = match (x, y) {
                    (object, None) => *object,
                    (None, object) if sign == 1 => *object,
                    (Some(x), Some(y)) if x == y && sign == -1 => None,
                    _ => return Nature::Dependent,
                };
                let (low, high) = if sign == 1 {
                    (low.saturating_add(*from), high.saturating_add(*to))
                } else {
                    (low.saturating_sub(*to), high.saturating_sub(*from))
                };
                numbers &= object.is_none();
                join(&mut targets, (object, low, high));
            }
        }
        if targets.len() > MAX_TARGETS {
            Nature::Dependent
        } else if numbers {
            // Of two addresses in one object: offsets add up to the same under every placement.
            Nature::Number
        } else {
            self.small(targets)
        }
    }

    /// Reports whether a comparison of two targets has the same result under every placement.
    fn may_be_compared(
        &self,
        op: BinOp,
        x: &(Option<ObjectId>, i128, i128),
        y: &(Option<ObjectId>, i128, i128),
    ) -> bool {
        match (x.0, y.0) {
            (None, None) => true,
            // The same is subtracted from both sides.
            (Some(a), Some(b)) if a == b && op == BinOp::Eq => true,
            (Some(a), Some(b)) if a == b => self.is_within(x) && self.is_within(y),
            (Some(_), Some(_)) => op == BinOp::Eq && self.is_within(x) && self.is_within(y),
            (Some(_), None) => self.is_within(x) && self.is_nowhere(y, op),
            (None, Some(_)) => self.is_within(y) && self.is_nowhere(x, op),
        }
    }

    /// Reports whether the target is within its object, or one past its end.
    fn is_within(&self, (object, low, high): &(Option<ObjectId>, i128, i128)) -> bool {
        if self.ranges.any {
            return true;
        }
        let Some(size) = object.and_then(|object| self.query.addresses.size(object)) else {
            return false;
        };
        *low >= 0 && *high <= i128::from(size)
    }

    /// Reports whether a number is an address at which no object is, on the same side of all
    /// objects.
    fn is_nowhere(&self, (_, low, high): &(Option<ObjectId>, i128, i128), op: BinOp) -> bool {
        // Equality and signed comparison alone take the two halves of the numbers for one side.
        let below = *low >= 0 && *high < i128::from(LOWEST_ADDRESS);
        let above = *low > i128::from(ADDRESSES_END);
        let negative = *high < 0;
        let is_apart = match op {
            BinOp::Eq => below || above || negative,
            BinOp::ULt | BinOp::ULe => below || above || negative,
            _ => below || above && *high < 1 << 63 || negative,
        };
        is_apart || self.ranges.any
    }

    /// Makes the nature of targets, if their offsets are far from wrapping around.
    fn small(&self, targets: PointerTargets) -> Nature {
        let limit = 1i128 << 80;
        let is_small = targets.iter().all(|t| t.1 > -limit && t.2 < limit);
        if is_small || self.ranges.any {
            Nature::Pointer(targets)
        } else {
            Nature::Dependent
        }
    }

    /// Returns the range of a term that is a number, signed where its sign is known.
    fn range(&self, e: Expr, depth: usize) -> (i128, i128) {
        let width = self.pool.width(e);
        let facts = self.pool.facts(e);
        let (mut low, mut high) = (facts.min, facts.max);
        let bounds = self.ranges.bounds.as_ref();
        if let Some((least, most)) = bounds.and_then(|bounds| bounds.get(&e)) {
            low = low.max(*least);
            high = high.min(*most);
        }
        let whole = i128::from(u64::MAX);
        if width > 64 || low > high {
            return (i128::from(i64::MIN), whole);
        }
        let (mut low, mut high) = (low as i128, high as i128);
        let top = 1i128 << (width - 1);
        if low >= top && width == 64 {
            (low, high) = (low - 2 * top, high - 2 * top);
        }
        if depth == 0 || low == high {
            return (low, high);
        }
        // What the parts say, where nothing wraps around.
        let parts = match self.pool.kind(e) {
            Kind::ZExt(inner) => {
                let (from, to) = self.range(inner, depth - 1);
                (from >= 0).then_some((from, to))
            }
            Kind::Bin(op @ (BinOp::Add | BinOp::Mul), a, b) => {
                let (from, to) = self.range(a, depth - 1);
                let (least, most) = self.range(b, depth - 1);
                if from < 0 || least < 0 {
                    None
                } else if op == BinOp::Add {
                    Some((from + least, to + most))
                } else {
                    to.checked_mul(most).map(|most| (from * least, most))
                }
            }
            Kind::Bin(BinOp::Shl, a, by) => {
                let by = self.pool.as_const(by).filter(|by| *by < 64);
                let (from, to) = self.range(a, depth - 1);
                by.filter(|_| from >= 0 && to <= whole)
                    .map(|by| (from << by, to << by))
            }
            Kind::Concat { hi, lo } => {
                let low_width = self.pool.width(lo);
                let (from, to) = self.range(hi, depth - 1);
                let (least, most) = self.range(lo, depth - 1);
                (from >= 0 && least >= 0)
                    .then(|| ((from << low_width) + least, (to << low_width) + most))
            }
            _ => None,
        };
        match parts {
            Some((from, to)) if to < 2 * top && low >= 0 => (low.max(from), high.min(to)),
            _ => (low, high),
        }
    }
}

/// Makes the target of a number in a range.
fn number(min: u128, max: u128) -> (Option<ObjectId>, i128, i128) {
    let clamp = |v: u128| i128::try_from(v).unwrap_or(i128::MAX);
    (None, clamp(min), clamp(max))
}

/// Adds a target, merging it with one of the same object.
fn join(targets: &mut PointerTargets, new: (Option<ObjectId>, i128, i128)) {
    match targets.iter_mut().find(|known| known.0 == new.0) {
        Some(known) => *known = (new.0, known.1.min(new.1), known.2.max(new.2)),
        None => targets.push(new),
    }
}

#[cfg(test)]
#[path = "address_agnostic_tests.rs"]
mod tests;
