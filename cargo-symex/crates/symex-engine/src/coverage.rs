//! Coverage of source: which places, functions and branches the marks of an exploration stand for.
//!
//! A place is a line and a column from which code stems. It is covered if an instruction of it was
//! run, in any copy: code that is inlined counts for the function that it was written in, and for
//! each place in the calls around it. Places of the standard library and of the glue around a
//! harness are left out.

mod branches;

use crate::exec::instruction::entered::EnteredBlocks;
use crate::models;
use branches::Branches;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use symex_abi::names;
use symex_program::{Body, FuncId, Function, LocId, Program, reach};
use symex_types::outcome::coverage::{FunctionMarks, Marks, SourceCoverage};
use symex_types::outcome::frame_owner::{FrameOwner, file_owner};

/// Reports whether the engine runs the code of a function, and not a model of it.
fn is_entered(function: &Function) -> bool {
    models::find(function).is_none()
}

/// Returns, for each function, whether entries reach it, or the engine calls it. What only the code
/// behind a model reaches is not: a native run may come there.
fn reached(program: &Program, entries: &[FuncId]) -> Vec<bool> {
    let called = (0u32..).map(FuncId).zip(&program.functions);
    let called = called.filter(|(_, f)| models::ENTERED.contains(&f.display.as_str()));
    let entries = entries.iter().copied();
    let around = program.constructors.iter().chain(&program.destructors);
    let roots = entries
        .chain(around.copied())
        .chain(called.map(|(id, _)| id));
    reach::reached(program, roots, |id| is_entered(program.function(id)))
}

/// Reports whether a file is of the user or of a dependency, and not of the standard library.
fn is_users(file: &str) -> bool {
    !file.is_empty() && file_owner(file) == FrameOwner::User
}

/// The locations of a program that count.
struct Counting {
    /// For each location whether it, or a call around it, counts.
    any: Vec<bool>,
    /// For each location whether it counts by itself.
    own: Vec<bool>,
}

impl Counting {
    /// Finds the locations in files that are wanted.
    fn of(program: &Program, wanted: impl Fn(&str) -> bool) -> Self {
        let table = &program.locs;
        let files = table.files.iter();
        let files: Vec<bool> = files.map(|file| is_users(file) && wanted(file)).collect();
        let scopes = table.scopes.iter();
        let scopes: Vec<bool> = scopes.map(|scope| !names::is_generated(scope)).collect();
        let mut counting = Counting {
            any: Vec::with_capacity(table.locs.len()),
            own: Vec::with_capacity(table.locs.len()),
        };
        for loc in &table.locs {
            let is_in = |flags: &[bool], at: u32| flags.get(at as usize) == Some(&true);
            // What has no column is not known to belong to a place.
            let has_place = loc.line != 0 && loc.column != 0;
            let own = has_place && is_in(&files, loc.file) && is_in(&scopes, loc.scope);
            // Inlined into an earlier place (an invariant of programs).
            let around = loc.inlined_at.is_some_and(|up| counting.any[up.0 as usize]);
            counting.own.push(own);
            counting.any.push(own || around);
        }
        counting
    }

    fn is_in(&self, body: &Body) -> bool {
        body.locs.iter().any(|loc| self.any[loc.0 as usize])
    }
}

/// Returns the range of each block of a function.
fn blocks(body: &Body) -> impl Iterator<Item = std::ops::Range<u32>> {
    let ends = body.blocks.iter().skip(1).copied();
    let ends = ends.chain([body.code.len() as u32]);
    body.blocks
        .iter()
        .copied()
        .zip(ends)
        .map(|(begin, end)| begin..end)
}

/// Returns the last instruction of each block of a function.
fn ends(body: &Body) -> Vec<u32> {
    blocks(body).map(|block| block.end - 1).collect()
}

/// Returns what was run of a program. The time that this takes is in proportion to what was run.
pub(crate) fn marks(program: &Program, run: &EnteredBlocks) -> Marks {
    let mut owners: FxHashMap<u32, bool> = FxHashMap::default();
    let mut is_own = |file: u32| {
        let name = &program.locs.files[file as usize];
        *owners.entry(file).or_insert_with(|| is_users(name))
    };
    let mut counts = |at: &LocId| {
        let mut next = Some(*at);
        while let Some(loc) = next.and_then(|id| program.locs.get(id)) {
            if is_own(loc.file) {
                return true;
            }
            next = loc.inlined_at;
        }
        false
    };
    let mut marks = Marks::default();
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        if let Some(body) = &function.body
            && run.has_run(id, body)
            && body.locs.iter().any(&mut counts)
        {
            let key = key(program, function, body);
            marks.functions.push(function_marks(id, key, body, run));
        }
    }
    marks.functions.sort_by_key(|one| one.function);
    marks
}

