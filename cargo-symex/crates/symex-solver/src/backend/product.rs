//! Products of two unknown integers, and divisions by one, in linear arithmetic.
//!
//! A product is a variable of which linear facts are stated: how it lies to the products of its
//! factors' bounds, to those with a factor in common and sums of two of them, and to those whose
//! factors are both more or both less. Where these leave a solution that is none, facts on that
//! point are added, and so on ("incremental linearization": Cimatti, Griggio,
//! Irfan, Roveri, Sebastiani, "Incremental Linearization for Satisfiability and Verification Modulo
//! Nonlinear Arithmetic and Transcendental Functions", ACM TOCL 19(3), 2018, section 4).
//!
//! Invariant: what is stated of a product and of a division holds of the true ones.

use super::number::{Number, Numbers, QuotientAndRemainder, beyond, modulus};
use super::raw::{Fallible, Int, Model, Term};
use symex_terms::Width;

/// Greatest number of products of a query: facts are stated of each pair.
const MAX_PRODUCTS: usize = 16;

/// Number of products with a factor in common from which on no three of them are compared.
const MAX_IN_COMMON: usize = 4;

/// Product of two numbers, none of which is constant.
#[derive(Clone, Copy)]
struct Product {
    factors: [Number; 2],
    value: Number,
}

/// Products and divisions that were made.
#[derive(Default)]
pub(super) struct Products {
    all: Vec<Product>,
    /// Divisions by dividend, divisor and kind.
    divisions: Vec<(Term, Term, Division, QuotientAndRemainder)>,
}

/// Kind of a division.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Division {
    /// Division of numbers that are not negative.
    Unsigned,
    /// Division of signed numbers, which rounds towards zero.
    Signed,
    /// Signed division in this many bits, where the least number divided by -1 is itself.
    Wrapping(Width),
}

impl Product {
    /// Returns the other factor, if one is this.
    fn beside(&self, factor: Number) -> Option<Number> {
        let [a, b] = self.factors;
        match factor.term {
            term if term == a.term => Some(b),
            term if term == b.term => Some(a),
            _ => None,
        }
    }
}

impl Products {
    /// Returns the product of two numbers, if it was made.
    pub fn find(&self, a: Number, b: Number) -> Option<Number> {
        let is_it = |one: &&Product| one.beside(a).is_some_and(|other| other.term == b.term);
        self.all.iter().find(is_it).map(|one| one.value)
    }
}

/// Makes a fact if its numbers are in the supported range: without it, less is known.
fn optional<T>(made: Fallible<T>) -> Fallible<Option<T>> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(failure) if failure.is_of_z3() => Err(failure),
        Err(_) => Ok(None),
    }
}

/// Returns the range of the product of two numbers.
fn range(a: Number, b: Number) -> Option<(Int, Int)> {
    let ends = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
    let products = ends.iter().map(|(x, y)| x.checked_mul(*y));
    let products = products.collect::<Option<Vec<Int>>>()?;
    Some((*products.iter().min()?, *products.iter().max()?))
}

impl Numbers {
    /// Makes the product of two numbers.
    pub fn multiply(&mut self, a: Number, b: Number) -> Fallible<Number> {
        if let Some(factor) = a.as_const() {
            return self.product(b, factor);
        }
        if let Some(factor) = b.as_const() {
            return self.product(a, factor);
        }
        if let Some(known) = self.products.find(a, b) {
            return Ok(known);
        }
        let range = range(a, b).ok_or_else(beyond)?;
        self.multiply_within(a, b, range)
    }

