//! Linear sums that wrap around: what a node is modulo a power of two, and which sum of integers it
//! is therefore.
//!
//! The simplifier multiplies sums out: of `(c - '0') * 100000000`, it leaves `c * 100000000` less a
//! constant. Either may be greater than the width holds, and their difference not.

use super::affine::{AffineSum, LinearTerms, MAX_TERMS, MAX_WIDTH, Reading, Sums};
use super::network::{Network, NetworkOp};
use super::reasons::Reasons;
use symex_terms::eval::sign_extend;
use symex_terms::{BinOp, UnOp, Width, mask};

/// Greatest number of earlier sums that are tried as parts of one.
const MOST_PARTS: usize = 8;

/// A linear combination of nodes plus a constant, modulo a power of two.
#[derive(Clone)]
pub(super) struct ModularSum {
    /// Multiples of nodes, in the order of the nodes.
    terms: Vec<(u32, u128)>,
    constant: u128,
    /// Reasons for which the operands are the sums that they were taken for.
    reasons: Reasons,
}

/// Sums of nodes: those of this pass over the nodes, and those of the pass before.
pub(super) struct KnownSums<'a> {
    pub sums: &'a Sums,
    pub before: Option<&'a Sums>,
}

impl KnownSums<'_> {
    /// Returns the sums in which a node is.
    fn of(&self, at: u32) -> Option<&Sums> {
        match (at as usize) < self.sums.signed.len() {
            true => Some(self.sums),
            false => self.before,
        }
    }

    /// Returns the nodes that are sums of several terms and are compared, the latest first.
    fn several(&self) -> impl Iterator<Item = u32> {
        let before = self.before.map_or(&[][..], |before| &before.several);
        let later = before
            .iter()
            .filter(|at| **at as usize >= self.sums.signed.len());
        later.rev().chain(self.sums.several.iter().rev()).copied()
    }
}

/// Sum of integers with bounds of its value.
struct Bounded {
    sum: AffineSum,
    least: i128,
    greatest: i128,
}

