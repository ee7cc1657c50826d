//! Divided linking: links a program crate by crate, and caches the results of crates' libraries.
//!
//! An edit changes one crate; the many that it depends on, and the standard library, stay as they
//! are. So the program's own object files are linked, prepared and translated as one module, and
//! each library of a crate (`.rlib`) by itself: the wanted symbols, and what they reach there. The
//! results are joined by symbol. The result of a library is cached under a hash of all that it
//! depends on, and looked up first next time, in any program.
//!
//! Two properties make that possible. The code of a function depends on the function and on its
//! callees in its library, not on its other users ([`ModuleRole::Part`]). And local symbols have
//! names of their own that are the same each time ([`LinkInput::number`]).
//!
//! Not every library can be split off: one that has lists of constructors, aliases or catches
//! exceptions of C++ is linked with the program's own files, as are archives that rustc did not
//! make.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::linker::{Linker, Session};
use super::resolve::{LinkSymbol, Resolution};
use super::{
    Code, CrateLibrary, LinkError, LinkInput, LinkOptions, ProgramInfo, Step, in_session,
    link_roots,
};
use crate::llvm;
use crate::load::LoadError;
use crate::module::translate_module;
use crate::passes::{self, ModuleRole, PassProfile};
use symex_abi::hooks::{COVER, STUB};
use symex_program::Program;
use symex_program::join::{Join, PartSource, can_be_joined};
use symex_program::part::Part;
use symex_program::store::StoreError;

/// Storage of parts of programs. Parts that cannot be stored are made again next time.
pub trait Shelf {
    /// Returns the parts stored under a key, most recently used first.
    fn parts(&self, key: &str) -> Box<dyn Iterator<Item = Vec<u8>> + '_>;
    /// Stores another part.
    fn keep(&self, key: &str, part: &[u8]);
    /// Reports whether the library of this key is known to be one that cannot be linked by itself.
    fn is_whole(&self, key: &str) -> bool;
    /// Records that the library of this key cannot be linked by itself.
    fn note_whole(&self, key: &str);
}

/// Reason why there is no program.
#[derive(Debug)]
pub enum ProgramError {
    /// A failure to link.
    Link(LinkError),
    /// A failure to translate.
    Translate(LoadError),
}

impl From<LinkError> for ProgramError {
    fn from(error: LinkError) -> Self {
        ProgramError::Link(error)
    }
}

impl From<LoadError> for ProgramError {
    fn from(error: LoadError) -> Self {
        ProgramError::Translate(error)
    }
}

/// Links and translates what the roots reach, and passes the program on. `tool` identifies the
/// build of this tool, for the keys of the cache.
pub fn link_divided<T>(
    inputs: &[LinkInput],
    options: &LinkOptions,
    tool: &str,
    shelf: &dyn Shelf,
    tell: &dyn Fn(Step),
    finish: impl FnOnce(Program, ProgramInfo) -> T,
) -> Result<T, ProgramError> {
    let mut options = options.clone();
    if options.passes == PassProfile::Default && has_stubs(inputs) {
        options.passes = PassProfile::WithoutInlining;
    }
    let options = &options;
    in_session(inputs, options, tell, |session| {
        let opaque = session.resolution.opaque_text();
        let divided = Divided {
            session,
            options,
            shelf,
            settings: format!("{tool} {:?} {:?} {opaque}", llvm::version(), options.passes),
        };
        let mut crates = Crates::of(inputs, session.resolution);
        let mut more = Vec::new();
        loop {
            match divided.attempt(&crates, &more)? {
                LinkAttempt::Done(done) => return Ok(finish(done.0, done.1)),
                LinkAttempt::Whole(number) => crates.join_own(number),
                LinkAttempt::Wants(symbols) => more.extend(symbols),
            }
        }
    })
}

/// Libraries that are linked by themselves.
struct Crates {
    libraries: Vec<Library>,
    /// Number of each input's library; `None` for inputs of the program's own module.
    of_input: Vec<Option<usize>>,
}

struct Library {
    library: Arc<CrateLibrary>,
    /// Symbols that the library defines but for which this program takes another definition.
    replaced: BTreeSet<String>,
}

