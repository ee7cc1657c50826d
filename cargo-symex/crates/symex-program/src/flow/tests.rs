use super::*;
use crate::{
    Bin, CallSite, Callee, Cmp, Constant, Edge, FuncId, GlobalId, Init, Operand, Ordering, Param,
};

/// A function of blocks, each with its instructions and the blocks to which its edges lead. Edges
/// are numbered in order.
fn function(slots: u32, blocks: &[(&[Inst], &[u32])]) -> Function {
    let mut body = Body {
        slots,
        operands: vec![operand(0)],
        ..Body::default()
    };
    for (code, to) in blocks {
        body.blocks.push(body.code.len() as u32);
        body.code.extend_from_slice(code);
        body.edges.extend(to.iter().map(|block| Edge {
            target: 0,
            block: *block,
            moves: (0, 0),
        }));
    }
    for edge in &mut body.edges {
        edge.target = body.blocks[edge.block as usize];
    }
    Function {
        params: vec![Param::of_width(32)],
        returns: vec![32],
        body: Some(body),
        ..Function::default()
    }
}

fn flow(function: &Function) -> Flow {
    Flow::of(&[], function, function.body.as_ref().unwrap())
}

fn operand(slot: u32) -> Operand {
    Operand::slot(Slot(slot))
}

fn add(dst: u32, a: u32, b: u32) -> Inst {
    Inst::Bin {
        op: Bin::Add,
        w: 32,
        dst: Slot(dst),
        a: operand(a),
        b: operand(b),
    }
}

fn less(dst: u32, a: u32, b: u32) -> Inst {
    Inst::Cmp {
        op: Cmp::ULt,
        w: 32,
        dst: Slot(dst),
        a: operand(a),
        b: operand(b),
    }
}

fn branch(cond: u32, then: u32, other: u32) -> Inst {
    Inst::CondBr {
        cond: operand(cond),
        then,
        other,
    }
}

fn joins(flow: &Flow, branch: u32) -> Vec<u32> {
    flow.joins(branch).collect()
}

const RET: Inst = Inst::Ret { first: 0, count: 1 };

#[test]
fn sides_of_a_branch_meet_where_it_is_over() {
    // 0: branch to 1 or 2; both go to 3, which returns.
    let f = function(
        3,
        &[
            (&[less(1, 0, 0), branch(1, 0, 1)], &[1, 2]),
            (&[add(2, 0, 0), Inst::Br { edge: 2 }], &[3]),
            (&[add(2, 0, 1), Inst::Br { edge: 3 }], &[3]),
            (&[add(0, 0, 2), RET], &[]),
        ],
    );
    let flow = flow(&f);
    assert_eq!(joins(&flow, 1), [6]);
    assert_eq!(flow.live(6), [Slot(0), Slot(2)]);
    assert_eq!(flow.live(0), []);
    assert_eq!(
        [0, 1, 2].map(|slot| flow.width(Slot(slot))),
        [Some(32), Some(32), Some(32)]
    );
    assert_eq!(flow.returned(Slot(2)), 1);
    assert!(!flow.decides_loop(Slot(0)) && !flow.is_apart(Slot(0)));
}

#[test]
fn a_side_that_does_not_return_has_no_part_in_it() {
    let f = function(
        2,
        &[
            (&[less(1, 0, 0), branch(1, 0, 1)], &[1, 2]),
            (&[Inst::Unreachable], &[]),
            (&[RET], &[]),
        ],
    );
    assert!(joins(&flow(&f), 1).is_empty());
}

#[test]
fn ways_that_stay_in_a_loop_meet_at_its_head() {
    // 0 goes to 1, the head: on to 2 or out to 5. 2 branches to 3 or 4; 3 goes back, 4 branches to
    // the head or to the return.
    let f = function(
        4,
        &[
            (&[Inst::Br { edge: 0 }], &[1]),
            (&[less(1, 2, 0), branch(1, 1, 2)], &[2, 5]),
            (&[branch(3, 3, 4)], &[3, 4]),
            (&[add(2, 2, 0), Inst::Br { edge: 5 }], &[1]),
            (&[branch(3, 6, 7)], &[1, 5]),
            (&[RET], &[]),
        ],
    );
    let flow = flow(&f);
    let (head, exit) = (1, 7);
    assert_eq!(joins(&flow, 3), [exit, head]);
    // Only one of its ways stays in the loop.
    assert_eq!(joins(&flow, 6), [exit]);
    assert!(
        [0, 1, 2, 3]
            .iter()
            .all(|slot| flow.decides_loop(Slot(*slot)))
    );
    assert_eq!(flow.live(head), [Slot(0), Slot(2), Slot(3)]);
}

