//! Tests of the solver on random constraint systems: the waves must have the same result as a naive
//! worklist without any merging.

use crate::graph::{Graph, ObjectContents, PointerNode};
use crate::object::{AbstractId, OUTSIDE};
use std::collections::BTreeSet;

/// Constraint for the two solvers. Nodes and objects are numbers.
#[derive(Clone, Copy, Debug)]
enum Constraint {
    Member(u32, u32),
    Copy(u32, u32),
    Load { to: u32, pointer: u32 },
    Store { pointer: u32, value: u32 },
    Call { callee: u32, arg: u32, result: u32 },
}

#[derive(Debug)]
struct System {
    nodes: u32,
    /// Contents of each object; the first is the outside.
    objects: Vec<ObjectContents>,
    /// Objects that are functions, with their parameter and result.
    functions: Vec<(u32, u32, u32)>,
    constraints: Vec<Constraint>,
    /// Nodes whose only source is another one: first and second.
    equal: Vec<(u32, u32)>,
}

/// Random generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(n)) as u32
    }
}

fn system(r: &mut Random) -> System {
    let size = 4 + r.below(40);
    let count = 1 + r.below(1 + size / 2);
    // First the contents, a node an object, then the others.
    let nodes = count + size;
    let objects: Vec<ObjectContents> = (0..count)
        .map(|o| match r.below(5) {
            0 if o != OUTSIDE.0 => ObjectContents::Nothing,
            1 if o != OUTSIDE.0 => ObjectContents::Constant(PointerNode(o)),
            _ => ObjectContents::Variable(PointerNode(o)),
        })
        .collect();
    let functions = (0..r.below(4).min(count - 1))
        .map(|i| (1 + i, r.below(nodes), r.below(nodes)))
        .collect();
    let constraints = (0..r.below(4 * size))
        .map(|_| {
            let (a, b, c) = (r.below(nodes), r.below(nodes), r.below(nodes));
            match r.below(12) {
                0..3 => Constraint::Member(a, r.below(count)),
                3..7 => Constraint::Copy(a, b),
                7..9 => Constraint::Load { to: a, pointer: b },
                9..11 => Constraint::Store {
                    pointer: a,
                    value: b,
                },
                _ => Constraint::Call {
                    callee: a,
                    arg: b,
                    result: c,
                },
            }
        })
        .collect();
    let equal = (0..r.below(5))
        .map(|i| (nodes + i, r.below(nodes + i)))
        .collect();
    System {
        nodes,
        objects,
        functions,
        constraints,
        equal,
    }
}

fn naive(s: &System) -> Vec<BTreeSet<u32>> {
    let mut sets = vec![BTreeSet::new(); s.nodes as usize + s.equal.len()];
    loop {
        let before: usize = sets.iter().map(BTreeSet::len).sum();
        let copy = |sets: &mut Vec<BTreeSet<u32>>, from: u32, to: u32| {
            let members = sets[from as usize].clone();
            sets[to as usize].extend(members);
        };
        for &(to, from) in &s.equal {
            copy(&mut sets, from, to);
        }
        for constraint in &s.constraints {
            match *constraint {
                Constraint::Member(n, o) => {
                    sets[n as usize].insert(o);
                }
                Constraint::Copy(from, to) => copy(&mut sets, from, to),
                Constraint::Load { to, pointer } => {
                    for o in sets[pointer as usize].clone() {
                        match s.objects[o as usize] {
                            _ if o == OUTSIDE.0 => {
                                sets[to as usize].insert(OUTSIDE.0);
                            }
                            ObjectContents::Nothing => {}
                            ObjectContents::Constant(c) | ObjectContents::Variable(c) => {
                                copy(&mut sets, c.0, to)
                            }
                        }
                    }
                }
                Constraint::Store { pointer, value } => {
                    for o in sets[pointer as usize].clone() {
                        if let ObjectContents::Variable(c) = s.objects[o as usize] {
                            copy(&mut sets, value, c.0);
                        }
                    }
                }
                Constraint::Call {
                    callee,
                    arg,
                    result,
                } => {
                    for (function, param, returned) in &s.functions {
                        if sets[callee as usize].contains(function) {
                            copy(&mut sets, arg, *param);
                            copy(&mut sets, *returned, result);
                        }
                    }
                }
            }
        }
        if sets.iter().map(BTreeSet::len).sum::<usize>() == before {
            return sets;
        }
    }
}

/// Solves by waves; the constraints come in two parts, the later one when the earlier is solved.
fn by_waves(s: &System) -> Vec<BTreeSet<u32>> {
    let mut graph = Graph::default();
    graph.new_nodes(s.nodes + s.equal.len() as u32);
    for contents in &s.objects {
        graph.add_object(*contents);
    }
    let mut sites = Vec::new();
    for part in s.constraints.chunks(1 + s.constraints.len() / 2) {
        for constraint in part {
            match *constraint {
                Constraint::Member(n, o) => graph.add_member(PointerNode(n), AbstractId(o)),
                Constraint::Copy(from, to) => graph.add_copy(PointerNode(from), PointerNode(to)),
                Constraint::Load { to, pointer } => {
                    let loaded = graph.loaded(PointerNode(pointer));
                    graph.add_copy(loaded, PointerNode(to));
                }
                Constraint::Store { pointer, value } => {
                    let stored = graph.stored(PointerNode(pointer));
                    graph.add_copy(PointerNode(value), stored);
                }
                Constraint::Call {
                    callee,
                    arg,
                    result,
                } => {
                    graph.add_call(PointerNode(callee), sites.len() as u32);
                    sites.push((arg, result));
                }
            }
        }
        let mut found = Vec::new();
        while !graph.is_settled() {
            graph.wave(&mut found);
            for (site, callee) in found.drain(..) {
                let (arg, result) = sites[site as usize];
                for &(function, param, returned) in &s.functions {
                    if function == callee.0 {
                        graph.add_copy(PointerNode(arg), PointerNode(param));
                        graph.add_copy(PointerNode(returned), PointerNode(result));
                    }
                }
            }
        }
        // At the first part's end that is late, at the second's it changes nothing.
        for &(to, from) in &s.equal {
            graph.unify(PointerNode(to), PointerNode(from));
        }
    }
    while !graph.is_settled() {
        graph.wave(&mut Vec::new());
    }
    let solved = graph.finish();
    (0..s.nodes + s.equal.len() as u32)
        .map(|n| solved.set(PointerNode(n)).iter().collect())
        .collect()
}

#[test]
fn waves_come_to_the_least_solution() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut members = 0;
    for case in 0..20_000 {
        let mut s = system(&mut random);
        if s.constraints.is_empty() {
            s.equal.clear();
        }
        let expected = naive(&s);
        members += expected.iter().map(BTreeSet::len).sum::<usize>();
        assert_eq!(by_waves(&s), expected, "case {case}: {s:#?}");
    }
    // The systems are not all trivial.
    assert!(members > 500_000, "{members}");
}
