//! Affine relations between terms: sums over the same terms share bounds.
//!
//! Each node is read, as a signed number, as a linear combination of other nodes plus a constant,
//! where its domain shows that nothing wraps around. Sums whose terms are multiples of one another
//! share a node of their own, by which the network narrows all that are linked to it: a sum is `k *
//! shared + c`, a comparison is that of such a difference with zero, and a remainder by `m` is
//! congruent to the sum without the multiples of `m` (the congruences of P. Granger, *Static
//! Analysis of Arithmetical Congruences*, 1989, for single values).
//!
//! What wraps around on the way is no obstacle: a node is a sum modulo a power of two in any case
//! (`modular`), and where all values of that sum lie in one period, it is the sum less a constant.
//! So digits of text, of which a great constant was subtracted, are what they stand for.
//!
//! Invariant: links hold under every assignment that satisfies the query, since the domains that
//! they rest on do; their reasons are those of these domains.

use super::backward::{divided, nothing};
use super::modular::{self, KnownSums, ModularSum};
use super::network::{Network, NetworkNode, NetworkOp};
use super::reasons::Reasons;
use rustc_hash::FxHashMap;
use symex_terms::Domain;
use symex_terms::{BinOp, SignedRange, UnOp, Width, mask};

/// Greatest number of terms of a sum.
pub(super) const MAX_TERMS: usize = 24;
/// Greatest width of numbers read as sums: their sums cannot leave 128 bits.
pub(super) const MAX_WIDTH: Width = 64;
/// Width of shared sums.
const WIDE: Width = 128;
/// Upper bound of factors and constants.
const MAX_FACTOR: u128 = 1 << 96;

/// Multiples of nodes, given by their indices.
pub(super) type LinearTerms = Vec<(u32, i128)>;

/// A linear combination of nodes plus a constant.
#[derive(Clone)]
pub(super) struct AffineSum {
    pub terms: LinearTerms,
    pub constant: i128,
    /// Reasons of the domains which show that nothing wraps around.
    pub reasons: Reasons,
}

/// Number that a node stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Signed,
    Unsigned,
}

/// The nodes of a network as sums.
pub(super) struct Sums {
    /// Each node, read as a signed number, if only as itself.
    pub signed: Vec<AffineSum>,
    /// Nodes that are read as unsigned numbers, since they are no sum of signed ones.
    pub unsigned: Vec<Option<AffineSum>>,
    /// Nodes that wrap around on the way, as sums modulo a power of two.
    pub modular: Vec<Option<ModularSum>>,
    /// Nodes that are sums of several terms and are compared, so that something may be known of
    /// them, operands before results.
    pub several: Vec<u32>,
}

impl Sums {
    /// Returns a node that is not less than zero, or is read as unsigned, as a sum.
    pub fn unsigned(&self, network: &Network, at: usize) -> Option<&AffineSum> {
        match network.domains[at].smin >= 0 {
            true => Some(&self.signed[at]),
            false => self.unsigned[at].as_ref(),
        }
    }
}

/// Relation of a node to a shared sum `s`, by `v = factor * s + constant`.
#[derive(Clone, Copy)]
pub(super) struct SumLink {
    tie: Tie,
    factor: i128,
    constant: i128,
}

#[derive(Clone, Copy)]
enum Tie {
    /// The node, read so, is `v`.
    Equal(Reading),
    /// The node is the result of comparing `v` with zero: less, at most, or equal.
    Compared(BinOp),
}

impl AffineSum {
    pub fn constant(constant: i128) -> AffineSum {
        AffineSum {
            terms: LinearTerms::new(),
            constant,
            reasons: Reasons::NONE,
        }
    }

    fn node(at: u32) -> AffineSum {
        AffineSum {
            terms: vec![(at, 1)],
            ..AffineSum::constant(0)
        }
    }

    /// Adds reasons to the sum.
    pub fn given(mut self, reasons: Reasons) -> AffineSum {
        self.reasons = self.reasons.and(reasons);
        self
    }

