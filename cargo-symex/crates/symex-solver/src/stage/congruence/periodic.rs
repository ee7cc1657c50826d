//! Periodic sets of numbers: the remainders that a term may leave.

/// Greatest number of ranges of one set.
const MAX_RANGES: usize = 64;

/// A set of integers: a union of ranges, repeated with a period if it has one.
///
/// Invariant: the ranges are half-open, sorted and apart, and end at or below the period.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Periodic {
    period: Option<u128>,
    ranges: Vec<(u128, u128)>,
}

impl Periodic {
    /// Makes a set without period from half-open ranges. As for all constructors: `None` if it
    /// would have too many ranges, or too large a period.
    pub fn once(ranges: impl IntoIterator<Item = (u128, u128)>) -> Option<Periodic> {
        Periodic::new(None, ranges)
    }

    /// Makes the set of numbers whose remainder by `period` is in one of some half-open ranges.
    pub fn every(period: u128, ranges: impl IntoIterator<Item = (u128, u128)>) -> Option<Periodic> {
        Periodic::new(Some(period), ranges)
    }

    fn new(
        period: Option<u128>,
        ranges: impl IntoIterator<Item = (u128, u128)>,
    ) -> Option<Periodic> {
        let mut sorted: Vec<(u128, u128)> = Vec::new();
        for range in ranges {
            if range.0 < range.1 {
                sorted.push(range);
            }
            if sorted.len() > 2 * MAX_RANGES {
                return None;
            }
        }
        sorted.sort_unstable();
        let mut ranges: Vec<(u128, u128)> = Vec::with_capacity(sorted.len());
        for (lo, hi) in sorted {
            match ranges.last_mut() {
                Some(last) if lo <= last.1 => last.1 = last.1.max(hi),
                _ => ranges.push((lo, hi)),
            }
        }
        debug_assert!(period.is_none_or(|p| ranges.iter().all(|r| r.1 <= p)));
        (ranges.len() <= MAX_RANGES).then_some(Periodic { period, ranges })
    }

    /// Returns the period of the set, if it has one.
    pub fn period(&self) -> Option<u128> {
        self.period
    }

    /// Returns the number of a set with one element.
    pub fn only(&self) -> Option<u128> {
        match (self.period, self.ranges.as_slice()) {
            (None, [(lo, hi)]) if hi - lo == 1 => Some(*lo),
            _ => None,
        }
    }

    /// Returns one more than the greatest number, if there is one.
    pub fn end(&self) -> Option<u128> {
        match self.period {
            None => Some(self.ranges.last().map_or(0, |r| r.1)),
            Some(_) => None,
        }
    }

    /// Restricts the set to numbers below `end`. A period that shows only above it is dropped.
    pub fn below(&self, end: u128) -> Option<Periodic> {
        match self.period {
            Some(p) if p < end => Some(self.clone()),
            _ => Periodic::once(self.ranges.iter().map(|r| (r.0.min(end), r.1.min(end)))),
        }
    }

    /// Returns the numbers below `end` that are not in the set.
    pub fn complement(&self, end: u128) -> Option<Periodic> {
        let end = self.period.unwrap_or(end);
        let mut gaps = Vec::with_capacity(self.ranges.len() + 1);
        let mut at = 0;
        for (lo, hi) in &self.ranges {
            gaps.push((at, *lo));
            at = *hi;
        }
        gaps.push((at, end));
        Periodic::new(self.period, gaps)
    }

    /// Returns the numbers whose remainder by `modulus` is in the set.
    pub fn of_remainder(&self, modulus: u128) -> Option<Periodic> {
        let below = self.below(modulus)?;
        match below.period {
            Some(p) if modulus.is_multiple_of(p) => Some(below),
            Some(_) => Periodic::every(modulus, below.unrolled(modulus)?),
            None => Periodic::every(modulus, below.ranges),
        }
    }

    /// Returns the ranges below `end`, with all repetitions.
    fn unrolled(&self, end: u128) -> Option<Vec<(u128, u128)>> {
        let Some(p) = self.period else {
            return Some(self.below(end)?.ranges);
        };
        if end / p > MAX_RANGES as u128 {
            return None;
        }
        let starts = (0..).map(|k| k * p).take_while(|start| *start < end);
        let ranges = starts.flat_map(|s| self.ranges.iter().map(move |r| (s + r.0, s + r.1)));
        Some(ranges.map(|r| (r.0.min(end), r.1.min(end))).collect())
    }

    /// Returns the numbers whose quotient by `divisor`, rounded down, is in the set.
    pub fn of_quotient(&self, divisor: u128) -> Option<Periodic> {
        let times = |v: u128| v.checked_mul(divisor);
        let period = match self.period {
            Some(p) => Some(times(p)?),
            None => None,
        };
        let ranges = self.ranges.iter().map(|r| Some((times(r.0)?, times(r.1)?)));
        Periodic::new(period, ranges.collect::<Option<Vec<_>>>()?)
    }