impl ModularSum {
    /// Reads a node that adds, subtracts or multiplies by a constant.
    pub fn of(network: &Network, sums: &Sums, at: u32) -> Option<ModularSum> {
        let node = &network.nodes[at as usize];
        let width = node.width;
        if width > MAX_WIDTH {
            return None;
        }
        let [a, b, _] = node.operands.map(|o| o as usize);
        let operand = |at| ModularSum::of_operand(sums, at, width);
        let (x, y) = (&network.domains[a], &network.domains[b]);
        let (reasons, more) = (network.reasons[a], network.reasons[b]);
        let alone = |constant, reasons| ModularSum {
            terms: Vec::new(),
            constant,
            reasons,
        };
        let sum = match node.op {
            NetworkOp::Bin(BinOp::Add) => operand(a).plus(&operand(b), 1, width),
            NetworkOp::Bin(BinOp::Sub) => operand(a).plus(&operand(b), mask(width), width),
            NetworkOp::Bin(BinOp::Mul) => match (x.value(), y.value()) {
                (_, Some(k)) => alone(0, more).plus(&operand(a), k, width),
                (Some(k), _) => alone(0, reasons).plus(&operand(b), k, width),
                _ => return None,
            },
            NetworkOp::Bin(BinOp::Shl) => {
                let by = y.value().filter(|by| *by < u128::from(width))?;
                alone(0, more).plus(&operand(a), 1 << by, width)
            }
            NetworkOp::Un(UnOp::Not) => {
                let all = alone(mask(width), Reasons::NONE);
                all.plus(&operand(a), mask(width), width)
            }
            _ => return None,
        };
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    /// Returns an operand of a node of `width` bits.
    fn of_operand(sums: &Sums, at: usize, width: Width) -> ModularSum {
        if let Some(known) = &sums.modular[at] {
            return known.clone();
        }
        ModularSum::of_sum(&sums.signed[at], width)
    }

    fn of_sum(sum: &AffineSum, width: Width) -> ModularSum {
        let terms = sum.terms.iter();
        let terms = terms.map(|(at, factor)| (*at, *factor as u128 & mask(width)));
        ModularSum {
            terms: terms.filter(|term| term.1 != 0).collect(),
            constant: sum.constant as u128 & mask(width),
            reasons: sum.reasons,
        }
    }

    /// Adds a multiple of another sum.
    fn plus(&self, other: &ModularSum, factor: u128, width: Width) -> ModularSum {
        let modulo = |value: u128| value & mask(width);
        // Both are below 2^64.
        let times = |value: u128| modulo(value.wrapping_mul(factor));
        let mut terms = self.terms.clone();
        for (at, value) in &other.terms {
            match terms.binary_search_by_key(at, |term| term.0) {
                Ok(found) => terms[found].1 = modulo(terms[found].1 + times(*value)),
                Err(found) => terms.insert(found, (*at, times(*value))),
            }
        }
        terms.retain(|term| term.1 != 0);
        ModularSum {
            terms,
            constant: modulo(self.constant + times(other.constant)),
            reasons: self.reasons.and(other.reasons),
        }
    }

    /// Returns the sum of integers that the node of this sum is, if its values lie in one period.
    pub fn read(
        &self,
        network: &Network,
        known: &KnownSums<'_>,
        at: u32,
    ) -> Option<(Reading, AffineSum)> {
        let width = network.nodes[at as usize].width;
        let whole = self.bounded(network, width);
        if let Some(read) = whole.and_then(|whole| whole.in_one_period(width)) {
            return Some(read);
        }
        let parts = known
            .several()
            .filter(|part| network.nodes[*part as usize].width == width);
        let mut parts = parts.take(MOST_PARTS);
        if let Some(read) = parts.find_map(|part| {
            let sums = known.of(part)?;
            self.around(network, sums, part)?.in_one_period(width)
        }) {
            return Some(read);
        }
        let compared = network.parents(at).iter();
        let sum = compared
            .filter_map(|by| self.without_carry(network, known, at, *by))
            .next()?;
        Some((Reading::Unsigned, sum))
    }

    /// Returns the sum, if the node `by` says that an addition does not carry: that its result is
    /// not less than a part of it.
    fn without_carry(
        &self,
        network: &Network,
        known: &KnownSums<'_>,
        at: u32,
        by: u32,
    ) -> Option<AffineSum> {
        let node = &network.nodes[by as usize];
        let [a, b, _] = node.operands;
        let part = match (node.op, network.domains[by as usize].value()?) {
            (NetworkOp::Bin(BinOp::ULt), 0) if a == at => b,
            (NetworkOp::Bin(BinOp::ULe), 1) if b == at => a,
            _ => return None,
        };
        let width = network.nodes[at as usize].width;
        let sums = known.of(part)?;
        let sum = sums.unsigned(network, part as usize)?;
        let added = self.added_to(network, sums, part as usize, width)?;
        let reasons = network.reasons[by as usize].and(network.reasons[part as usize]);
        sum.plus(&added).map(|sum| sum.given(reasons))
    }

    /// Returns the number between zero and the period that is added to another node, as a sum.
    fn added_to(
        &self,
        network: &Network,
        sums: &Sums,
        part: usize,
        width: Width,
    ) -> Option<AffineSum> {
        let part = ModularSum::of_operand(sums, part, width);
        let added = self.plus(&part, mask(width), width);
        added.bounded(network, width)?.shifted(0, width)
    }

    /// Returns the sum with factors of either sign, and its bounds.
    fn bounded(&self, network: &Network, width: Width) -> Option<Bounded> {
        let signed = |value: u128| sign_extend(value, width);
        let constant = signed(self.constant);
        let (mut least, mut greatest) = (constant, constant);
        let mut reasons = self.reasons;
        let mut terms = LinearTerms::with_capacity(self.terms.len());
        for (at, factor) in &self.terms {
            let factor = signed(*factor);
            let (low, high) = network.multiple(*at, factor)?;
            (least, greatest) = (least.checked_add(low)?, greatest.checked_add(high)?);
            reasons = reasons.and(network.reasons[*at as usize]);
            terms.push((*at, factor));
        }
        let sum = AffineSum {
            terms,
            constant,
            reasons,
        };
        Some(Bounded {
            sum,
            least,
            greatest,
        })
    }

    /// Returns the sum as a multiple of the sum that another node is, and of what is left. Of that
    /// node, more may be known than of its terms.
    fn around(&self, network: &Network, sums: &Sums, part: u32) -> Option<Bounded> {
        let width = network.nodes[part as usize].width;
        let domain = &network.domains[part as usize];
        let (inner, least, greatest) = match &sums.unsigned[part as usize] {
            Some(sum) => (sum, domain.min as i128, domain.max as i128),
            None => (&sums.signed[part as usize], domain.smin, domain.smax),
        };
        let (at, one) = inner.terms.iter().find(|term| term.1.unsigned_abs() == 1)?;
        let own = self.terms.iter().find(|term| term.0 == *at)?;
        let factor = sign_extend(own.1, width).checked_mul(*one)?;
        let times = factor.wrapping_neg() as u128 & mask(width);
        let rest = self.plus(&ModularSum::of_sum(inner, width), times, width);
        // All of its terms go.
        if rest.terms.len() + inner.terms.len() != self.terms.len() {
            return None;
        }
        let rest = rest.bounded(network, width)?;
        let ends = (least.checked_mul(factor)?, greatest.checked_mul(factor)?);
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let mut terms = rest.sum.terms;
        for (at, inner) in &inner.terms {
            terms.push((*at, inner.checked_mul(factor)?));
        }
        terms.sort_unstable_by_key(|term| term.0);
        let constant = inner.constant.checked_mul(factor)?;
        let reasons = rest.sum.reasons;
        Some(Bounded {
            sum: AffineSum {
                terms,
                constant: rest.sum.constant.checked_add(constant)?,
                reasons: reasons.and(network.reasons[part as usize]),
            },
            least: rest.least.checked_add(low)?,
            greatest: rest.greatest.checked_add(high)?,
        })
    }
}

/// Returns what is left to the period in a node that adds a number to another node, as a sum: it is
/// less than zero where the addition carries, that is where the result is less than the part.
pub(super) fn left_to_carry(
    network: &Network,
    sums: &Sums,
    whole: usize,
    part: usize,
) -> Option<AffineSum> {
    let width = network.nodes[whole].width;
    // One that does not carry is a sum of its own.
    if sums.unsigned(network, whole).is_some() || sums.modular[whole].is_none() {
        return None;
    }
    let known = sums.unsigned(network, part)?;
    let all = ModularSum::of_operand(sums, whole, width);
    let added = all.added_to(network, sums, part, width)?;
    let most = AffineSum::constant((1i128 << width) - 1);
    let left = known.plus(&added)?.times(-1)?.plus(&most)?;
    Some(left.given(network.reasons[part]))
}

impl Bounded {
    /// Returns the sum less a multiple of the period, such that all its values are numbers of the
    /// width.
    fn in_one_period(&self, width: Width) -> Option<(Reading, AffineSum)> {
        if let Some(sum) = self.shifted(-(1i128 << (width - 1)), width) {
            return Some((Reading::Signed, sum));
        }
        Some((Reading::Unsigned, self.shifted(0, width)?))
    }

    /// Returns the sum less a multiple of the period, such that all its values are in the period
    /// that begins with `first`.
    fn shifted(&self, first: i128, width: Width) -> Option<AffineSum> {
        let period = 1i128 << width;
        let periods = self.least.checked_sub(first)?.div_euclid(period);
        let shift = periods.checked_mul(period)?;
        if self.greatest - shift >= first + period {
            return None;
        }
        let constant = self.sum.constant.checked_sub(shift)?;
        AffineSum {
            constant,
            ..self.sum.clone()
        }
        .checked()
    }
}

#[cfg(test)]
#[path = "modular_tests.rs"]
mod tests;
