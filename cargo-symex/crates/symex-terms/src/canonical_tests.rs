use super::*;
use crate::{BinOp, Origin, VarInfo};

const MANY: usize = 100_000;

fn var(pool: &mut Pool, input: u32, width: Width) -> Expr {
    pool.var(VarInfo {
        name: "x".into(),
        width,
        origin: Origin::Input { input, part: 0 },
    })
}

fn key(pool: &mut Pool, terms: &[Expr]) -> [u8; 32] {
    pool.canonical(terms, &|_| None, MANY).unwrap().key
}

#[test]
fn renamed_sets_have_one_key_in_any_order() {
    let p = &mut Pool::new();
    let [x, y, z] = [0, 1, 2].map(|input| var(p, input, 32));
    let ten = p.constant(32, 10);
    let of = |p: &mut Pool, a: Expr, b: Expr| {
        let product = p.bin(BinOp::Mul, a, b);
        [p.ult(a, ten), p.ult(product, b)]
    };
    let first = of(p, x, y);
    let canonical = p.canonical(&first, &|_| None, MANY).unwrap();
    let mut vars = canonical.vars.clone();
    vars.sort_unstable();
    assert_eq!(vars, [Var(0), Var(1)]);
    for (a, b) in [(z, y), (y, x), (z, x)] {
        let other = of(p, a, b);
        assert_eq!(key(p, &other), canonical.key);
        assert_eq!(key(p, &[other[1], other[0], other[1]]), canonical.key);
        // The variables that stand for each other have the same place.
        let vars = p.canonical(&other, &|_| None, MANY).unwrap().vars;
        let place = |v: &[Var], e: Expr| v.iter().position(|v| p.kind(e) == Kind::Var(*v));
        assert_eq!(place(&canonical.vars, x), place(&vars, a));
        assert_eq!(place(&canonical.vars, y), place(&vars, b));
    }
    // One variable twice is not two.
    let same = of(p, x, x);
    assert_ne!(key(p, &same), canonical.key);
    let wide = [3, 4].map(|input| var(p, input, 64));
    let ten = p.constant(64, 10);
    let product = p.bin(BinOp::Mul, wide[0], wide[1]);
    let wide = [p.ult(wide[0], ten), p.ult(product, wide[1])];
    assert_ne!(key(p, &wide), canonical.key);
}

#[test]
fn a_symbol_met_twice_must_stay_the_same() {
    let p = &mut Pool::new();
    let [x, y, z] = [0, 1, 2].map(|input| var(p, input, 32));
    let chain = [p.ult(x, y), p.ult(y, z)];
    let fork = [p.ult(x, y), p.ult(x, z)];
    assert_ne!(key(p, &chain), key(p, &fork));
}

#[test]
fn bases_match_where_sizes_and_alignments_do() {
    let p = &mut Pool::new();
    let i = var(p, 0, 64);
    let of = |p: &mut Pool, objects: [u32; 2], align: u8, sizes: [u64; 2]| {
        let bases = objects.map(|object| p.base(ObjectId(object), align));
        let table = p.table(bases.into_iter().collect());
        let pointer = p.select(table, i);
        let goal = p.ult(pointer, bases[1]);
        let size = |o: ObjectId| (o.0 != 9).then(|| sizes[usize::from(o.0 == objects[1])]);
        p.canonical(&[goal], &size, MANY).map(|c| c.key)
    };
    let first = of(p, [1, 2], 4, [8, 16]);
    assert!(first.is_some());
    assert_eq!(of(p, [5, 3], 4, [8, 16]), first);
    assert_ne!(of(p, [1, 2], 4, [8, 8]), first);
    assert_ne!(of(p, [1, 2], 3, [8, 16]), first);
    assert_ne!(of(p, [1, 1], 4, [8, 16]), first);
    assert_eq!(of(p, [1, 9], 4, [8, 16]), None);
}

#[test]
fn tables_count_by_their_contents() {
    let p = &mut Pool::new();
    let i = var(p, 0, 64);
    let of = |p: &mut Pool, values: &[u128], named: bool| {
        let elems = values.iter().map(|v| p.constant(8, *v)).collect();
        let table = if named {
            let name = p.fresh_array_name();
            p.named_table(name, elems)
        } else {
            p.table(elems)
        };
        let (element, seven) = (p.select(table, i), p.constant(8, 7));
        let goal = p.ult(element, seven);
        key(p, &[goal])
    };
    let first = of(p, &[1, 2, 9, 250], false);
    assert_eq!(of(p, &[1, 2, 9, 250], true), first);
    assert_ne!(of(p, &[1, 2, 9, 251], false), first);
    assert_ne!(of(p, &[1, 2, 9, 250, 250], false), first);
}

/// Keys do not depend on the pool's history: another run looks up what this one stored.
#[test]
fn the_history_of_a_pool_does_not_matter() {
    let of = |noise: u32| {
        let p = &mut Pool::new();
        for input in 0..noise {
            let x = var(p, 100 + input, 32);
            let c = p.constant(32, u128::from(input) * 3);
            p.bin(BinOp::Mul, x, c);
        }
        let inputs = if noise > 0 { [1, 0] } else { [0, 1] };
        let [x, y] = inputs.map(|input| var(p, input, 32));
        let product = p.bin(BinOp::Mul, x, y);
        let table = p.table([x, product, y].into_iter().collect());
        let wide = p.zext(y, 64);
        let table = p.store(table, wide, product);
        let wide = p.zext(x, 64);
        let element = p.select(table, wide);
        let goal = p.ult(element, y);
        key(p, &[goal])
    };
    assert_eq!(of(0), of(7));
}

#[test]
fn large_sets_are_left_alone() {
    let p = &mut Pool::new();
    let mut e = var(p, 0, 32);
    for input in 1..50 {
        let x = var(p, input, 32);
        e = p.bin(BinOp::Mul, e, x);
    }
    let zero = p.constant(32, 0);
    let goal = p.eq(e, zero);
    assert_eq!(p.canonical(&[goal], &|_| None, 40), None);
    assert!(p.canonical(&[goal], &|_| None, 200).is_some());
}
