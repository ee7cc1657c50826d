//! Tests of the points-to analysis against runs: the set of each accessed pointer must contain the
//! object.

use super::interpret::Run;
use std::collections::BTreeSet;
use symex_points_to::{AnalysisOptions, Effect, PointsTo, usual};
use symex_program::{Function, Program};

/// Returns the effects of functions without a body: the interpreter has only `report` and ones that
/// only read.
fn effects(f: &Function) -> Option<Effect> {
    match f.body {
        None => Some(&[]),
        Some(_) => usual(f),
    }
}

pub fn contain_what_was_accessed(program: &Program, entry: &str, run: &Run) {
    let options = AnalysisOptions {
        entries: &[program.function_names[entry]],
        effects: &effects,
        given_addresses: false,
        pieces: true,
        trust_names: false,
    };
    let points_to = PointsTo::analyse(program, &options);
    let mut objects = run.objects.clone();
    objects.sort_by_key(|o| o.1);
    let mut pairs = BTreeSet::new();
    for &(f, operand, at) in &run.accesses {
        let after = objects.partition_point(|o| o.1 <= at);
        let (object, start, size) = objects[after - 1];
        assert!(at - start < size, "an access outside of {object:?}");
        let name = &program.function(f).display;
        let body = program.function(f).body.as_ref().expect("it ran");
        let id = points_to.objects().find(object);
        let id = id.unwrap_or_else(|| panic!("{object:?}, made in a run, is unknown"));
        assert!(
            points_to.may_point_to(f, body, operand, id),
            "{operand:?} of {name} pointed to {object:?}"
        );
        pairs.insert((f, operand.decode(), object));
    }
    // With the outside in it, a set would have all that escaped.
    assert_eq!(points_to.escaped().len(), 0);
    assert!(pairs.len() > 20, "{} accesses are too few", pairs.len());
}
