use super::*;
use crate::Purpose;
use symex_terms::{AddressMap, Assignment, Origin, VarInfo, Width};

/// Three objects of 8, 16 and 24 bytes.
struct Objects;

impl AddressMap for Objects {
    fn address(&self, object: ObjectId) -> u64 {
        0x1000_0000_0000 + 0x100 * u64::from(object.0)
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        (object.0 < 3).then_some(8 * (u64::from(object.0) + 1))
    }
}

fn var(pool: &mut Pool, name: &str, width: Width) -> Expr {
    pool.var(VarInfo {
        name: name.into(),
        width,
        origin: Origin::Input { input: 0, part: 0 },
    })
}

fn agnostic(pool: &Pool, constraints: &[Expr], goal: Expr) -> bool {
    Proofs::default().is_address_agnostic(
        pool,
        &Query {
            constraints,
            goal,
            addresses: &Objects,
            hint: &Assignment::default(),
            purpose: Purpose::Branch,
        },
    )
}

#[test]
fn addresses_may_be_told_apart_where_they_are_in_their_objects() {
    let p = &mut Pool::new();
    let i = var(p, "i", 64);
    let bases = [0, 1, 2].map(|object| p.base(ObjectId(object), 3));
    let table = p.table(bases.into_iter().collect());
    let pointer = p.select(table, i);
    let goal = p.eq(pointer, bases[1]);
    assert!(agnostic(p, &[], goal));
    let null = p.constant(64, 0);
    let or_null = p.table([bases[0], null].into_iter().collect());
    let pointer = p.select(or_null, i);
    let goal = p.eq(pointer, null);
    assert!(agnostic(p, &[], goal));
    // How far it goes must be known.
    let moved = p.add(pointer, i);
    let goal = p.eq(moved, null);
    assert!(!agnostic(p, &[], goal));
    let (end, past) = (p.constant(64, 9), p.constant(64, 10));
    let bounded = p.ult(i, end);
    assert!(agnostic(p, &[bounded], goal));
    let too_far = p.ult(i, past);
    assert!(!agnostic(p, &[too_far], goal));
    // Nothing is known of an object that has no size.
    let unknown = p.base(ObjectId(7), 3);
    let other = p.table([bases[0], unknown].into_iter().collect());
    let pointer = p.select(other, i);
    let moved = p.add(pointer, i);
    let goal = p.eq(moved, null);
    assert!(!agnostic(p, &[bounded], goal));
}

#[test]
fn what_looks_at_the_placement_is_dependent() {
    let p = &mut Pool::new();
    let (i, j) = (var(p, "i", 64), var(p, "j", 64));
    let bases = [0, 1].map(|object| p.base(ObjectId(object), 3));
    let table = p.table(bases.into_iter().collect());
    let [x, y] = [i, j].map(|index| p.select(table, index));
    // Which of two comes first.
    let goal = p.ult(x, y);
    assert!(!agnostic(p, &[], goal));
    // How far they are apart.
    let distance = p.sub(x, y);
    let hundred = p.constant(64, 104);
    let goal = p.ult(distance, hundred);
    assert!(!agnostic(p, &[], goal));
    // Bits of an address, and what is made of them.
    let low = p.extract(x, 0, 8);
    let byte = p.constant(8, 16);
    let goal = p.eq(low, byte);
    assert!(!agnostic(p, &[], goal));
    let hash = p.bin(BinOp::Mul, x, j);
    let goal = p.eq(hash, hundred);
    assert!(!agnostic(p, &[], goal));
    // Whether an input is an address.
    let goal = p.eq(x, j);
    assert!(!agnostic(p, &[], goal));
    // An address as a condition's part decides for all.
    let agrees = p.eq(x, y);
    assert!(agnostic(p, &[], agrees));
    let both = p.and(agrees, goal);
    assert!(!agnostic(p, &[], both));
}

#[test]
fn order_and_distance_within_one_object_do_not_look() {
    let p = &mut Pool::new();
    let (i, j) = (var(p, "i", 8), var(p, "j", 8));
    let base = p.base(ObjectId(2), 3);
    let [x, y] = [i, j].map(|offset| {
        let offset = p.zext(offset, 64);
        p.add(base, offset)
    });
    let cond = var(p, "c", 1);
    let x = p.ite(cond, x, base);
    let goal = p.ult(x, y);
    assert!(!agnostic(p, &[], goal));
    let end = p.constant(8, 25);
    let bounds = [i, j].map(|offset| p.ult(offset, end));
    assert!(agnostic(p, &bounds, goal));
    // The difference is that of the offsets, wherever they lead.
    let distance = p.sub(x, y);
    let seven = p.constant(64, 7);
    let goal = p.eq(distance, seven);
    assert!(agnostic(p, &[], goal));
}

