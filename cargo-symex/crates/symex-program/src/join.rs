//! Joins a program with previously translated parts of it, by symbol name.
//!
//! This is a linker for our own form: symbols that the program mentions but does not define are
//! taken from the parts, then the symbols that those mention, and so on. Functions and globals are
//! numbered in the order in which they are first mentioned, and equal source locations are merged.
//! So the result depends on the contents of the functions taken, not on which part each was in.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::part::Part;
use super::store::StoreError;
use super::{
    Body, FuncId, Function, Global, GlobalId, InitArray, Inst, Loc, LocId, LocTable, Mention,
    Program,
};

/// A program being joined with the definitions that it lacks.
pub struct Join {
    program: Program,
    locs: Locations,
    reasons: FxHashMap<String, u32>,
    weak_functions: FxHashSet<FuncId>,
    weak_globals: FxHashSet<GlobalId>,
    /// Functions and globals that are mentioned.
    mentioned: FxHashSet<JoinedItem>,
    /// Symbols mentioned but not defined, since the last call of [`missing`](Self::missing).
    missing: Vec<String>,
    /// Symbols taken since the last call of [`taken`](Self::taken).
    taken: Vec<String>,
    /// Functions to run before the entry that are in no array.
    listed: Vec<FuncId>,
}

/// Id of a function or a global, of the joined program or of a part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum JoinedItem {
    Function(FuncId),
    Global(GlobalId),
}

impl From<Mention<'_>> for JoinedItem {
    fn from(mention: Mention<'_>) -> Self {
        match mention {
            Mention::Function(id) => JoinedItem::Function(*id),
            Mention::Global(id) => JoinedItem::Global(*id),
        }
    }
}

/// A part to take definitions from, with the mapping from its ids to those of the joined program.
pub struct PartSource {
    part: Part,
    functions: Vec<Option<FuncId>>,
    globals: Vec<Option<GlobalId>>,
    locs: Vec<Option<LocId>>,
    weak_functions: FxHashSet<FuncId>,
    weak_globals: FxHashSet<GlobalId>,
}

impl PartSource {
    /// Wraps a part from which nothing has been taken yet.
    pub fn new(part: Part) -> PartSource {
        let shell = part.shell();
        PartSource {
            functions: vec![None; shell.functions.len()],
            globals: vec![None; shell.globals.len()],
            locs: vec![None; shell.locs.locs.len()],
            weak_functions: shell.weak_functions.iter().copied().collect(),
            weak_globals: shell.weak_globals.iter().copied().collect(),
            part,
        }
    }

    /// Reports whether the part has arrays of functions to run before the entry.
    pub fn has_arrays(&self) -> bool {
        !self.part.shell().arrays.is_empty()
    }

    /// Reports whether the part defines the symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.part.defines(symbol)
    }
}

/// A definition to be taken from one of several sources.
struct Wanted {
    /// Index of the source.
    at: usize,
    /// Id in that source.
    node: JoinedItem,
}

