//! Tests of the analysis on whole small programs, and of the solver against a naive one.

mod code;
mod library;
mod oracle;
mod segments;

use super::{AbstractObject, AnalysisOptions, Effect, PointsTo, usual};
use std::collections::BTreeMap;
use symex_bitcode::translate_ir;
use symex_program::{Callee, FuncId, Function, Inst, Operand, Program, Slot};

/// Translates a program in LLVM's text form. `@see(i64, ptr)` does nothing; tests look at the
/// objects to which its second argument may point.
fn program(ir: &str) -> Program {
    let ir = format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-unknown-linux-gnu\"\ndeclare void @see(i64, ptr)\n{ir}"
    );
    translate_ir(ir.as_bytes(), "test").expect("the IR is valid")
}

fn effects(f: &Function) -> Option<Effect> {
    match f.name.as_str() {
        "see" => Some(&[]),
        _ => usual(f),
    }
}

fn analyse(program: &Program, pieces: bool) -> PointsTo {
    let entry = program.function_names["main"];
    let options = AnalysisOptions {
        entries: &[entry],
        effects: &effects,
        given_addresses: false,
        pieces,
        trust_names: false,
    };
    PointsTo::analyse(program, &options)
}

/// Describes an object: `stack f 0` is the first `alloca` of `f` in the order of the code, `heap f
/// 0` the first object that a call makes there.
fn describe(program: &Program, points_to: &PointsTo, object: AbstractObject) -> String {
    let name = |f: FuncId| &program.function(f).name;
    let rank = |f: FuncId, inst: u32, is_same: &dyn Fn(AbstractObject) -> Option<(FuncId, u32)>| {
        let all = points_to.objects().iter().filter_map(|(_, o)| is_same(o));
        all.filter(|(g, i)| *g == f && *i < inst).count()
    };
    match object {
        AbstractObject::Outside => "outside".to_owned(),
        AbstractObject::Global(g) => format!("@{}", program.global(g).name),
        AbstractObject::Function(f) => format!("{}()", name(f)),
        AbstractObject::Alloca { function, inst } => {
            let rank = rank(function, inst, &|o| match o {
                AbstractObject::Alloca { function, inst } => Some((function, inst)),
                _ => None,
            });
            format!("stack {} {rank}", name(function))
        }
        AbstractObject::Heap { function, inst } => {
            let rank = rank(function, inst, &|o| match o {
                AbstractObject::Heap { function, inst } => Some((function, inst)),
                _ => None,
            });
            format!("heap {} {rank}", name(function))
        }
        AbstractObject::ParameterCopy { function, param } => {
            format!("parameter {} {param}", name(function))
        }
        AbstractObject::ArgumentCopy { function, leaf, .. } => {
            format!("argument {} {leaf}", name(function))
        }
        AbstractObject::VariableArguments(f) => format!("arguments of {}", name(f)),
    }
}

/// Returns the possible arguments of each `@see` in reachable code, by its number.
fn seen_with(ir: &str, pieces: bool) -> BTreeMap<u64, String> {
    let program = program(ir);
    let points_to = analyse(&program, pieces);
    let see = program.function_names["see"];
    let mut seen = BTreeMap::new();
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        let Some(body) = function
            .body
            .as_ref()
            .filter(|_| points_to.is_reachable(id))
        else {
            continue;
        };
        for inst in &body.code {
            let Inst::Call { site } = inst else { continue };
            let call = &body.calls[*site as usize];
            if !matches!(call.callee, Callee::Direct(f) if f == see) {
                continue;
            }
            let tag = match call.args[0].0.decode() {
                Err(c) => match &body.constants[c as usize] {
                    symex_program::Constant::Int(n) => *n,
                    other => panic!("a number: {other:?}"),
                },
                Ok(slot) => panic!("a constant: {slot:?}"),
            };
            let pointees = points_to.pointees(id, body, call.args[1].0);
            let names = pointees
                .iter()
                .map(|o| describe(&program, &points_to, points_to.objects().get(o)));
            let text = names.collect::<Vec<String>>().join(", ");
            assert_eq!(seen.insert(tag, text), None, "{tag} twice");
        }
    }
    seen
}

/// Returns the possible arguments of each `@see`, as lines `number: objects`.
fn seen(ir: &str) -> Vec<String> {
    let seen = seen_with(ir, true);
    seen.iter()
        .map(|(n, text)| format!("{n}: {text}"))
        .collect()
}

#[test]
fn the_same_program_gives_the_same_result() {
    let ir = include_str!("../../../symex-bitcode/src/tests/calls.ll");
    let program = translate_ir(ir.as_bytes(), "test").expect("the IR is valid");
    let entries: Vec<FuncId> = (0..program.functions.len() as u32).map(FuncId).collect();
    let options = AnalysisOptions {
        entries: &entries,
        effects: &usual,
        given_addresses: true,
        pieces: true,
        trust_names: false,
    };
    let text = || {
        let result = PointsTo::analyse(&program, &options);
        let mut text: Vec<String> = Vec::new();
        for &f in &entries {
            let Some(body) = &program.function(f).body else {
                continue;
            };
            for slot in (0..body.slots).map(Slot) {
                let pointees = result.pointees(f, body, Operand::slot(slot));
                text.push(format!("{:?}", pointees.iter().collect::<Vec<_>>()));
            }
        }
        text.push(format!("{:?}", result.objects().iter().collect::<Vec<_>>()));
        text.push(format!("{:?}", result.escaped().iter().collect::<Vec<_>>()));
        text
    };
    let first = text();
    assert!(
        first.iter().filter(|set| *set != "[]").count() > 5,
        "{first:?}"
    );
    assert_eq!(first, text());
}