impl Crates {
    fn of(inputs: &[LinkInput], resolution: &Resolution) -> Crates {
        let mut crates = Crates {
            libraries: Vec::new(),
            of_input: Vec::new(),
        };
        if tells_covers(inputs, resolution) {
            crates.of_input = vec![None; inputs.len()];
            return crates;
        }
        let mut numbers: FxHashMap<*const CrateLibrary, usize> = FxHashMap::default();
        for input in inputs {
            let number = input.of_crate.as_ref().map(|member| {
                *numbers
                    .entry(Arc::as_ptr(&member.library))
                    .or_insert_with(|| {
                        crates.libraries.push(Library {
                            library: member.library.clone(),
                            replaced: BTreeSet::new(),
                        });
                        crates.libraries.len() - 1
                    })
            });
            crates.of_input.push(number);
        }
        for (index, input) in inputs.iter().enumerate() {
            let Some(number) = crates.of_input[index] else {
                continue;
            };
            for symbol in input.defines.iter().flatten() {
                let definer = resolution.any_definer(symbol);
                if definer.is_some_and(|definer| crates.of_input[definer] != Some(number)) {
                    crates.libraries[number].replaced.insert(symbol.clone());
                }
            }
        }
        crates
    }

    /// Makes a library part of the program's own module.
    fn join_own(&mut self, number: usize) {
        for of_input in &mut self.of_input {
            if *of_input == Some(number) {
                *of_input = None;
            }
        }
    }
}

/// Reports whether a previously compiled crate has cover points. The cover points that a root may
/// reach are announced before the passes run (`passes::covers`), through all its callees, so then
/// nothing can be left out.
///
/// Only code is searched: the rest of a library has the names of hooks for other reasons, that of
/// `symex-abi` because it declares them.
fn tells_covers(inputs: &[LinkInput], resolution: &Resolution) -> bool {
    let library = |input: &LinkInput| Some(Arc::as_ptr(&input.of_crate.as_ref()?.library));
    let runtime = resolution
        .any_definer(COVER)
        .and_then(|input| library(&inputs[input]));
    mention(inputs, COVER, |input| {
        let of_crate = library(input);
        of_crate.is_some() && of_crate != runtime
    })
}

/// Reports whether the bitcode of some of the inputs contains the name of a hook.
fn mention(inputs: &[LinkInput], hook: &str, is_asked: impl Fn(&LinkInput) -> bool) -> bool {
    let finder = memchr::memmem::Finder::new(hook);
    inputs.iter().filter(|input| is_asked(input)).any(|input| {
        matches!(&input.code, Code::Bitcode(code) if finder.find(code.as_slice()).is_some())
    })
}

/// Reports whether the program's own modules put functions in the place of others.
fn has_stubs(inputs: &[LinkInput]) -> bool {
    mention(inputs, STUB, |input| input.of_crate.is_none())
}

/// Result of an attempt to link a program.
enum LinkAttempt {
    Done(Box<(Program, ProgramInfo)>),
    /// The library of this number cannot be linked by itself.
    Whole(usize),
    /// Libraries refer to these symbols of the program's own module, and nothing in it does.
    Wants(Vec<LinkSymbol>),
}

/// A part that was just made.
struct Made {
    part: Part,
    /// Symbols that it takes from the C library in bitcode.
    from_library: Vec<String>,
}

/// Makes the error for a part that was made or read before and can no longer be read.
fn unreadable(error: StoreError) -> ProgramError {
    ProgramError::Link(LinkError::Invalid(error.to_string()))
}

/// Modules from which something was taken.
#[derive(Default)]
struct TakenModules {
    /// Inputs by their numbers, computed on first use.
    numbers: FxHashMap<u64, usize>,
    of_program: FxHashSet<usize>,
    /// Arrays that were taken, by their symbols.
    known: RefCell<FxHashSet<String>>,
}

impl TakenModules {
    /// Records the modules of symbols.
    fn note(&mut self, session: Session<'_>, symbols: &[String]) {
        if self.numbers.is_empty() {
            let inputs = session.inputs.iter().enumerate();
            self.numbers = inputs
                .map(|(index, input)| (input.number(index), index))
                .collect();
        }
        for symbol in symbols {
            self.of_program.extend(self.of(session, symbol));
        }
    }