    /// Returns the numbers whose product with `factor` is in the set.
    pub fn of_product(&self, factor: u128) -> Option<Periodic> {
        let ranges = |ranges: &[(u128, u128)]| {
            let part = |v: u128| v.div_ceil(factor);
            let ranges = ranges.iter().map(|r| (part(r.0), part(r.1)));
            ranges.collect::<Vec<_>>()
        };
        match self.period {
            None => Periodic::once(ranges(&self.ranges)),
            Some(p) if p.is_multiple_of(factor) => {
                Periodic::every(p / factor, ranges(&self.ranges))
            }
            // Every product leaves the remainder 0.
            Some(p) if factor.is_multiple_of(p) => {
                let all = self.ranges.first().is_some_and(|r| r.0 == 0);
                Periodic::every(1, [(0, u128::from(all))])
            }
            Some(p) => match self.numbers() {
                Some(numbers) => Periodic::of_multiples(p, factor, numbers),
                // An inverse image of what is not in the set has all the others.
                None => {
                    let others = self.complement(p)?.numbers()?;
                    Periodic::of_multiples(p, factor, others)?.complement(p)
                }
            },
        }
    }

    /// Returns the numbers whose product with `factor` leaves one of some remainders by `period`.
    fn of_multiples(
        period: u128,
        factor: u128,
        remainders: impl Iterator<Item = u128>,
    ) -> Option<Periodic> {
        let (g, inverse) = gcd_and_inverse(factor, period)?;
        let period = period / g;
        let mut found = Vec::new();
        for r in remainders.filter(|r| r.is_multiple_of(g)) {
            let n = times_modulo(r / g % period, inverse, period)?;
            found.push((n, n + 1));
        }
        Periodic::every(period, found)
    }

    /// Iterates over the numbers of one period, if they are few.
    fn numbers(&self) -> Option<impl Iterator<Item = u128> + use<>> {
        let count = self.ranges.iter().map(|r| r.1 - r.0).sum::<u128>();
        let few = count <= MAX_RANGES as u128;
        few.then(|| self.ranges.clone().into_iter().flat_map(|r| r.0..r.1))
    }

    /// Returns the numbers whose sum with `addend` is in the set.
    pub fn of_sum(&self, addend: u128) -> Option<Periodic> {
        match self.period {
            None => {
                let less = |v: u128| v.saturating_sub(addend);
                Periodic::once(self.ranges.iter().map(|r| (less(r.0), less(r.1))))
            }
            Some(p) => self.turned(p - addend % p),
        }
    }

    /// Returns the numbers `n` from `subtrahend` on for which `n - subtrahend` is in the set.
    pub fn of_difference(&self, subtrahend: u128) -> Option<Periodic> {
        match self.period {
            None => {
                let more = |v: u128| v.checked_add(subtrahend);
                let ranges = self.ranges.iter().map(|r| Some((more(r.0)?, more(r.1)?)));
                Periodic::once(ranges.collect::<Option<Vec<_>>>()?)
            }
            Some(p) => self.turned(subtrahend % p),
        }
    }

    /// Returns the numbers `n` up to `minuend` for which `minuend - n` is in the set.
    pub fn of_reflection(&self, minuend: u128) -> Option<Periodic> {
        let end = minuend.checked_add(1)?;
        match self.period {
            None => {
                let mirrored = |v: u128| end.saturating_sub(v);
                Periodic::once(self.ranges.iter().map(|r| (mirrored(r.1), mirrored(r.0))))
            }
            Some(p) => {
                let mirrored = self.ranges.iter().map(|r| (p - r.1, p - r.0));
                // A number `v` is at `p - 1 - v` now; it shall be at `minuend - v`.
                Periodic::every(p, mirrored)?.turned(end % p)
            }
        }
    }

    /// Adds `by` to all numbers of a set with a period.
    fn turned(&self, by: u128) -> Option<Periodic> {
        let p = self.period?;
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        for (lo, hi) in &self.ranges {
            let (lo, hi) = (lo.checked_add(by % p)?, hi.checked_add(by % p)?);
            match (lo >= p, hi > p) {
                (true, _) => ranges.push((lo - p, hi - p)),
                (false, true) => ranges.extend([(lo, p), (0, hi - p)]),
                (false, false) => ranges.push((lo, hi)),
            }
        }
        Periodic::every(p, ranges)
    }