impl Join {
    /// Starts with a program, whose ids stay valid.
    pub fn new(mut program: Program) -> Join {
        let mut mentioned = FxHashSet::default();
        let mut missing = Vec::new();
        let mut mention = |mention: Mention<'_>| {
            mentioned.insert(JoinedItem::from(mention));
        };
        for body in program.functions.iter_mut().filter_map(|f| f.body.as_mut()) {
            body.for_each_mention(&mut mention);
        }
        for init in program.globals.iter_mut().filter_map(|g| g.init.as_mut()) {
            init.for_each_mention(&mut mention);
        }
        for (id, function) in (0..).map(FuncId).zip(&program.functions) {
            if function.body.is_none() && mentioned.contains(&JoinedItem::Function(id)) {
                missing.push(function.name.clone());
            }
        }
        for (id, global) in (0..).map(GlobalId).zip(&program.globals) {
            if global.init.is_none() && mentioned.contains(&JoinedItem::Global(id)) {
                missing.push(global.name.clone());
            }
        }
        let reasons = (0..).zip(&program.reasons);
        let of_arrays = InitArray::functions_of(&program.arrays).count();
        Join {
            taken: Vec::new(),
            listed: program.constructors.split_off(of_arrays),
            reasons: reasons.map(|(i, reason)| (reason.clone(), i)).collect(),
            weak_functions: program.weak_functions.drain(..).collect(),
            weak_globals: program.weak_globals.drain(..).collect(),
            locs: Locations::of(std::mem::take(&mut program.locs)),
            program,
            mentioned,
            missing,
        }
    }

    /// Returns the symbols that are mentioned and not defined; each is returned once.
    pub fn missing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.missing)
    }

    /// Returns the symbols that were taken; each is returned once.
    pub fn taken(&mut self) -> Vec<String> {
        std::mem::take(&mut self.taken)
    }

    /// Takes the arrays of functions to run before the entry whose symbols satisfy `is_meant`.
    pub fn take_arrays(
        &mut self,
        sources: &mut [PartSource],
        is_meant: &dyn Fn(&str) -> bool,
        elsewhere: &dyn Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        let mut found: Vec<(String, String)> = Vec::new();
        for source in &*sources {
            let shell = source.part.shell();
            for array in &shell.arrays {
                let name = &shell.global(array.global).name;
                if is_meant(name) && !found.iter().any(|(_, known)| known == name) {
                    found.push((array.section.clone(), name.clone()));
                }
            }
        }
        self.take(found.iter().map(|(_, name)| name), sources, elsewhere)?;
        for (section, name) in found {
            let global = self.program.global_names[&name];
            let functions = self
                .program
                .global(global)
                .init
                .as_ref()
                .map(|init| init.functions());
            self.program.arrays.push(InitArray {
                section,
                global,
                functions: functions.unwrap_or_default(),
            });
        }
        Ok(())
    }

    /// Takes symbols from the sources, with all that they mention, except symbols for which
    /// `elsewhere` holds: those are left to other sources. Symbols that no source defines are
    /// skipped.
    pub fn take<'s>(
        &mut self,
        symbols: impl Iterator<Item = &'s String>,
        sources: &mut [PartSource],
        elsewhere: &dyn Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        let mut wanted: VecDeque<Wanted> = VecDeque::new();
        for symbol in symbols {
            wanted.extend(find(sources, symbol));
        }
        while let Some(Wanted { at, node }) = wanted.pop_front() {
            let mut mentions: Vec<JoinedItem> = Vec::new();
            let source = &mut sources[at];
            let mut collect = |mention: Mention<'_>| mentions.push(JoinedItem::from(mention));
            match node {
                JoinedItem::Function(id) => {
                    let to = self.function(source, id);
                    if self.program.function(to).body.is_some() {
                        continue;
                    }
                    let mut body = source.part.body(id)?;
                    body.for_each_mention(&mut collect);
                    self.mention(&mentions, at, sources, elsewhere, &mut wanted);
                    self.settle(&mut body, &mut sources[at]);
                    let known = &sources[at].part.shell().functions[id.0 as usize];
                    self.program.functions[to.0 as usize] = Function {
                        body: Some(body),
                        ..signature(known)
                    };
                    self.weak_functions.remove(&to);
                    self.taken.push(known.name.clone());
                }
                JoinedItem::Global(id) => {
                    let to = self.global(source, id);
                    if self.program.global(to).init.is_some() {
                        continue;
                    }
                    let mut init = source.part.contents(id)?;
                    init.for_each_mention(&mut collect);
                    self.mention(&mentions, at, sources, elsewhere, &mut wanted);
                    let source = &sources[at];
                    init.for_each_mention(|mention| source.renumber(mention));
                    let known = &source.part.shell().globals[id.0 as usize];
                    self.program.globals[to.0 as usize] = Global {
                        init: Some(init),
                        ..outline(known)
                    };
                    self.weak_globals.remove(&to);
                    self.taken.push(known.name.clone());
                }
            }
        }
        Ok(())
    }

    /// Maps the ids mentioned in a source to the joined program, and queues the definitions that it
    /// still lacks.
    fn mention(
        &mut self,
        mentions: &[JoinedItem],
        at: usize,
        sources: &mut [PartSource],
        elsewhere: &dyn Fn(&str) -> bool,
        wanted: &mut VecDeque<Wanted>,
    ) {
        for &node in mentions {
            let source = &mut sources[at];
            let (joined, is_defined, name) = match node {
                JoinedItem::Function(id) => {
                    let joined = self.function(source, id);
                    let function = self.program.function(joined);
                    (
                        JoinedItem::Function(joined),
                        function.body.is_some(),
                        &function.name,
                    )
                }
                JoinedItem::Global(id) => {
                    let joined = self.global(source, id);
                    let global = self.program.global(joined);
                    (
                        JoinedItem::Global(joined),
                        global.init.is_some(),
                        &global.name,
                    )
                }
            };
            if !self.mentioned.insert(joined) || is_defined {
                continue;
            }
            if name.is_empty() {
                wanted.push_back(Wanted { at, node });
                continue;
            }
            let name = name.clone();
            let here = (!elsewhere(&name)).then(|| find(sources, &name)).flatten();
            match here {
                Some(found) => wanted.push_back(found),
                None => self.missing.push(name),
            }
        }
    }

    /// Returns the joined program's id for a source's function, declaring it there if necessary.
    fn function(&mut self, source: &mut PartSource, id: FuncId) -> FuncId {
        let function = &source.part.shell().functions[id.0 as usize];
        let is_weak = source.weak_functions.contains(&id);
        let table = JoinedTable {
            items: &mut self.program.functions,
            names: &mut self.program.function_names,
            weak: &mut self.weak_functions,
        };
        let declared = || table.number(&function.name, is_weak, FuncId, || signature(function));
        *source.functions[id.0 as usize].get_or_insert_with(declared)
    }

    /// Returns the joined program's id for a source's global, declaring it there if necessary.
    fn global(&mut self, source: &mut PartSource, id: GlobalId) -> GlobalId {
        let global = &source.part.shell().globals[id.0 as usize];
        let is_weak = source.weak_globals.contains(&id);
        let table = JoinedTable {
            items: &mut self.program.globals,
            names: &mut self.program.global_names,
            weak: &mut self.weak_globals,
        };
        let declared = || table.number(&global.name, is_weak, GlobalId, || outline(global));
        *source.globals[id.0 as usize].get_or_insert_with(declared)
    }

    /// Renumbers the ids in a body to those of the joined program.
    fn settle(&mut self, body: &mut Body, source: &mut PartSource) {
        body.for_each_mention(|mention| source.renumber(mention));
        for loc in &mut body.locs {
            *loc = self
                .locs
                .place(*loc, &source.part.shell().locs, &mut source.locs);
        }
        for inst in &mut body.code {
            if let Inst::Unsupported { reason } = inst {
                let text = &source.part.shell().reasons[*reason as usize];
                let reasons = &mut self.program.reasons;
                *reason = *self.reasons.entry(text.clone()).or_insert_with(|| {
                    reasons.push(text.clone());
                    reasons.len() as u32 - 1
                });
            }
        }
    }

    /// Finishes the join: returns the program and the symbols that it mentions without a
    /// definition.
    pub fn finish(mut self) -> (Program, Vec<String>) {
        self.program.locs = self.locs.table;
        InitArray::sort(&mut self.program.arrays);
        let of_arrays = InitArray::functions_of(&self.program.arrays);
        self.program.constructors = of_arrays.chain(self.listed).collect();
        self.program.weak_functions = self.weak_functions.into_iter().collect();
        self.program.weak_functions.sort_unstable();
        self.program.weak_globals = self.weak_globals.into_iter().collect();
        self.program.weak_globals.sort_unstable();
        let program = &self.program;
        let undefined = self.mentioned.iter().filter_map(|node| match node {
            JoinedItem::Function(id) => {
                let function = program.function(*id);
                function.body.is_none().then(|| function.name.clone())
            }
            JoinedItem::Global(id) => {
                let global = program.global(*id);
                global.init.is_none().then(|| global.name.clone())
            }
        });
        let mut undefined: Vec<String> = undefined.collect();
        undefined.sort_unstable();
        undefined.dedup();
        (self.program, undefined)
    }
}