    /// Reports whether the symbol is in a recorded module, and was not asked for before.
    fn is_new(&self, session: Session<'_>, symbol: &str) -> bool {
        let input = self.of(session, symbol);
        input.is_some_and(|input| self.of_program.contains(&input))
            && self.known.borrow_mut().insert(symbol.to_owned())
    }

    /// Returns the input that contains a symbol, by its definer or, for a local one, by the number
    /// in its name.
    fn of(&self, session: Session<'_>, symbol: &str) -> Option<usize> {
        let local = || {
            let (_, number) = symbol.rsplit_once(".llvm.")?;
            self.numbers.get(&number.parse().ok()?).copied()
        };
        session.resolution.definer(symbol).or_else(local)
    }
}

struct Divided<'a> {
    session: Session<'a>,
    options: &'a LinkOptions,
    shelf: &'a dyn Shelf,
    /// Settings on which parts depend besides their library.
    settings: String,
}

impl Divided<'_> {
    fn attempt(&self, crates: &Crates, more: &[LinkSymbol]) -> Result<LinkAttempt, ProgramError> {
        let resolution = self.session.resolution;
        let mut info = resolution.info();
        if info.is_empty() {
            return Ok(LinkAttempt::Done(Box::default()));
        }
        let is_own = |input: usize| crates.of_input[input].is_none();
        let own = link_roots(self.session, &is_own, self.options, more, &mut info)?;
        // To free a module piece by piece takes a tenth of the time; the context frees what is left
        // of them.
        let own = ManuallyDrop::new(own);
        (self.session.tell)(Step::Translate);
        let mut join = Join::new(translate_module(&own.module)?);
        let mut members = TakenModules::default();
        let mut sources: BTreeMap<usize, Vec<PartSource>> = BTreeMap::new();
        let mut wanted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut of_own: BTreeSet<String> = BTreeSet::new();
        for root in resolution.roots() {
            if let Some(library) = crates.of_input[root.input] {
                wanted.entry(library).or_default().insert(root.symbol);
            }
        }
        loop {
            for symbol in join.missing() {
                let of = resolution
                    .definer(&symbol)
                    .map(|input| crates.of_input[input]);
                match of {
                    Some(Some(library)) => {
                        wanted.entry(library).or_default().insert(symbol);
                    }
                    // One that was asked for already is something that no module of ours can
                    // define.
                    Some(None) if more.iter().all(|known| known.symbol != symbol) => {
                        of_own.insert(symbol);
                    }
                    _ => {}
                }
            }
            let elsewhere = |number: Option<usize>| {
                move |symbol: &str| {
                    let definer = resolution.definer(symbol);
                    definer.is_some_and(|input| crates.of_input[input] != number)
                }
            };
            if let Some((number, symbols)) = wanted.pop_first() {
                let sources = sources.entry(number).or_default();
                if !self.provide(crates, number, &symbols, sources)? {
                    return Ok(LinkAttempt::Whole(number));
                }
                join.take(symbols.iter(), sources, &elsewhere(Some(number)))
                    .map_err(unreadable)?;
            } else if !of_own.is_empty() {
                let symbols: Vec<&String> = of_own.iter().collect();
                let Some(made) = self.part(&is_own, &symbols, Some(&own.visited))? else {
                    return Ok(LinkAttempt::Wants(self.symbols(&symbols)));
                };
                join.take(
                    of_own.iter(),
                    &mut [PartSource::new(made.part)],
                    &elsewhere(None),
                )
                .map_err(unreadable)?;
                let of_library = |symbol: &String| {
                    let definer = resolution.definer(symbol);
                    definer.is_some_and(|input| self.session.inputs[input].library)
                };
                info.library.extend(made.from_library);
                info.library
                    .extend(of_own.iter().filter(|&symbol| of_library(symbol)).cloned());
                of_own.clear();
            } else {
                // What runs before the entry belongs to the program where something of its module
                // does.
                let taken = join.taken();
                if taken.is_empty() {
                    break;
                }
                let with_arrays =
                    |sources: &Vec<PartSource>| sources.iter().any(PartSource::has_arrays);
                if !sources.values().any(with_arrays) {
                    continue;
                }
                members.note(self.session, &taken);
                for (number, sources) in &mut sources {
                    let is_meant = |name: &str| members.is_new(self.session, name);
                    join.take_arrays(sources, &is_meant, &elsewhere(Some(*number)))
                        .map_err(unreadable)?;
                }
            }
        }
        info.library.sort_unstable();
        info.library.dedup();
        let (program, undefined) = join.finish();
        info.undefined = self.session.undefined(undefined.into_iter());
        Ok(LinkAttempt::Done(Box::new((info.complete(program), info))))
    }

    /// Returns symbols with the inputs that define them.
    fn symbols(&self, names: &[&String]) -> Vec<LinkSymbol> {
        let symbol = |&name: &&String| {
            Some(LinkSymbol {
                symbol: name.clone(),
                original: name.clone(),
                input: self.session.resolution.definer(name)?,
            })
        };
        names.iter().filter_map(symbol).collect()
    }

    /// Ensures that the sources of a library define the symbols: by stored parts, or by a new one.
    /// False if the library cannot be linked by itself.
    fn provide(
        &self,
        crates: &Crates,
        number: usize,
        symbols: &BTreeSet<String>,
        sources: &mut Vec<PartSource>,
    ) -> Result<bool, ProgramError> {
        let mut missing: Vec<&String> = symbols.iter().collect();
        missing.retain(|symbol| !sources.iter().any(|source| source.defines(symbol)));
        if missing.is_empty() {
            return Ok(true);
        }
        let key = self.key(&crates.libraries[number]);
        if self.shelf.is_whole(&key) {
            return Ok(false);
        }
        for bytes in self.shelf.parts(&key) {
            // One that cannot be read is none.
            let Ok(part) = Part::load(bytes) else {
                continue;
            };
            if missing.iter().any(|symbol| part.defines(symbol)) {
                missing.retain(|symbol| !part.defines(symbol));
                sources.push(PartSource::new(part));
            }
            if missing.is_empty() {
                return Ok(true);
            }
        }
        let scope = |input: usize| crates.of_input[input] == Some(number);
        let Some(made) = self.part(&scope, &missing, None)? else {
            self.shelf.note_whole(&key);
            return Ok(false);
        };
        self.shelf.keep(&key, made.part.bytes());
        sources.push(PartSource::new(made.part));
        Ok(true)
    }

    /// Links what some symbols reach in a scope; `None` if that cannot be linked by itself.
    /// `visited`: inputs whose constructors are in the program, to which none may be added.
    fn part(
        &self,
        scope: &dyn Fn(usize) -> bool,
        symbols: &[&String],
        visited: Option<&FxHashSet<usize>>,
    ) -> Result<Option<Made>, ProgramError> {
        let roots = self.symbols(symbols);
        let (session, before) = (self.session, visited.cloned().unwrap_or_default());
        let linker = Linker::link(session, "part", scope, roots, &[], before)?;
        let linker = ManuallyDrop::new(linker);
        if linker.has_lists || visited.is_some() && !linker.init_array.is_empty() {
            return Ok(None);
        }
        linker.show_all();
        (self.session.tell)(Step::Prepare);
        passes::verify(&linker.module).map_err(LinkError::Invalid)?;
        let role = ModuleRole::Part(&|| linker.hide_unused());
        passes::run(&linker.module, &self.options.passes, role).map_err(LinkError::Passes)?;
        (self.session.tell)(Step::Translate);
        let program = translate_module(&linker.module)?;
        if !can_be_joined(&program) {
            return Ok(None);
        }
        let part = Part::save(program)
            .and_then(Part::load)
            .map_err(unreadable)?;
        let made = Made {
            part,
            from_library: linker.from_library.iter().cloned().collect(),
        };
        let is_whole = symbols.iter().all(|symbol| made.part.defines(symbol));
        Ok(is_whole.then_some(made))
    }

    /// Returns the cache key of a library: a hash of all that its parts depend on.
    fn key(&self, library: &Library) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.settings.as_bytes());
        hasher.update(library.library.hash().as_bytes());
        for symbol in &library.replaced {
            hasher.update(symbol.as_bytes()).update(&[0]);
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

#[cfg(test)]
#[path = "divided_tests.rs"]
mod tests;