    /// Makes the product of two numbers that is known to be within a range.
    fn multiply_within(&mut self, a: Number, b: Number, range: (Int, Int)) -> Fallible<Number> {
        if self.products.all.len() >= MAX_PRODUCTS {
            return Err(beyond());
        }
        let value = self.variable(range.0, range.1)?;
        let product = Product {
            factors: [a, b],
            value,
        };
        for (common, other) in [(a, b), (b, a)] {
            let mut bounds = vec![other.lo, other.hi];
            let around_zero = [-Int::ONE, Int::ZERO, Int::ONE].into_iter();
            bounds.extend(around_zero.filter(|c| other.lo < *c && *c < other.hi));
            for c in bounds {
                let by = self.literal(c)?;
                if let Some(value) = optional(self.product(common, c))? {
                    self.compare_products(common, (other, product.value), (by, value))?;
                }
            }
        }
        self.between_bounds(&product)?;
        if a.term == b.term {
            let fact = self.more_than(value, -1)?;
            self.definitions.push(fact);
        }
        for i in 0..self.products.all.len() {
            let earlier = self.products.all[i];
            let common = [a, b].map(|factor| (factor, earlier.beside(factor)));
            match common {
                [(y, Some(r)), _] => {
                    self.compare_products(y, (b, value), (r, earlier.value))?;
                }
                [_, (y, Some(r))] => {
                    self.compare_products(y, (a, value), (r, earlier.value))?;
                }
                _ => self.compare_factors(&product, &earlier)?,
            }
        }
        for [common, other] in [[a, b], [b, a]] {
            self.compare_sums(common, (other, value))?;
        }
        self.products.all.push(product);
        Ok(value)
    }

    /// States how two products with a factor `y` in common lie to each other: `q * y` and `r * y`
    /// are at least `y` apart where `q` and `r` differ, and just that where these are neighbours.
    fn compare_products(
        &mut self,
        y: Number,
        (q, qy): (Number, Number),
        (r, ry): (Number, Number),
    ) -> Fallible<()> {
        let same = self.same(q, r)?;
        let equal = self.same(qy, ry)?;
        self.define_implied(&[same], equal)?;
        let one = self.literal(1)?;
        for ((q, qy), (r, ry)) in [((q, qy), (r, ry)), ((r, ry), (q, qy))] {
            let (Some(next), Some(above)) =
                (optional(self.sum(r, one))?, optional(self.sum(ry, y))?)
            else {
                continue;
            };
            let (is_next, is_more) = (self.same(q, next)?, self.less(r, q)?);
            let fact = self.same(qy, above)?;
            self.define_implied(&[is_next], fact)?;
            if y.hi > 0 {
                let (sign, fact) = (self.more_than(y, -1)?, self.at_most(above, qy)?);
                self.define_implied(&[is_more, sign], fact)?;
            }
            if y.lo < 0 {
                let (sign, fact) = (self.less_than(y, 1)?, self.at_most(qy, above)?);
                self.define_implied(&[is_more, sign], fact)?;
            }
        }
        Ok(())
    }

