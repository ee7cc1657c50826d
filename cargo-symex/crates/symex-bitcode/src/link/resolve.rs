//! Symbol resolution: the defining input of each symbol, and the roots.
//!
//! Invariant: decided once, from the inputs alone, in link order; the result does not depend on
//! what is linked later. Object files come before archives, strong definitions before weak ones,
//! earlier before later.

use std::collections::BTreeMap;

use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_abi::names::{self, Generated, Item};

use crate::load::with_module;

use super::property_tests::References;
use super::source::{Diagnostics, SourceModule, Strength};
use super::{
    Code, HarnessRoot, Harnesses, LinkError, LinkInput, LinkOptions, ProgramInfo, PropertyTest,
    Step, property_tests,
};

/// A symbol of the program, with its definition.
#[derive(Clone, Debug)]
pub struct LinkSymbol {
    /// Name in the linked program.
    pub symbol: String,
    /// Name in its own module, which differs for a local symbol.
    pub original: String,
    /// Index of the input that defines it.
    pub input: usize,
}

/// Defining inputs of all symbols, and the roots.
pub struct Resolution {
    definers: FxHashMap<String, (usize, Rank)>,
    opaque: Opaque,
    native: Vec<bool>,
    harness_roots: Vec<LinkSymbol>,
    /// The harnesses, ordered by path.
    pub harnesses: Vec<HarnessRoot>,
    /// The tests of properties, ordered by path, if descriptions are asked for.
    pub property_tests: Vec<PropertyTest>,
    /// Roots that were asked for by name.
    pub named_roots: Vec<LinkSymbol>,
    /// Object files that run code before or after `main` and so belong to the program even if
    /// nothing refers to them.
    pub with_constructors: Vec<usize>,
}

/// Precedence of a definition; the smaller one wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Strong,
    Weak,
    Archive,
    Library,
}

/// Symbol that every C library for Linux defines and nothing else does: the location of `errno`.
const LIBC_MARK: &str = "__errno_location";

/// Makes a name for a local symbol that no other module has and that demanglers see through.
pub fn program_wide_name(name: &str, input: u64, ordinal: usize) -> String {
    match name {
        "" => format!("anon.{ordinal}.llvm.{input}"),
        _ => format!("{name}.llvm.{input}"),
    }
}

/// Reports whether the contents of a section are pointers to functions that run before `main`.
pub fn is_constructor_section(section: &str) -> bool {
    [".init_array", ".ctors", ".preinit_array"]
        .iter()
        .any(|prefix| section.starts_with(prefix))
}

/// Returns the path of a symbol without hashes; `None` when it is not mangled.
pub fn demangled(symbol: &str) -> Option<String> {
    rustc_demangle::try_demangle(symbol)
        .ok()
        .map(|name| format!("{name:#}"))
}

/// Reports whether it is one of the helpers. They are few and symbols are many, so the last part of
/// the path is searched first.
fn is_helper(options: &LinkOptions, symbol: &str) -> bool {
    options.helpers.iter().any(|path| {
        let last = path.rsplit("::").next().unwrap_or(path);
        symbol.contains(last) && demangled(symbol).is_some_and(|name| name == *path)
    })
}

/// Finds functions by their symbols or, where a name has several parts, by their paths.
fn named_roots(wanted: &[String], candidates: &[LinkSymbol]) -> Result<Vec<LinkSymbol>, LinkError> {
    let mut by_name: FxHashMap<&str, Option<&LinkSymbol>> =
        wanted.iter().map(|name| (name.as_str(), None)).collect();
    // There may be hundreds of them, and symbols are many: each is demangled once.
    let are_paths = wanted.iter().any(|name| name.contains("::"));
    for candidate in candidates {
        let path = || demangled(&candidate.original).filter(|_| are_paths);
        let found = match by_name.get_mut(candidate.original.as_str()) {
            Some(found) => Some(found),
            None => path().and_then(|path| by_name.get_mut(path.as_str())),
        };
        if let Some(found) = found {
            found.get_or_insert(candidate);
        }
    }
    let root = |name: &String| {
        let found = by_name.get(name.as_str()).copied().flatten();
        let missing = || LinkError::NoSuchRoot(name.clone());
        found.cloned().ok_or_else(missing)
    };
    wanted.iter().map(root).collect()
}