    pub fn times(mut self, k: i128) -> Option<AffineSum> {
        for (_, factor) in &mut self.terms {
            *factor = factor.checked_mul(k)?;
        }
        self.constant = self.constant.checked_mul(k)?;
        self.terms.retain(|t| t.1 != 0);
        self.checked()
    }

    pub fn plus(&self, other: &AffineSum) -> Option<AffineSum> {
        let constant = self.constant.checked_add(other.constant)?;
        let mut sum = AffineSum::constant(constant).given(self.reasons.and(other.reasons));
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let (at, factor) = match (left.first(), right.first()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.0 == b.0 => {
                    (left, right) = (&left[1..], &right[1..]);
                    (a.0, a.1.checked_add(b.1)?)
                }
                (Some(a), other) if other.is_none_or(|b| a.0 < b.0) => {
                    left = &left[1..];
                    *a
                }
                (_, b) => {
                    right = &right[1..];
                    *b.expect("there is one")
                }
            };
            if factor != 0 {
                sum.terms.push((at, factor));
            }
        }
        sum.checked()
    }

    pub fn checked(self) -> Option<AffineSum> {
        let small = |v: i128| v.unsigned_abs() <= MAX_FACTOR;
        let fits = self.terms.len() <= MAX_TERMS
            && small(self.constant)
            && self.terms.iter().all(|t| small(t.1));
        fits.then_some(self)
    }

    /// Splits the sum into a factor and a sum whose factors have no common divisor, the first one
    /// positive.
    fn primitive(&self) -> (LinearTerms, i128) {
        let divisor = self.terms.iter().fold(0, |d, t| gcd(d, t.1.unsigned_abs())) as i128;
        let divisor = if self.terms[0].1 < 0 {
            -divisor
        } else {
            divisor
        };
        let terms = self.terms.iter().map(|t| (t.0, t.1 / divisor)).collect();
        (terms, divisor)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the nodes of a network as sums.
pub(super) fn sums(network: &Network) -> Sums {
    let sums = sums_around(network, None);
    let mut nodes = sums.modular.iter().zip(&sums.unsigned).enumerate();
    let is_left = nodes.any(|(at, (modular, unsigned))| {
        modular.is_some() && unsigned.is_none() && sums.signed[at].terms == [(at as u32, 1)]
    });
    match is_left && !sums.several.is_empty() {
        true => sums_around(network, Some(&sums)),
        false => sums,
    }
}

/// Returns the nodes of a network as sums, where those known before may be parts of others.
fn sums_around(network: &Network, known: Option<&Sums>) -> Sums {
    let nodes = network.nodes.len();
    let mut sums = Sums {
        signed: Vec::with_capacity(nodes),
        unsigned: vec![None; nodes],
        modular: vec![None; nodes],
        several: Vec::new(),
    };
    for at in 0..nodes as u32 {
        let (width, domain) = (
            network.nodes[at as usize].width,
            &network.domains[at as usize],
        );
        let mut sum = sum_of(network, &sums, at);
        if sum.is_none()
            && let Some(modular) = ModularSum::of(network, &sums, at)
        {
            match modular.read(
                network,
                &KnownSums {
                    sums: &sums,
                    before: known,
                },
                at,
            ) {
                Some((Reading::Signed, read)) => sum = Some(read),
                Some((Reading::Unsigned, read)) => {
                    if read.terms.len() > 1 && network.is_compared(at) {
                        sums.several.push(at);
                    }
                    sums.unsigned[at as usize] = Some(read);
                }
                None => {}
            }
            sums.modular[at as usize] = Some(modular);
        }
        // What has one value because the query says so is still the sum that it is.
        let sum = sum.unwrap_or_else(|| match domain.value() {
            Some(_) if width <= MAX_WIDTH => {
                AffineSum::constant(domain.smin).given(network.reasons[at as usize])
            }
            _ => AffineSum::node(at),
        });
        if sum.terms.len() > 1 && network.is_compared(at) {
            sums.several.push(at);
        }
        sums.signed.push(sum);
    }
    sums
}

/// Reads a node as a sum of signed numbers, if nothing wraps around.
fn sum_of(network: &Network, sums: &Sums, at: u32) -> Option<AffineSum> {
    let sum = added_up(network, sums, at)?;
    let mut reasons = Reasons::NONE;
    network.operands(at, |o| reasons = reasons.and(network.reasons[o as usize]));
    Some(sum.given(reasons))
}

/// Reads a node as [`sum_of`] does, without adding the reasons of its operands' domains.
fn added_up(network: &Network, all: &Sums, at: u32) -> Option<AffineSum> {
    let sums = &all.signed;
    let node = &network.nodes[at as usize];
    if node.width > MAX_WIDTH {
        return None;
    }
    let [a, b, _] = node.operands.map(|o| o as usize);
    let (x, y) = (&network.domains[a], &network.domains[b]);
    let fits = |min: i128, max: i128| SignedRange { min, max }.fits(node.width).is_some();
    let factor = |d: &Domain| d.value().map(|_| d.smin);
    match node.op {
        NetworkOp::Bin(BinOp::Add) if fits(x.smin + y.smin, x.smax + y.smax) => {
            sums[a].plus(&sums[b])
        }
        NetworkOp::Bin(BinOp::Sub) if fits(x.smin - y.smax, x.smax - y.smin) => {
            sums[a].plus(&sums[b].clone().times(-1)?)
        }
        NetworkOp::Bin(BinOp::Mul) => {
            let (k, of, d) = match (factor(x), factor(y)) {
                (_, Some(k)) => (k, a, x),
                (Some(k), _) => (k, b, y),
                _ => return None,
            };
            let ends = (d.smin.checked_mul(k)?, d.smax.checked_mul(k)?);
            fits(ends.0.min(ends.1), ends.0.max(ends.1)).then_some(())?;
            sums[of].clone().times(k)
        }
        NetworkOp::Bin(BinOp::Shl) => {
            let by = y.value().filter(|by| *by < u128::from(node.width))?;
            fits(x.smin.checked_mul(1 << by)?, x.smax.checked_mul(1 << by)?).then_some(())?;
            sums[a].clone().times(1 << by)
        }
        NetworkOp::Un(UnOp::Not) => sums[a].clone().times(-1)?.plus(&AffineSum::constant(-1)),
        NetworkOp::SExt => Some(sums[a].clone()),
        NetworkOp::ZExt => all.unsigned(network, a).cloned(),
        NetworkOp::Extract(0) if fits(x.smin, x.smax) => Some(sums[a].clone()),
        _ => None,
    }
}

impl Network {
    /// Links nodes to the sums that they share.
    pub fn link_sums(&mut self) {
        let sums = sums(self);
        // Those of which a sum of its own tells something, too.
        let mut found: Vec<(Tie, u32, AffineSum, bool)> = Vec::new();
        for at in 0..self.nodes.len() as u32 {
            let sum = &sums.signed[at as usize];
            if sum.terms.len() > 1 {
                found.push((Tie::Equal(Reading::Signed), at, sum.clone(), false));
            }
            if let Some(sum) = &sums.unsigned[at as usize]
                && sum.terms.len() > 1
            {
                found.push((Tie::Equal(Reading::Unsigned), at, sum.clone(), false));
            }
            let tied = self.tied(&sums, at);
            found.extend(tied.map(|(tie, sum, alone)| (tie, at, sum, alone)));
        }
        let shared: Vec<Option<(LinearTerms, i128)>> = found
            .iter()
            .map(|f| (!f.2.terms.is_empty()).then(|| f.2.primitive()))
            .collect();
        let mut uses: FxHashMap<&LinearTerms, u32> = FxHashMap::default();
        for (terms, _) in shared.iter().flatten() {
            *uses.entry(terms).or_default() += 1;
        }
        let mut places: FxHashMap<&LinearTerms, u32> = FxHashMap::default();
        for ((tie, at, sum, alone), shared) in found.iter().zip(&shared) {
            let Some((terms, factor)) = shared else {
                // Nothing but a constant is left.
                let link = SumLink {
                    tie: *tie,
                    factor: 0,
                    constant: sum.constant,
                };
                self.add_link(link, *at, *at, sum.reasons);
                continue;
            };
            if uses[terms] == 1 && !alone {
                continue;
            }
            let place = match terms.as_slice() {
                [(at, 1)] => *at,
                _ => *places
                    .entry(terms)
                    .or_insert_with(|| self.add_sum(terms.clone())),
            };
            let link = SumLink {
                tie: *tie,
                factor: *factor,
                constant: sum.constant,
            };
            self.add_link(link, *at, place, sum.reasons);
        }
    }

    /// Returns the difference that a comparison compares with zero, and whether terms cancel in it,
    /// which makes the link useful even if no other node shares the sum.
    fn tied(&self, sums: &Sums, at: u32) -> Option<(Tie, AffineSum, bool)> {
        let node = &self.nodes[at as usize];
        let [a, b, _] = node.operands.map(|o| o as usize);
        let width = self.nodes[a].width;
        if width > MAX_WIDTH
            || self.domains[a].value().is_some() && self.domains[b].value().is_some()
        {
            return None;
        }
        if let NetworkOp::Bin(op @ (BinOp::ULt | BinOp::ULe)) = node.op {
            // `a + e < a`, and its negation.
            let (sum, part, tie) = match op {
                BinOp::ULt => (a, b, BinOp::SLt),
                _ => (b, a, BinOp::SLe),
            };
            if let Some(left) = modular::left_to_carry(self, sums, sum, part) {
                // Less than nothing is left where it carries, else at least nothing.
                let left = match tie {
                    BinOp::SLt => left,
                    _ => left.times(-1)?,
                };
                return Some((Tie::Compared(tie), left, true));
            }
        }
        match node.op {
            NetworkOp::Bin(
                op @ (BinOp::Eq | BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe),
            ) => {
                let unsigned = (sums.unsigned(self, a), sums.unsigned(self, b));
                let (left, right) = match (op, unsigned) {
                    (BinOp::ULt | BinOp::ULe | BinOp::Eq, (Some(left), Some(right))) => {
                        (left, right)
                    }
                    (BinOp::ULt | BinOp::ULe, _) => return None,
                    _ => (&sums.signed[a], &sums.signed[b]),
                };
                let tie = match op {
                    BinOp::ULt => BinOp::SLt,
                    BinOp::ULe => BinOp::SLe,
                    op => op,
                };
                let difference = left.plus(&right.clone().times(-1)?)?;
                let terms = |sum: &AffineSum| sum.terms.len();
                let told = terms(&difference) == 1 && terms(left).max(terms(right)) < 2;
                let cancels = terms(&difference) < terms(left) + terms(right);
                let reasons = self.reasons[a].and(self.reasons[b]);
                (!told).then_some((Tie::Compared(tie), difference.given(reasons), cancels))
            }
            _ => None,
        }
    }

    fn add_sum(&mut self, terms: LinearTerms) -> u32 {
        self.sums.push(terms);
        self.add_node(NetworkOp::Sum(self.sums.len() as u32 - 1), WIDE, [0; 3])
    }

    fn add_link(&mut self, link: SumLink, node: u32, sum: u32, reasons: Reasons) {
        self.links.push(link);
        let at = self.add_node(
            NetworkOp::Link(self.links.len() as u32 - 1),
            1,
            [node, sum, 0],
        );
        self.reasons[at as usize] = reasons;
    }

    fn add_node(&mut self, op: NetworkOp, width: Width, operands: [u32; 3]) -> u32 {
        self.nodes.push(NetworkNode {
            op,
            width,
            operands,
        });
        self.exprs.push(self.exprs[0]);
        self.domains.push(Domain::full(width));
        self.reasons.push(Reasons::NONE);
        self.nodes.len() as u32 - 1
    }

    /// Returns the domain of a sum of nodes.
    pub fn made_sum(&self, terms: &LinearTerms) -> Option<Domain> {
        let (mut min, mut max) = (0i128, 0i128);
        for (at, factor) in terms {
            let (low, high) = self.multiple(*at, *factor)?;
            (min, max) = (min.checked_add(low)?, max.checked_add(high)?);
        }
        Some(Domain::signed(WIDE, min, max))
    }

    pub fn multiple(&self, at: u32, factor: i128) -> Option<(i128, i128)> {
        let d = &self.domains[at as usize];
        let ends = (d.smin.checked_mul(factor)?, d.smax.checked_mul(factor)?);
        Some((ends.0.min(ends.1), ends.0.max(ends.1)))
    }

    /// Narrows one term of a sum by the sum's domain and the other terms.
    pub fn left_of_sum(&self, terms: &LinearTerms, which: usize, d: &Domain) -> Option<Domain> {
        let (mut min, mut max) = (d.smin, d.smax);
        for (i, (at, factor)) in terms.iter().enumerate() {
            if i != which {
                let (low, high) = self.multiple(*at, *factor)?;
                (min, max) = (min.checked_sub(high)?, max.checked_sub(low)?);
            }
        }
        let (at, factor) = terms[which];
        let width = self.nodes[at as usize].width;
        Some(divided(width, min, max, factor))
    }
}

impl SumLink {
    /// Narrows a node of `width` bits, and the sum to which it is linked, of `sum_width` bits, by
    /// each other.
    pub fn leave(&self, widths: (Width, Width), node: &Domain, sum: &Domain) -> (Domain, Domain) {
        let (width, sum_width) = widths;
        let (all, any) = (Domain::full(width), Domain::full(sum_width));
        let Some((min, max)) = self.value(sum) else {
            return (all, any);
        };
        // The sums whose values are from `min` to `max`.
        let sums = |min: i128, max: i128| match (
            min.checked_sub(self.constant),
            max.checked_sub(self.constant),
        ) {
            _ if self.factor == 0 => any,
            (Some(min), Some(max)) => divided(sum_width, min, max, self.factor),
            _ => any,
        };
        match self.tie {
            Tie::Equal(Reading::Signed) => {
                let full = SignedRange::full(width);
                if min > full.max || max < full.min {
                    return (nothing(width), any);
                }
                let left = Domain::signed(width, min.max(full.min), max.min(full.max));
                (left, sums(node.smin, node.smax))
            }
            Tie::Equal(Reading::Unsigned) => {
                let most = mask(width) as i128;
                if min > most || max < 0 {
                    return (nothing(width), any);
                }
                let left = Domain::unsigned(width, min.max(0) as u128, max.min(most) as u128);
                (left, sums(node.min as i128, node.max as i128))
            }
            Tie::Compared(op) => {
                let (holds, fails) = match op {
                    BinOp::SLt => (max < 0, min >= 0),
                    BinOp::SLe => (max <= 0, min > 0),
                    _ => (min == 0 && max == 0, min > 0 || max < 0),
                };
                let left = match (holds, fails) {
                    (true, _) => Domain::constant(1, 1),
                    (_, true) => Domain::constant(1, 0),
                    _ => all,
                };
                let range = match (op, node.value()) {
                    (_, None) => return (left, any),
                    (BinOp::SLt, Some(1)) => (min, max.min(-1)),
                    (BinOp::SLt, _) => (min.max(0), max),
                    (BinOp::SLe, Some(1)) => (min, max.min(0)),
                    (BinOp::SLe, _) => (min.max(1), max),
                    (_, Some(1)) => (min.max(0), max.min(0)),
                    // Zero can only be cut off at an end.
                    _ => (min + i128::from(min == 0), max - i128::from(max == 0)),
                };
                match range.0 <= range.1 {
                    true => (left, sums(range.0, range.1)),
                    false => (left, nothing(sum_width)),
                }
            }
        }
    }

    /// Returns bounds of `factor * sum + constant`.
    fn value(&self, sum: &Domain) -> Option<(i128, i128)> {
        if self.factor == 0 {
            return Some((self.constant, self.constant));
        }
        let ends = (
            sum.smin
                .checked_mul(self.factor)?
                .checked_add(self.constant)?,
            sum.smax
                .checked_mul(self.factor)?
                .checked_add(self.constant)?,
        );
        Some((ends.0.min(ends.1), ends.0.max(ends.1)))
    }
}
