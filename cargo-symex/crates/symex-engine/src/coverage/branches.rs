//! Branches of the source: those that the user wrote. Checks that the compiler adds are none, nor
//! is what runs while a panic unwinds.

use rustc_hash::{FxHashMap, FxHashSet};
use symex_program::{Body, Callee, Inst, Program};
use symex_types::outcome::coverage::SourceCoverage;

/// Beginnings of the names of functions that checks of the compiler call where they fail.
const CHECKS: [&str; 4] = [
    "core::panicking::panic_const",
    "core::panicking::panic_bounds_check",
    "core::panicking::panic_misaligned",
    "core::panicking::panic_null",
];

/// Branches by place and number of arms, with the arms that were taken. Copies of one, in code that
/// was inlined or is generic, are one.
#[derive(Default)]
pub(super) struct Branches(FxHashMap<(u32, u32, u32, usize), Vec<bool>>);

/// Returns the edges that leave the block that ends with an instruction.
pub(super) fn edges(body: &Body, last: u32) -> Vec<u32> {
    match &body.code[last as usize] {
        Inst::Br { edge } => vec![*edge],
        Inst::CondBr { then, other, .. } => vec![*then, *other],
        Inst::Switch { table, .. } => {
            let switch = &body.switches[*table as usize];
            let cases = switch.cases.iter().map(|case| case.1);
            let mut edges: Vec<u32> = cases.chain([switch.default]).collect();
            edges.sort_unstable();
            edges.dedup();
            edges
        }
        Inst::IndirectBr { table, .. } => {
            let targets = &body.indirect[*table as usize];
            targets.iter().map(|target| target.1).collect()
        }
        Inst::Call { site } => {
            let site = &body.calls[*site as usize];
            site.normal.into_iter().chain(site.unwind).collect()
        }
        _ => Vec::new(),
    }
}

impl Branches {
    /// Adds those of a function whose location counts; `ends`: the last instruction of each block,
    /// `taken`: the edges that were taken.
    pub fn add(
        &mut self,
        program: &Program,
        (body, ends): (&Body, &[u32]),
        counts: &[bool],
        taken: &FxHashSet<u32>,
        normal: &[bool],
    ) {
        for (block, last) in ends.iter().enumerate() {
            let at = body.locs[*last as usize];
            let is_branch = matches!(
                body.code[*last as usize],
                Inst::CondBr { .. } | Inst::Switch { .. }
            );
            if !is_branch || !counts[at.0 as usize] || !normal[block] {
                continue;
            }
            let arms = arms(program, body, *last);
            if arms.len() < 2 {
                continue;
            }
            let Some(loc) = program.locs.get(at) else {
                continue;
            };
            let key = (loc.file, loc.line, loc.column, arms.len());
            let known = self.0.entry(key).or_insert_with(|| vec![false; arms.len()]);
            for (known, edges) in known.iter_mut().zip(&arms) {
                *known |= edges.iter().any(|edge| taken.contains(edge));
            }
        }
    }

    /// Adds the branches to the coverage of their files.
    pub fn finish(self, program: &Program, to: &mut SourceCoverage) {
        for ((file, line, column, count), arms) in self.0 {
            let file = program.locs.files[file as usize].clone();
            let file = to.files.entry(file).or_default();
            file.branches.insert((line, column, count), arms);
        }
    }
}

/// Returns, for each block, whether a function comes there without unwinding.
pub(super) fn without_unwinding(body: &Body, ends: &[u32]) -> Vec<bool> {
    let mut normal = vec![false; ends.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut normal[block], true) {
            continue;
        }
        let last = ends[block];
        let edges = match &body.code[last as usize] {
            Inst::Call { site } => body.calls[*site as usize].normal.into_iter().collect(),
            _ => edges(body, last),
        };
        open.extend(
            edges
                .iter()
                .map(|edge| body.edges[*edge as usize].block as usize),
        );
    }
    normal
}

/// Returns the arms of the branch at an instruction, each with the edges that lead there: the first
/// side of a condition is that where it holds. None if a check of the compiler branches there.
fn arms(program: &Program, body: &Body, last: u32) -> Vec<Vec<u32>> {
    let mut arms: Vec<(u32, Vec<u32>)> = Vec::new();
    for edge in edges(body, last) {
        let block = body.edges[edge as usize].block;
        match arms.iter_mut().find(|arm| arm.0 == block) {
            Some(arm) => arm.1.push(edge),
            None => arms.push((block, vec![edge])),
        }
    }
    let first = |block: u32| body.blocks[block as usize] as usize;
    // No value leads there.
    arms.retain(|arm| !matches!(body.code[first(arm.0)], Inst::Unreachable));
    if arms.iter().any(|arm| is_check(program, body, first(arm.0))) {
        return Vec::new();
    }
    arms.into_iter().map(|arm| arm.1).collect()
}

/// Reports whether a block, which begins at an instruction, is where a check of the compiler fails.
fn is_check(program: &Program, body: &Body, first: usize) -> bool {
    for inst in &body.code[first..] {
        if let Inst::Call { site } = inst
            && let Callee::Direct(callee) = &body.calls[*site as usize].callee
        {
            let name = &program.function(*callee).display;
            if CHECKS.iter().any(|check| name.starts_with(check)) {
                return true;
            }
        }
        if inst.is_terminator() {
            return false;
        }
    }
    false
}