impl Resolution {
    /// Reads the symbol tables of all inputs.
    pub fn new(
        context: &Context,
        inputs: &[LinkInput],
        options: &LinkOptions,
        diagnostics: &Diagnostics,
        tell: &dyn Fn(Step),
    ) -> Result<Self, LinkError> {
        let mut resolution = Resolution {
            definers: FxHashMap::default(),
            opaque: Opaque::new(&options.opaque),
            native: inputs
                .iter()
                .map(|input| matches!(input.code, Code::Native))
                .collect(),
            harness_roots: Vec::new(),
            harnesses: Vec::new(),
            property_tests: Vec::new(),
            named_roots: Vec::new(),
            with_constructors: Vec::new(),
        };
        let mut candidates: Vec<LinkSymbol> = Vec::new();
        let mut references = References::default();
        for (index, input) in inputs.iter().enumerate() {
            let rank = match (input.library, input.lazy) {
                (true, _) => Rank::Library,
                (false, true) => Rank::Archive,
                (false, false) => Rank::Strong,
            };
            match (&input.defines, &input.code) {
                // An index says nothing about local symbols; it is enough for archives, which hold
                // no roots of their own.
                (Some(symbols), _) if input.lazy || matches!(input.code, Code::Native) => {
                    for symbol in symbols {
                        resolution.define(symbol, index, rank);
                        let wanted = options.roots.iter().any(|root| root == symbol);
                        if wanted || is_helper(options, symbol) {
                            let symbol = symbol.clone();
                            candidates.push(LinkSymbol {
                                original: symbol.clone(),
                                symbol,
                                input: index,
                            });
                        }
                    }
                }
                (_, Code::Bitcode(bytes)) => {
                    tell(Step::Read(input.origin.clone()));
                    let module = SourceModule::open(context, bytes.as_slice(), diagnostics)
                        .map_err(|reason| LinkError::unreadable(&input.origin, reason))?;
                    let is_of_properties = resolution.read(&module, index, input, &mut candidates);
                    if is_of_properties && options.harnesses == Harnesses::Descriptions {
                        let read = |module: &Module<'_>| references.read(module);
                        with_module(bytes.as_slice(), &input.origin, read).map_err(|error| {
                            LinkError::unreadable(&input.origin, error.to_string())
                        })?;
                    }
                }
                (_, Code::Native) => {}
            }
        }
        if resolution.brings_libc(&candidates) {
            let symbols = options.opaque_of_libc.iter().cloned();
            resolution.opaque.symbols.extend(symbols);
            // Two C libraries would have two of what is one.
            resolution
                .definers
                .retain(|_, (_, rank)| *rank != Rank::Library);
        }
        resolution.find_roots(candidates, &references, options)?;
        Ok(resolution)
    }

    /// Reports whether the inputs contain a C library in bitcode. It may have been made local to
    /// its module.
    fn brings_libc(&self, candidates: &[LinkSymbol]) -> bool {
        candidates.iter().any(|c| c.original == LIBC_MARK) || self.definer(LIBC_MARK).is_some()
    }

    /// Adds the symbols of a module, and reports whether one is of a library for tests of
    /// properties.
    fn read(
        &mut self,
        module: &SourceModule<'_>,
        index: usize,
        input: &LinkInput,
        candidates: &mut Vec<LinkSymbol>,
    ) -> bool {
        let (lazy, number) = (input.lazy, input.number(index));
        let (mut constructors, mut is_of_properties) = (false, false);
        for (ordinal, global) in module.globals().into_iter().enumerate() {
            let name = global.name();
            if name.starts_with("llvm.") {
                let runs = ["llvm.global_ctors", "llvm.global_dtors"].contains(&name.as_str());
                constructors |= global.is_appending() && runs;
                continue;
            }
            is_of_properties |= References::are_needed(&name);
            if global.is_declaration() {
                continue;
            }
            constructors |= is_constructor_section(&global.section());
            let strength = global.strength();
            let rank = match strength {
                Strength::Local | Strength::Copy => None,
                _ if lazy => Some(Rank::Archive),
                Strength::Strong => Some(Rank::Strong),
                Strength::Weak | Strength::Equal => Some(Rank::Weak),
            };
            let symbol = match strength {
                Strength::Local => program_wide_name(&name, number, ordinal),
                _ => name.clone(),
            };
            if let Some(rank) = rank {
                self.define(&symbol, index, rank);
            }
            candidates.push(LinkSymbol {
                symbol,
                original: name,
                input: index,
            });
        }
        if constructors && !lazy {
            self.with_constructors.push(index);
        }
        is_of_properties
    }

    fn define(&mut self, symbol: &str, input: usize, rank: Rank) {
        match self.definers.get_mut(symbol) {
            Some(known) if known.1 <= rank => {}
            Some(known) => *known = (input, rank),
            None => {
                self.definers.insert(symbol.to_owned(), (input, rank));
            }
        }
    }

