//! Measures the points-to analysis: `points_to FILE.. [ENTRY]`, where a file is LLVM bitcode or a
//! stored program. Without an entry it is `main`; `NAME*` is every function whose readable name has
//! this in it.

use std::path::Path;
use std::time::Instant;
use symex_points_to::{
    AbstractObject, AnalysisOptions, PointsTo, Separation, StaticSegments, usual,
};
use symex_program::{FuncId, Program, store};

fn load(path: &str) -> Result<Program, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    match store::load(&bytes) {
        Ok(program) => Ok(program),
        Err(store::StoreError::NotAProgram) => {
            symex_bitcode::translate_file(Path::new(path)).map_err(|e| e.to_string())
        }
        Err(e) => Err(e.to_string()),
    }
}

fn entries(program: &Program, wanted: &str) -> Vec<FuncId> {
    let functions = (0..).map(FuncId).zip(&program.functions);
    let is_entry = |name: &str, display: &str| match wanted.strip_suffix('*') {
        Some(part) => display.contains(part),
        None => name == wanted,
    };
    let chosen = functions.filter(|(_, f)| f.body.is_some() && is_entry(&f.name, &f.display));
    chosen.map(|(id, _)| id).collect()
}

fn measure(name: &str, program: &Program, entries: &[FuncId], pieces: bool, trust_names: bool) {
    let points_to = PointsTo::analyse(
        program,
        &AnalysisOptions {
            entries,
            effects: &usual,
            given_addresses: true,
            pieces,
            trust_names,
        },
    );
    let start = Instant::now();
    let segments = StaticSegments::new(&points_to, Separation::default());
    let time = start.elapsed();
    let s = points_to.stats();
    println!(
        "{name} pieces={pieces} trust={trust_names}: {:?} + {time:?}, {} functions, {} indirect, {} nodes -> {} sets ({} unified, {} \
         collapsed), {} edges, {} waves, {} objects, {} escaped, mean set {:.1}, largest {}",
        s.time,
        s.functions,
        s.call_edges,
        s.nodes,
        s.sets,
        s.counts.unified,
        s.counts.collapsed,
        s.counts.copies,
        s.counts.waves,
        s.objects,
        s.escaped,
        s.members as f64 / s.sets.max(1) as f64,
        s.largest,
    );
    let unknown = points_to.unknown_functions().iter();
    let names: Vec<&str> = unknown.map(|f| &program.function(*f).display[..]).collect();
    println!("    unknown: {}", names.join(", "));
    let objects = points_to.objects();
    let memory = objects
        .iter()
        .filter(|(_, o)| matches!(o, AbstractObject::Global(_) | AbstractObject::Heap { .. }));
    let (mut heap, mut globals) = (Vec::new(), Vec::new());
    for (id, object) in memory {
        match object {
            AbstractObject::Heap { .. } => heap.push(segments.of(id)),
            _ if !points_to.is_constant(id) => globals.push(segments.of(id)),
            _ => {}
        }
    }
    let distinct = |mut all: Vec<_>| {
        let total = all.len();
        all.sort_unstable();
        all.dedup();
        format!("{} in {}", total, all.len())
    };
    let largest = segments.sizes().iter().max().copied().unwrap_or(0);
    println!(
        "    {} segments, largest {largest} objects; heap objects {} segments, variable globals {}",
        segments.len(),
        distinct(heap),
        distinct(globals),
    );
}

fn main() -> Result<(), String> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let is_file = |name: &String| Path::new(name).exists();
    let entry = match files.last() {
        Some(last) if !is_file(last) => files.pop().unwrap_or_default(),
        _ => "main".to_owned(),
    };
    for file in &files {
        let program = load(file)?;
        let entries = entries(&program, &entry);
        let name = Path::new(file).file_name().unwrap_or_default();
        for (pieces, trust_names) in [(true, false), (true, true), (false, false), (false, true)] {
            measure(
                &name.to_string_lossy(),
                &program,
                &entries,
                pieces,
                trust_names,
            );
        }
    }
    Ok(())
}