/// A remembered result holds only as far as it was proved: other queries ask about the same terms
/// with other bounds and objects of other sizes.
#[test]
fn what_was_shown_before_holds_as_far_as_it_went() {
    let p = &mut Pool::new();
    let i = var(p, "i", 8);
    let wide = p.zext(i, 64);
    let base = p.base(ObjectId(0), 3);
    let pointer = p.add(base, wide);
    let null = p.constant(64, 0);
    let goal = p.eq(pointer, null);
    let below: Vec<Expr> = [9, 10, 41]
        .map(|n| p.constant(8, n))
        .map(|n| p.ult(i, n))
        .into();
    let order = {
        let other = p.base(ObjectId(1), 3);
        p.ult(pointer, other)
    };
    let mut proofs = Proofs::default();
    let mut asked = 0;
    let mut ask = |constraints: &[Expr], goal: Expr, size: u64| {
        asked += 1;
        let placed = Placed {
            sizes: &[size, 8],
            addresses: vec![0x1000_0000_0000, 0x1000_0001_0000],
        };
        let query = Query {
            constraints,
            goal,
            addresses: &placed,
            hint: &Assignment::default(),
            purpose: Purpose::Branch,
        };
        let shown = proofs.is_address_agnostic(p, &query);
        assert_eq!(
            shown,
            Proofs::default().is_address_agnostic(p, &query),
            "query {asked}"
        );
        shown
    };
    // An object so large that no bound is needed; then smaller ones.
    for _ in 0..2 {
        assert!(ask(&[], goal, 300));
        assert!(!ask(&[], goal, 8));
        assert!(ask(&below[..1], goal, 8));
        assert!(!ask(&below[1..2], goal, 8));
        assert!(ask(&below[2..], goal, 40));
        assert!(!ask(&below[..1], order, 300));
    }
}

/// Placements of a run: objects in any order, apart from each other.
struct Placed<'a> {
    sizes: &'a [u64],
    addresses: Vec<u64>,
}

impl AddressMap for Placed<'_> {
    fn address(&self, object: ObjectId) -> u64 {
        self.addresses[object.0 as usize]
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        Some(self.sizes[object.0 as usize])
    }
}

/// Random terms over addresses that are reported as agnostic have one value under all placements.
#[test]
fn agnostic_queries_agree_under_all_placements() {
    let mut random = symex_types::splitmix::Random::new(11);
    let sizes = [8, 16, 24, 4];
    let (mut agnostic_ones, mut dependent) = (0, 0);
    for _ in 0..6000 {
        let p = &mut Pool::new();
        let mut below = |n: u64| random.below(n);
        let bytes = ["a", "b", "c"].map(|name| var(p, name, 8));
        let bases: Vec<Expr> = (0..4).map(|object| p.base(ObjectId(object), 2)).collect();
        let mut pointers: Vec<Expr> = bases.clone();
        pointers.push(p.constant(64, 0));
        let mut constraints = Vec::new();
        for byte in bytes {
            let limit = p.constant(8, u128::from(1 + below(30)));
            constraints.push(p.ult(byte, limit));
        }
        for _ in 0..4 {
            let x = pointers[below(pointers.len() as u64) as usize];
            let y = pointers[below(pointers.len() as u64) as usize];
            let byte = bytes[below(3) as usize];
            let wide = p.zext(byte, 64);
            let new = match below(6) {
                0 | 1 => p.add(x, wide),
                2 => p.sub(x, y),
                3 => {
                    let three = p.constant(8, 3);
                    let cond = p.ult(byte, three);
                    p.ite(cond, x, y)
                }
                4 => {
                    let table = p.table([x, y, x].into_iter().collect());
                    let three = p.constant(64, 3);
                    let index = p.bin(BinOp::URem, wide, three);
                    p.select(table, index)
                }
                _ => {
                    let minus = p.constant(64, u128::from(u64::MAX - below(9)));
                    p.add(x, minus)
                }
            };
            pointers.push(new);
        }
        let x = pointers[pointers.len() - 1];
        let y = pointers[below(pointers.len() as u64) as usize];
        let op = [BinOp::Eq, BinOp::ULt, BinOp::ULe, BinOp::SLt][below(4) as usize];
        let goal = p.bin(op, x, y);
        let placements: Vec<Placed> = (0..4)
            .map(|_| {
                let mut order: Vec<usize> = (0..4).collect();
                for i in (1..4).rev() {
                    order.swap(i, below(i as u64 + 1) as usize);
                }
                let mut next = 0x1000_0000_0000 + 16 * below(1 << 20);
                let mut addresses = vec![0; 4];
                for object in order {
                    addresses[object] = next;
                    next += sizes[object] + 4 + 4 * below(8);
                }
                Placed {
                    sizes: &sizes,
                    addresses,
                }
            })
            .collect();
        let query = Query {
            constraints: &constraints,
            goal,
            addresses: &placements[0],
            hint: &Assignment::default(),
            purpose: Purpose::Branch,
        };
        if !p.has_base(goal) {
            continue;
        }
        if !Proofs::default().is_address_agnostic(p, &query) {
            dependent += 1;
            continue;
        }
        agnostic_ones += 1;
        for _ in 0..12 {
            let mut assignment = Assignment::default();
            for byte in bytes {
                let Kind::Var(v) = p.kind(byte) else {
                    unreachable!()
                };
                assignment.set(v, u128::from(below(30)));
            }
            let mut holds = |placed: &Placed| {
                constraints
                    .iter()
                    .chain([&goal])
                    .all(|c| p.eval(*c, &assignment, placed) == 1)
            };
            let first = holds(&placements[0]);
            for other in &placements[1..] {
                assert_eq!(holds(other), first, "{}", p.display(goal));
            }
        }
    }
    assert!(
        agnostic_ones > 200 && dependent > 200,
        "{agnostic_ones} agnostic, {dependent} dependent"
    );
}