    fn find_roots(
        &mut self,
        candidates: Vec<LinkSymbol>,
        references: &References,
        options: &LinkOptions,
    ) -> Result<(), LinkError> {
        let mut entries: BTreeMap<(String, String), LinkSymbol> = BTreeMap::new();
        let mut metas: BTreeMap<(String, String), LinkSymbol> = BTreeMap::new();
        if options.harnesses != Harnesses::None {
            for candidate in &candidates {
                let Some(generated) = generated(&candidate.original) else {
                    continue;
                };
                let group = match generated.item {
                    Item::Entry => &mut entries,
                    Item::Meta => &mut metas,
                };
                group
                    .entry((generated.krate, generated.path))
                    .or_insert_with(|| candidate.clone());
            }
        }
        for ((krate, path), entry) in entries {
            let meta = metas.remove(&(krate.clone(), path.clone()));
            let harness = HarnessRoot {
                path,
                krate,
                entry: entry.symbol.clone(),
                meta: meta.as_ref().map(|m| m.symbol.clone()),
            };
            match &options.harnesses {
                Harnesses::None => continue,
                Harnesses::Descriptions => self.harness_roots.extend(meta),
                Harnesses::Chosen(names) if names.contains(&harness.name()) => {
                    self.harness_roots.push(entry);
                }
                Harnesses::Chosen(_) => continue,
            }
            self.harnesses.push(harness);
        }
        if options.harnesses == Harnesses::Descriptions {
            // What describes them refers to no code.
            self.with_constructors.clear();
            let symbols = candidates.iter().map(|c| c.original.as_str());
            self.property_tests = property_tests::find(symbols, references);
        } else if !self.harnesses.is_empty() {
            let helpers = candidates
                .iter()
                .filter(|c| is_helper(options, &c.original));
            self.harness_roots.extend(helpers.cloned());
        }
        self.named_roots = named_roots(&options.roots, &candidates)?;
        Ok(())
    }

    /// Returns the facts about the program that are known before it is linked: its roots.
    pub fn info(&self) -> ProgramInfo {
        let symbols = self.named_roots.iter().map(|root| root.symbol.clone());
        ProgramInfo {
            harnesses: self.harnesses.clone(),
            property_tests: self.property_tests.clone(),
            roots: symbols.collect(),
            ..ProgramInfo::default()
        }
    }

    /// Returns all roots.
    pub fn roots(&self) -> Vec<LinkSymbol> {
        self.harness_roots
            .iter()
            .chain(&self.named_roots)
            .cloned()
            .collect()
    }

    /// Returns the input with the bitcode that defines `symbol`.
    pub fn definer(&self, symbol: &str) -> Option<usize> {
        let (input, _) = *self.definers.get(symbol)?;
        (!self.native[input] && !self.is_opaque(symbol, false)).then_some(input)
    }

    /// Returns the input that defines `symbol`, in bitcode or not, even if it is to stay undefined.
    pub fn any_definer(&self, symbol: &str) -> Option<usize> {
        self.definers.get(symbol).map(|(input, _)| *input)
    }

    /// Returns a text that identifies the set of opaque symbols.
    pub fn opaque_text(&self) -> String {
        self.opaque.text()
    }

    /// Returns the origin of the machine code that defines `symbol`.
    pub fn native_definer(&self, symbol: &str, inputs: &[LinkInput]) -> Option<String> {
        let (input, _) = *self.definers.get(symbol)?;
        self.native[input].then(|| inputs[input].origin.clone())
    }

    /// Reports whether `symbol` is to stay undefined.
    pub fn is_opaque(&self, symbol: &str, local: bool) -> bool {
        self.opaque.contains(symbol, local)
    }
}

/// Symbols that stay undefined.
struct Opaque {
    symbols: FxHashSet<String>,
    prefixes: Vec<String>,
    /// Demangled paths, each with its last part, which the mangled symbol contains unchanged.
    paths: Vec<(String, String)>,
}

impl Opaque {
    fn new(patterns: &[String]) -> Self {
        let mut opaque = Opaque {
            symbols: FxHashSet::default(),
            prefixes: Vec::new(),
            paths: Vec::new(),
        };
        for pattern in patterns {
            if let Some(prefix) = pattern.strip_suffix('*') {
                opaque.prefixes.push(prefix.to_owned());
            } else if let Some((_, last)) = pattern.rsplit_once("::") {
                opaque.paths.push((pattern.clone(), last.to_owned()));
            } else {
                opaque.symbols.insert(pattern.clone());
            }
        }
        opaque
    }

    fn text(&self) -> String {
        let mut symbols: Vec<&String> = self.symbols.iter().collect();
        symbols.sort_unstable();
        format!("{symbols:?} {:?} {:?}", self.prefixes, self.paths)
    }

    fn contains(&self, symbol: &str, local: bool) -> bool {
        self.symbols.contains(symbol)
            || !local
                && self
                    .prefixes
                    .iter()
                    .any(|prefix| symbol.starts_with(prefix.as_str()))
            || self.paths.iter().any(|(path, last)| {
                symbol.contains(last.as_str())
                    && demangled(symbol).is_some_and(|demangled| demangled == *path)
            })
    }
}

/// Returns the harness whose entry or metadata a symbol is.
fn generated(symbol: &str) -> Option<Generated> {
    if !names::is_generated(symbol) {
        return None;
    }
    Generated::of(&demangled(symbol)?)
}
