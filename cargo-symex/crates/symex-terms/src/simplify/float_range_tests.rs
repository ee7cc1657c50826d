use super::*;
use crate::{Assignment, NoAddresses, Origin, VarInfo};
use symex_types::splitmix::Random;

const WIDTHS: [Width; 4] = [16, 32, 64, 128];
const COMPARISONS: [BinOp; 3] = [BinOp::FEq, BinOp::FLt, BinOp::FLe];

/// A term, and the values that it has for each value of its variable.
#[derive(Clone)]
struct Twin(Expr, Vec<u128>);

struct Bench {
    pool: Pool,
    width: Width,
    variable: Expr,
    samples: Vec<u128>,
}

impl Bench {
    fn new(random: &mut Random, width: Width) -> Bench {
        let mut pool = Pool::new();
        let variable = pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input: 0, part: 0 },
        });
        let sign = 1u128 << (width - 1);
        let most = infinity(width).expect("a format") as u128;
        let mut samples = vec![0, 1, most - 1, most, most + 1, sign - 1];
        for exponent in [
            0, 1, 7, 8, 10, 11, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 112, 113, 127,
        ] {
            let bits = number::fcast(FCast::FromUnsigned, 128, width, 1 << exponent);
            samples.extend([bits - 1, bits, bits + 1]);
            let more = number::fcast(FCast::FromUnsigned, 128, width, (1 << exponent) + 1);
            samples.extend([more - 1, more, more + 1]);
        }
        let two = number::fcast(FCast::FromUnsigned, 8, width, 2);
        for n in 0..20 {
            let bits = number::fcast(FCast::FromUnsigned, 8, width, n);
            samples.push(number::fdiv(width, bits, two));
        }
        for _ in 0..60 {
            samples.push(u128::from(random.bits()) << 64 | u128::from(random.bits()));
        }
        samples.iter_mut().for_each(|v| *v &= mask(width));
        let negative: Vec<u128> = samples.iter().map(|v| v ^ sign).collect();
        samples.extend(negative);
        Bench {
            pool,
            width,
            variable,
            samples,
        }
    }

    fn x(&self) -> Twin {
        Twin(self.variable, self.samples.clone())
    }

    fn constant(&mut self, bits: u128) -> Twin {
        let values = vec![bits; self.samples.len()];
        Twin(self.pool.constant(self.width, bits), values)
    }

    fn un(&mut self, op: UnOp, a: &Twin) -> Twin {
        let values = a.1.iter().map(|v| number::un(op, self.width, *v)).collect();
        let x = a.0;
        self.checked(move |p: &mut Pool| p.un(op, x), values, &format!("{op:?}"))
    }

    fn bin(&mut self, op: BinOp, a: &Twin, b: &Twin) -> Twin {
        let pairs = a.1.iter().zip(&b.1);
        let values = pairs
            .map(|(v, w)| number::bin(op, self.width, *v, *w))
            .collect();
        let (x, y) = (a.0, b.0);
        self.checked(
            move |p: &mut Pool| p.bin(op, x, y),
            values,
            &format!("{op:?}"),
        )
    }

    fn size(&mut self, a: &Twin) -> Twin {
        let (w, x) = (self.width, a.0);
        let values = a.1.iter().map(|v| v & mask(w - 1)).collect();
        let made = move |p: &mut Pool| {
            let low = p.extract(x, 0, w - 1);
            p.zext(low, w)
        };
        self.checked(made, values, "size")
    }

    fn negation(&mut self, a: &Twin) -> Twin {
        let sign = self.constant(1 << (self.width - 1));
        self.bin(BinOp::Xor, a, &sign)
    }

    /// Asserts that a term made has these values.
    fn checked(
        &mut self,
        made: impl FnOnce(&mut Pool) -> Expr,
        values: Vec<u128>,
        what: &str,
    ) -> Twin {
        let e = made(&mut self.pool);
        let Kind::Var(variable) = self.pool.kind(self.variable) else {
            panic!("a variable");
        };
        for (x, value) in self.samples.iter().zip(&values) {
            let mut assignment = Assignment::default();
            assignment.set(variable, *x);
            let got = self.pool.eval(e, &assignment, &NoAddresses);
            let term = self.pool.display(e).to_string();
            assert_eq!(
                got, *value,
                "{what}: {term} for {x:#x} of {} bits",
                self.width
            );
        }
        Twin(e, values)
    }

    fn compare_both_ways(&mut self, a: &Twin, b: &Twin) {
        for op in COMPARISONS {
            self.bin(op, a, b);
            self.bin(op, b, a);
        }
    }
}

#[test]
fn terms_made_by_rules_have_the_values_of_their_operators() {
    let mut random = Random::new(9);
    for width in WIDTHS {
        let bench = &mut Bench::new(&mut random, width);
        let x = bench.x();
        let size = bench.size(&x);
        let negation = bench.negation(&x);
        let integer = |n: u128| number::fcast(FCast::FromUnsigned, 8, width, n);
        let half = number::fdiv(width, integer(1), integer(2));
        let sign = 1u128 << (width - 1);
        let most = infinity(width).expect("a format") as u128;
        let ends = [
            0,
            1,
            half - 1,
            half,
            half + 1,
            integer(1) - 1,
            integer(1),
            integer(2),
            most,
        ];
        let ends: Vec<Twin> = ends
            .into_iter()
            .flat_map(|v| [v, v | sign])
            .map(|v| bench.constant(v))
            .collect();
        bench.compare_both_ways(&x, &size);
        bench.compare_both_ways(&negation, &size);
        for end in &ends {
            bench.compare_both_ways(&size, end);
        }
        for op in UnOp::ALL.iter().filter(|op| op.rounding().is_some()) {
            let rounded = bench.un(*op, &x);
            bench.compare_both_ways(&x, &rounded);
            for (a, b) in [(&x, &rounded), (&rounded, &x)] {
                let fraction = bench.bin(BinOp::FSub, a, b);
                bench.un(UnOp::FIsNan, &fraction);
                let size = bench.size(&fraction);
                let negation = bench.negation(&fraction);
                for end in &ends {
                    bench.compare_both_ways(&fraction, end);
                    bench.compare_both_ways(&size, end);
                    bench.compare_both_ways(&negation, end);
                }
            }
        }
    }
}

#[test]
fn integers_and_back_have_the_values_of_their_operators() {
    let mut random = Random::new(10);
    for width in WIDTHS {
        let bench = &mut Bench::new(&mut random, width);
        let x = bench.x();
        let whole = bench.un(UnOp::FRoundZero, &x);
        for w in [
            1, 2, 8, 10, 11, 12, 16, 17, 24, 25, 32, 53, 54, 64, 112, 113, 114, 127, 128,
        ] {
            for (to, back) in [
                (FCast::ToSigned, FCast::FromSigned),
                (FCast::ToUnsigned, FCast::FromUnsigned),
            ] {
                let values = x.1.iter().map(|v| {
                    let integer = number::fcast(to, width, w, *v);
                    number::fcast(back, w, width, integer)
                });
                let values = values.collect();
                let of = x.0;
                let made = move |p: &mut Pool| {
                    let integer = p.fcast(to, of, w);
                    p.fcast(back, integer, width)
                };
                let there_and_back = bench.checked(made, values, &format!("{w} bits"));
                bench.compare_both_ways(&there_and_back, &whole);
            }
        }
    }
}