    /// Reports whether a number is in the set, and returns the next number for which the opposite
    /// is true, if there is one.
    pub fn at(&self, number: u128) -> (bool, Option<u128>) {
        let (start, place) = match self.period {
            Some(p) => (number - number % p, number % p),
            None => (0, number),
        };
        let next = self.ranges.partition_point(|r| r.1 <= place);
        // The first range again, after a period.
        let again = self.period.zip(self.ranges.first());
        let again = again.and_then(|(p, r)| Some((p.checked_add(r.0)?, p.checked_add(r.1)?)));
        let (inside, edge) = match self.ranges.get(next) {
            Some((lo, _)) if *lo > place => (false, Some(*lo)),
            Some((lo, hi)) if Some(*hi) == self.period => match again {
                // Full: no edge.
                Some(_) if *lo == 0 => (true, None),
                Some((lo, hi_again)) if lo == *hi => (true, Some(hi_again)),
                _ => (true, Some(*hi)),
            },
            Some((_, hi)) => (true, Some(*hi)),
            None => (false, again.map(|r| r.0)),
        };
        (inside, edge.and_then(|e| start.checked_add(e)))
    }

    /// Returns the numbers below `end` in both sets, if these are at most `most` ranges [Chinese
    /// remainder theorem].
    ///
    /// Two ranges of periods p and q meet where their starts differ by less than they are long; the
    /// differences that there are leave one remainder by gcd(p, q), and each recurs with lcm(p, q).
    pub fn intersection(&self, other: &Periodic, end: u128, most: usize) -> Option<Periodic> {
        let (p, q) = (self.period?, other.period?);
        let (g, inverse) = gcd_and_inverse(p, q)?;
        let both = p.checked_mul(q / g)?;
        let mut ranges = Vec::new();
        for (a, a_end) in &self.ranges {
            for (b, b_end) in &other.ranges {
                // Numbers are a + p k + u = b + q l + v. Where l's range starts `t` after k's, p k
                // = b - a - t mod q. Least and greatest such `t` with an overlap: -(b_end - b - 1)
                // and a_end - a - 1.
                let (a_len, b_len) = (a_end - a, b_end - b);
                let least = i128::try_from(b_len).ok()?.checked_neg()? + 1;
                let greatest = i128::try_from(a_len).ok()? - 1;
                let (a_, b_) = (i128::try_from(*a).ok()?, i128::try_from(*b).ok()?);
                let step = i128::try_from(g).ok()?;
                let first = least.checked_add((b_ - a_ - least).rem_euclid(step))?;
                let count = match first > greatest {
                    true => 0,
                    false => (greatest - first) / step + 1,
                };
                if ranges.len() as i128 + count > most as i128 {
                    return None;
                }
                for t in (0..count).map(|i| first + i * step) {
                    let ahead = (b_ - a_ - t) / step;
                    let ahead = ahead.rem_euclid((q / g) as i128) as u128;
                    let k = times_modulo(ahead, inverse, q / g)?;
                    let start = p.checked_mul(k)?.checked_add(*a)?;
                    let lo = start.checked_add_signed(t.max(0))?;
                    let hi = start.checked_add(a_len.min(b_len.checked_add_signed(t)?))?;
                    ranges.push((lo, hi));
                }
            }
        }
        match both < end {
            true => Periodic::every(both, ranges),
            false => Periodic::once(ranges)?.below(end),
        }
    }
}

/// Returns the greatest common divisor `g` of two numbers, and the inverse of `p / g` modulo `q /
/// g`.
fn gcd_and_inverse(p: u128, q: u128) -> Option<(u128, u128)> {
    let (mut r, mut next_r) = (i128::try_from(p).ok()?, i128::try_from(q).ok()?);
    let (mut s, mut next_s) = (1i128, 0i128);
    while next_r != 0 {
        let quotient = r / next_r;
        (r, next_r) = (next_r, r - quotient * next_r);
        (s, next_s) = (next_s, s - quotient * next_s);
    }
    let g = r as u128;
    Some((g, s.rem_euclid((q / g) as i128) as u128))
}

/// Multiplies two numbers below `modulus`, modulo it.
fn times_modulo(a: u128, b: u128, modulus: u128) -> Option<u128> {
    if let Some(product) = a.checked_mul(b) {
        return Some(product % modulus);
    }
    if modulus > 1 << 126 {
        return None;
    }
    let (mut sum, mut a, mut b) = (0, a, b);
    while b > 0 {
        if b & 1 == 1 {
            sum = (sum + a) % modulus;
        }
        a = a * 2 % modulus;
        b >>= 1;
    }
    Some(sum)
}

/// Returns the least common multiple, if it fits.
pub fn lcm(p: u128, q: u128) -> Option<u128> {
    let (mut a, mut b) = (p, q);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    p.checked_mul(q / a)
}