impl PartSource {
    /// Replaces the part's id by the joined program's. The id must have been mapped before.
    fn renumber(&self, mention: Mention<'_>) {
        match mention {
            Mention::Function(id) => {
                *id = self.functions[id.0 as usize].expect("what is mentioned is numbered");
            }
            Mention::Global(id) => {
                *id = self.globals[id.0 as usize].expect("what is mentioned is numbered");
            }
        }
    }
}

/// View of the functions or of the globals of the joined program.
struct JoinedTable<'p, Id, T> {
    items: &'p mut Vec<T>,
    names: &'p mut FxHashMap<String, Id>,
    /// Symbols that may stay undefined (weak).
    weak: &'p mut FxHashSet<Id>,
}

impl<Id: Copy + Eq + std::hash::Hash, T> JoinedTable<'_, Id, T> {
    /// Returns the id of this name, declaring it if necessary. It stays weak as long as every
    /// mention is weak.
    fn number(self, name: &str, is_weak: bool, id: fn(u32) -> Id, new: impl FnOnce() -> T) -> Id {
        let known = self.names.get(name).copied();
        let number = known.unwrap_or_else(|| {
            let number = id(self.items.len() as u32);
            self.items.push(new());
            if !name.is_empty() {
                self.names.insert(name.to_owned(), number);
            }
            if is_weak {
                self.weak.insert(number);
            }
            number
        });
        if !is_weak {
            self.weak.remove(&number);
        }
        number
    }
}