#[test]
fn only_what_decides_about_an_exit_decides_how_often_a_loop_runs() {
    // 0 goes to 1, the head: on to 2 or out to 5. 2 branches to 3 or 4, by whether 4 is null; 3
    // goes back, 4 goes back or out, by whether 5 is null.
    let null = |dst, a| Inst::Cmp {
        op: Cmp::Eq,
        w: 64,
        dst: Slot(dst),
        a: operand(a),
        b: Operand::constant(0),
    };
    let mut f = function(
        8,
        &[
            (&[Inst::Br { edge: 0 }], &[1]),
            (&[less(1, 2, 0), branch(1, 1, 2)], &[2, 5]),
            (&[null(3, 4), branch(3, 3, 4)], &[3, 4]),
            (&[add(2, 2, 0), Inst::Br { edge: 5 }], &[1]),
            (&[null(6, 5), branch(6, 6, 7)], &[1, 5]),
            (&[RET], &[]),
        ],
    );
    let body = f.body.as_mut().unwrap();
    body.constants.push(Constant::Int(0));
    let flow = flow(&f);
    let slots = [0, 1, 2, 3, 4, 5, 6];
    let by_value = slots.map(|slot| flow.decides_loop(Slot(slot)));
    assert_eq!(by_value, [true, true, true, false, false, true, true]);
    let by_place = slots.map(|slot| flow.place_decides_loop(Slot(slot)));
    assert_eq!(by_place, [true, true, true, false, false, false, true]);
}

#[test]
fn addresses_and_positions_are_places() {
    let load = Inst::Load {
        w: 32,
        align_log2: 2,
        defined: false,
        order: crate::Ordering::Plain,
        dst: Slot(0),
        ptr: operand(2),
    };
    let index = Inst::PtrAdd {
        w: 32,
        dst: Slot(2),
        base: operand(3),
        index: operand(1),
        scale: 4,
    };
    let mut f = function(6, &[(&[index, load, Inst::Call { site: 0 }, RET], &[])]);
    f.body.as_mut().unwrap().calls.push(CallSite {
        callee: Callee::Direct(FuncId(0)),
        args: vec![(operand(4), 64), (operand(5), 8)],
        byval: Vec::new(),
        variable: Vec::new(),
        dst: Slot(0),
        returns: Vec::new(),
        used: false,
        floats: Default::default(),
        joined: Default::default(),
        nounwind: false,
        normal: None,
        unwind: None,
    });
    let flow = flow(&f);
    let places = [0, 1, 2, 3, 4, 5].map(|slot| flow.is_apart(Slot(slot)));
    assert_eq!(places, [false, true, true, true, false, false]);
    let handed_on = [0, 1, 2, 3, 4, 5].map(|slot| flow.is_handed_on(Slot(slot)));
    assert_eq!(handed_on, [false, false, false, false, true, false]);
    assert_eq!(flow.width(Slot(4)), Some(64));
    assert_eq!(flow.returned(Slot(1)), 0);
}

/// Returns whether paths are kept apart that differ in the position of a look-up: of an element of
/// this table, by which a second look-up takes place if it is `nested`.
fn is_position_apart(table: Global, nested: bool) -> bool {
    let address = |dst, base, index| Inst::PtrAdd {
        w: 32,
        dst: Slot(dst),
        base,
        index: operand(index),
        scale: 1,
    };
    let element = |dst, ptr| Inst::Load {
        w: 32,
        align_log2: 0,
        defined: false,
        order: Ordering::Plain,
        dst: Slot(dst),
        ptr: operand(ptr),
    };
    let mut code = vec![address(1, Operand::constant(0), 0), element(2, 1)];
    if nested {
        code.extend([address(3, operand(5), 2), element(4, 3)]);
    }
    code.push(RET);
    let mut f = function(6, &[(&code, &[])]);
    let body = f.body.as_mut().unwrap();
    body.constants.push(Constant::Global(GlobalId(0), 0));
    Flow::of(&[table], &f, f.body.as_ref().unwrap()).is_apart(Slot(0))
}

#[test]
fn positions_in_small_constant_tables_do_not_keep_paths_apart() {
    let table = |size, constant| Global {
        name: "table".to_owned(),
        display: "table".to_owned(),
        size,
        align: 1,
        constant,
        thread_local: false,
        rust: false,
        init: Some(Init::default()),
    };
    assert!(!is_position_apart(table(256, true), false));
    assert!(is_position_apart(table(256, true), true));
    assert!(is_position_apart(table(257, true), false));
    assert!(is_position_apart(table(256, false), false));
}