    /// States how two products of numbers that are not negative lie to each other: where each
    /// factor of one is at least one of the other, so is the product, and by a factor more where
    /// one of them is more.
    fn compare_factors(&mut self, one: &Product, other: &Product) -> Fallible<()> {
        if one.factors.iter().chain(&other.factors).any(|n| n.lo < 0) {
            return Ok(());
        }
        for (more, less) in [(one, other), (other, one)] {
            let [c, d] = less.factors;
            for [c, d] in [[c, d], [d, c]] {
                let [a, b] = more.factors;
                let at_least = [self.at_most(c, a)?, self.at_most(d, b)?];
                let fact = self.at_most(less.value, more.value)?;
                self.define_implied(&at_least, fact)?;
                for (is_more, by) in [(self.less(c, a)?, b), (self.less(d, b)?, a)] {
                    if let Some(above) = optional(self.sum(less.value, by))? {
                        let fact = self.at_most(above, more.value)?;
                        self.define_implied(&[at_least[0], at_least[1], is_more], fact)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// States how the sum of two products lies to a third, where all have a factor `y` in common.
    fn compare_sums(&mut self, y: Number, (q, qy): (Number, Number)) -> Fallible<()> {
        let all = self.products.all.iter();
        let others = all.filter_map(|one| Some((one.beside(y)?, one.value)));
        let others: Vec<(Number, Number)> = others.take(MAX_IN_COMMON).collect();
        if y.lo < 0 || others.len() == MAX_IN_COMMON {
            return Ok(());
        }
        for (i, r) in others.iter().enumerate() {
            for s in &others[i + 1..] {
                for [one, two, whole] in [[(q, qy), *r, *s], [(q, qy), *s, *r], [*r, *s, (q, qy)]] {
                    let (Some(sum), Some(product)) = (
                        optional(self.sum(one.0, two.0))?,
                        optional(self.sum(one.1, two.1))?,
                    ) else {
                        continue;
                    };
                    self.compare_products(y, (sum, product), whole)?;
                }
            }
        }
        Ok(())
    }

    /// States that a product lies between the planes through its values at the bounds of its
    /// factors.
    fn between_bounds(&mut self, product: &Product) -> Fallible<()> {
        let [a, b] = product.factors;
        for (x, y, is_least) in [
            (a.lo, b.lo, true),
            (a.hi, b.hi, true),
            (a.lo, b.hi, false),
            (a.hi, b.lo, false),
        ] {
            let Some(plane) = optional(self.plane(product, (x, y)))? else {
                continue;
            };
            let fact = match is_least {
                true => self.at_most(plane, product.value)?,
                false => self.at_most(product.value, plane)?,
            };
            self.definitions.push(fact);
        }
        Ok(())
    }

    /// Makes the plane that touches a product where its factors have these values.
    fn plane(&self, product: &Product, (x, y): (Int, Int)) -> Fallible<Number> {
        let [a, b] = product.factors;
        let (along_a, along_b) = (self.product(a, y)?, self.product(b, x)?);
        let sum = self.sum(along_a, along_b)?;
        let at = self.literal(x.checked_mul(y).ok_or_else(beyond)?)?;
        self.difference(sum, at)
    }

    /// Divides an unsigned number by another: quotient and remainder, which are something where the
    /// divisor is zero.
    pub fn divide_unsigned(&mut self, x: Number, y: Number) -> Fallible<QuotientAndRemainder> {
        let kind = Division::Unsigned;
        if let Some(known) = self.known_division(x, y, kind) {
            return Ok(known);
        }
        let (q, r) = (self.variable(0, x.hi)?, self.variable(0, x.hi)?);
        let is_zero = self.less_than(y, 1)?;
        let multiple = self.multiply_within(q, y, (Int::ZERO, x.hi))?;
        let sum = self.sum(multiple, r)?;
        let (whole, rest) = (self.same(x, sum)?, self.less(r, y)?);
        for fact in [whole, rest] {
            let fact = self.cx.or(is_zero, fact)?;
            self.definitions.push(fact);
        }
        self.products.divisions.push((x.term, y.term, kind, (q, r)));
        Ok((q, r))
    }

    /// Divides a signed number of some bits by another, rounding towards zero: quotient and
    /// remainder, which are something where the divisor is zero. The least number divided by -1 is
    /// itself.
    pub fn divide_signed(
        &mut self,
        x: Number,
        y: Number,
        width: Width,
    ) -> Fallible<QuotientAndRemainder> {
        let may_overflow = x.lo == -modulus(width - 1) && y.lo <= -1 && y.hi >= -1;
        let kind = match may_overflow {
            true => Division::Wrapping(width),
            false => Division::Signed,
        };
        if let Some(known) = self.known_division(x, y, kind) {
            return Ok(known);
        }
        let (most, half) = (x.lo.abs().max(x.hi.abs()), modulus(width - 1));
        let (q, r) = (self.variable(-most, most)?, self.variable(-most, most)?);
        let multiple = self.multiply_within(q, y, (-most, most))?;
        let sum = self.sum(multiple, r)?;
        let (positive, negative) = (self.more_than(y, 0)?, self.less_than(y, 0)?);
        let whole = self.same(x, sum)?;
        self.define_implied(&[positive], whole)?;
        if kind == Division::Signed {
            self.define_implied(&[negative], whole)?;
        } else {
            let (least, minus_one) = (self.literal(-half)?, self.literal(-1)?);
            let overflow = [self.same(x, least)?, self.same(y, minus_one)?];
            let overflow = self.cx.and(&overflow)?;
            let (fine, itself) = (self.cx.not(overflow)?, self.same(q, x)?);
            self.define_implied(&[overflow], itself)?;
            self.define_implied(&[negative, fine], whole)?;
            let fact = self.less_than(q, half)?;
            self.definitions.push(fact);
        }
        // The remainder is nearer to zero than the divisor.
        for (sign, size) in [(positive, y), (negative, self.product(y, -1)?)] {
            let other = self.product(r, -1)?;
            for side in [r, other] {
                let fact = self.less(side, size)?;
                self.define_implied(&[sign], fact)?;
            }
        }
        self.define_side(x, r)?;
        self.products.divisions.push((x.term, y.term, kind, (q, r)));
        Ok((q, r))
    }

    fn known_division(&self, x: Number, y: Number, kind: Division) -> Option<QuotientAndRemainder> {
        let mut divisions = self.products.divisions.iter();
        let found = divisions.find(|one| one.0 == x.term && one.1 == y.term && one.2 == kind);
        found.map(|one| one.3)
    }

    /// Reports whether there are products.
    pub fn has_products(&self) -> bool {
        !self.products.all.is_empty()
    }

    /// Returns for each product the fact that it is one, which is not linear.
    pub fn what_products_are(&self) -> Fallible<Vec<Term>> {
        let fact = |product: &Product| {
            let [a, b] = product.factors;
            let term = self.cx.int_product(a.term, b.term)?;
            self.cx.eq(product.value.term, term)
        };
        self.products.all.iter().map(fact).collect()
    }

    /// Reports whether all products have their true values in a model, and returns facts that
    /// exclude the values of others, as far as they can be stated.
    pub fn refine(&self, model: &Model) -> Fallible<(bool, Vec<Term>)> {
        let (mut are_right, mut facts) = (true, Vec::new());
        for product in &self.products.all {
            let [a, b] = product.factors;
            let at = (
                model.integer_at(a.term)?,
                model.integer_at(b.term)?,
                model.integer_at(product.value.term)?,
            );
            let (Some(x), Some(y), Some(value)) = at else {
                are_right = false;
                continue;
            };
            if x.checked_mul(y) == Some(value) {
                continue;
            }
            are_right = false;
            for fact in [
                self.along(product, 0, x),
                self.along(product, 1, y),
                self.touching(product, (x, y), true),
                self.touching(product, (x, y), false),
            ] {
                facts.extend(optional(fact)?);
            }
        }
        Ok((are_right, facts))
    }

    /// Makes the fact on a product where one of its factors has this value.
    fn along(&self, product: &Product, which: usize, at: Int) -> Fallible<Term> {
        let (factor, other) = (product.factors[which], product.factors[1 - which]);
        let line = self.product(other, at)?;
        let at = self.literal(at)?;
        let (there, fact) = (self.same(factor, at)?, self.same(product.value, line)?);
        self.implication(&[there], fact)
    }

    /// Makes the fact that a product lies above the plane that touches it at a point, where both
    /// factors are more or both less than there, or else below.
    fn touching(&self, product: &Product, at: (Int, Int), above: bool) -> Fallible<Term> {
        let plane = self.plane(product, at)?;
        let [a, b] = product.factors;
        let (less_a, more_a) = (self.less_than(a, at.0)?, self.more_than(a, at.0)?);
        let (less_b, more_b) = (self.less_than(b, at.1)?, self.more_than(b, at.1)?);
        let (fact, pairs) = match above {
            true => (
                self.less(plane, product.value)?,
                [[less_a, less_b], [more_a, more_b]],
            ),
            false => (
                self.less(product.value, plane)?,
                [[less_a, more_b], [more_a, less_b]],
            ),
        };
        let facts = pairs.map(|pair| self.implication(&pair, fact));
        let [one, other] = facts;
        self.cx.and(&[one?, other?])
    }
}