/// Finds the first definition of a symbol.
fn find(sources: &[PartSource], symbol: &str) -> Option<Wanted> {
    sources.iter().enumerate().find_map(|(at, source)| {
        let function = source.part.function(symbol).map(JoinedItem::Function);
        let node = function.or_else(|| source.part.global(symbol).map(JoinedItem::Global))?;
        Some(Wanted { at, node })
    })
}

/// Copies a function without its body.
fn signature(function: &Function) -> Function {
    Function {
        name: function.name.clone(),
        display: function.display.clone(),
        params: function.params.clone(),
        returns: function.returns.clone(),
        floats: function.floats,
        joined: function.joined,
        variadic: function.variadic,
        body: None,
        noreturn: function.noreturn,
        rust: function.rust,
    }
}

/// Copies a global without its contents.
fn outline(global: &Global) -> Global {
    Global {
        name: global.name.clone(),
        display: global.display.clone(),
        size: global.size,
        align: global.align,
        constant: global.constant,
        thread_local: global.thread_local,
        rust: global.rust,
        init: None,
    }
}

/// Source locations of the joined program, without duplicates.
struct Locations {
    table: LocTable,
    locs: FxHashMap<Loc, LocId>,
    files: FxHashMap<String, u32>,
    scopes: FxHashMap<String, u32>,
}

impl Locations {
    fn of(mut table: LocTable) -> Locations {
        if table.locs.is_empty() {
            // Entry 0 is the unknown place.
            table.locs.push(Loc::default());
            table.files.push(String::new());
            table.scopes.push(String::new());
        }
        let numbered = |texts: &[String]| (0..).zip(texts).map(|(i, t)| (t.clone(), i)).collect();
        let mut locs: FxHashMap<Loc, LocId> = FxHashMap::default();
        for (id, loc) in (0..).map(LocId).zip(&table.locs) {
            locs.entry(loc.clone()).or_insert(id);
        }
        Locations {
            locs,
            files: numbered(&table.files),
            scopes: numbered(&table.scopes),
            table,
        }
    }