/// Returns what tells a function from others, in each program that has it.
fn key(program: &Program, function: &Function, body: &Body) -> u64 {
    let mut hasher = DefaultHasher::new();
    function.name.hash(&mut hasher);
    (body.code.len(), body.blocks.len(), body.edges.len()).hash(&mut hasher);
    let mut places = body.locs.iter().filter_map(|at| program.locs.get(*at));
    if let Some(place) = places.find(|place| place.line != 0) {
        let file = program.locs.files.get(place.file as usize);
        (file, place.line, place.column).hash(&mut hasher);
    }
    hasher.finish()
}

fn function_marks(id: FuncId, key: u64, body: &Body, run: &EnteredBlocks) -> FunctionMarks {
    let mut edges = Vec::new();
    let instructions = blocks(body).map(|block| {
        let out = branches::edges(body, block.end - 1);
        let taken = out.iter().filter(|edge| run.is_taken(id, **edge));
        let taken: Vec<u32> = taken.copied().collect();
        let has_left = !taken.is_empty();
        if out.len() > 1 {
            edges.extend(taken);
        }
        match has_left {
            true => block.end - block.start,
            false => run.reached_in(id, block),
        }
    });
    FunctionMarks {
        instructions: instructions.collect(),
        function: key,
        edges,
    }
}

/// Returns the marks by function; `None` if they are of another program, or may be.
fn of_functions<'m>(
    program: &Program,
    marks: &'m Marks,
) -> Option<FxHashMap<FuncId, &'m FunctionMarks>> {
    let known = marks.functions.iter().map(|one| (one.function, one));
    let known: FxHashMap<u64, &FunctionMarks> = known.collect();
    let mut found = FxHashMap::default();
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        let Some(body) = &function.body else {
            continue;
        };
        if let Some(one) = known.get(&key(program, function, body)) {
            if one.instructions.len() != body.blocks.len() {
                return None;
            }
            found.insert(id, *one);
        }
    }
    (found.len() == marks.functions.len()).then_some(found)
}

/// Returns the coverage of the source files that are wanted, by what these entries reach of a
/// program and the marks of an exploration of it; `None` if the marks are of another program.
pub fn of_source(
    program: &Program,
    entries: &[FuncId],
    marks: &Marks,
    wanted: impl Fn(&str) -> bool,
) -> Option<SourceCoverage> {
    let counting = Counting::of(program, wanted);
    let contained = reached(program, entries);
    // Of each location: whether there is code, and whether some was run.
    let mut there = vec![false; program.locs.locs.len()];
    let mut run = there.clone();
    let mut branches = Branches::default();
    let ran = of_functions(program, marks)?;
    for (id, function) in (0u32..).map(FuncId).zip(&program.functions) {
        let of_it = ran.get(&id).copied();
        let Some(body) = &function.body else {
            continue;
        };
        let is_contained = contained[id.0 as usize] && is_entered(function);
        let is_contained = is_contained || of_it.is_some();
        if !is_contained || !counting.is_in(body) {
            continue;
        }
        let ends = ends(body);
        let normal = branches::without_unwinding(body, &ends);
        for (at, block) in blocks(body).enumerate() {
            // What Rust does while a panic unwinds has places of what it does otherwise.
            if program.function(id).rust && !normal[at] {
                continue;
            }
            let count = of_it.map_or(0, |one| one.instructions[at]);
            for pc in block.clone() {
                let loc = body.locs[pc as usize].0 as usize;
                there[loc] = true;
                run[loc] |= pc - block.start < count;
            }
        }
        let taken = of_it.iter().flat_map(|one| one.edges.iter().copied());
        branches.add(
            program,
            (body, &ends),
            &counting.own,
            &taken.collect::<FxHashSet<u32>>(),
            &normal,
        );
    }
    let mut coverage = SourceCoverage::default();
    for at in (0..there.len()).filter(|at| there[*at] && counting.any[*at]) {
        note(program, &counting, LocId(at as u32), run[at], &mut coverage);
    }
    branches.finish(program, &mut coverage);
    Some(coverage)
}

/// Notes the places of a location and of the calls around it.
fn note(program: &Program, counting: &Counting, at: LocId, run: bool, to: &mut SourceCoverage) {
    let table = &program.locs;
    let mut next = Some(at);
    while let Some(id) = next.filter(|id| counting.any[id.0 as usize]) {
        let loc = &table.locs[id.0 as usize];
        if counting.own[id.0 as usize] {
            let file = &table.files[loc.file as usize];
            let name = &table.scopes[loc.scope as usize];
            if !to.files.contains_key(file) {
                to.files.insert(file.clone(), Default::default());
            }
            let Some(file) = to.files.get_mut(file) else {
                return;
            };
            *file.places.entry((loc.line, loc.column)).or_default() |= run;
            if !name.is_empty() {
                let function = (table.declared(loc.scope), name.clone());
                *file.functions.entry(function).or_default() |= run;
            }
        }
        next = loc.inlined_at;
    }
}