    fn new_place(&mut self, id: LocId, other: &LocTable, known: &mut [Option<LocId>]) -> LocId {
        // Inlined into an earlier place each (an invariant of programs), so this ends.
        let loc = &other.locs[id.0 as usize];
        let scope = number(
            &mut self.scopes,
            &mut self.table.scopes,
            &other.scopes,
            loc.scope,
        );
        self.table.declare(scope, other.declared(loc.scope));
        let place = Loc {
            file: number(
                &mut self.files,
                &mut self.table.files,
                &other.files,
                loc.file,
            ),
            scope,
            inlined_at: loc.inlined_at.map(|up| self.place(up, other, known)),
            ..loc.clone()
        };
        let table = &mut self.table.locs;
        *self.locs.entry(place).or_insert_with_key(|place| {
            table.push(place.clone());
            LocId(table.len() as u32 - 1)
        })
    }

    /// Returns the location in this table that equals one of another table. `known` caches the
    /// results.
    fn place(&mut self, id: LocId, other: &LocTable, known: &mut [Option<LocId>]) -> LocId {
        if id == LocId::default() {
            return id;
        }
        if let Some(joined) = known[id.0 as usize] {
            return joined;
        }
        let joined = self.new_place(id, other, known);
        known[id.0 as usize] = Some(joined);
        joined
    }
}

/// Returns the index in `table` of a text of another table, adding it if necessary.
fn number(
    known: &mut FxHashMap<String, u32>,
    table: &mut Vec<String>,
    others: &[String],
    index: u32,
) -> u32 {
    let text = &others[index as usize];
    if let Some(&number) = known.get(text) {
        return number;
    }
    let number = table.len() as u32;
    table.push(text.clone());
    known.insert(text.clone(), number);
    number
}

/// Merges all parts of one library into a program that has all their definitions.
pub fn merge(parts: Vec<Part>) -> Result<Program, StoreError> {
    let mut symbols: Vec<String> = Vec::new();
    for part in &parts {
        let shell = part.shell();
        let functions = shell.function_names.keys().chain(shell.global_names.keys());
        symbols.extend(functions.filter(|name| part.defines(name)).cloned());
    }
    symbols.sort_unstable();
    symbols.dedup();
    let mut sources: Vec<PartSource> = parts.into_iter().map(PartSource::new).collect();
    let mut join = Join::new(Program::default());
    join.take(symbols.iter(), &mut sources, &|_| false)?;
    join.take_arrays(&mut sources, &|_| true, &|_| false)?;
    Ok(join.finish().0)
}

/// Reports whether the parts of a crate can be joined by [`Join`]. They cannot if a symbol is an
/// alias, if functions to run before the entry or at the end are not in arrays, or if code depends
/// on the number of a global, as code that catches C++ exceptions does.
pub fn can_be_joined(program: &Program) -> bool {
    let functions = program.function_names.iter();
    let globals = program.global_names.iter();
    let of_arrays = InitArray::functions_of(&program.arrays).count();
    let catches = |body: &Body| {
        body.landing_pads
            .iter()
            .flat_map(|pad| &pad.catches)
            .flatten()
            .next()
            .is_some()
    };
    functions
        .into_iter()
        .all(|(name, id)| program.function(*id).name == *name)
        && globals
            .into_iter()
            .all(|(name, id)| program.global(*id).name == *name)
        && program.constructors.len() == of_arrays
        && program.destructors.is_empty()
        && !program
            .functions
            .iter()
            .filter_map(|f| f.body.as_ref())
            .any(catches)
}
