//! Linking of one module: the wanted symbols, with what they reach in the inputs that belong to the
//! module.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;

use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};

use super::resolve::{self, LinkSymbol, Resolution};
use super::source::{self, Diagnostics, GlobalValue, SourceModule, Strength};
use super::{Code, LinkError, LinkInput, ProgramInfo, Step, UndefinedSymbol};

/// State shared by all modules of a link.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    pub context: &'a Context,
    pub diagnostics: &'a Diagnostics,
    pub tell: &'a dyn Fn(Step),
    pub inputs: &'a [LinkInput],
    pub resolution: &'a Resolution,
}

/// Visit of an input that is opened to take something from it.
struct InputVisit<'v> {
    index: usize,
    /// Number that makes the names of its local symbols unique.
    number: u64,
    is_first: bool,
    /// Wanted symbols.
    symbols: &'v BTreeSet<String>,
}

/// A module in the making.
pub struct Linker<'a> {
    session: Session<'a>,
    /// Predicate of the inputs that belong to the module.
    scope: &'a dyn Fn(usize) -> bool,
    pub module: Module<'a>,
    /// Symbols for which the module is linked.
    roots: Vec<LinkSymbol>,
    /// Triple and data layout of the program: those of the first module.
    target: Option<(String, String)>,
    /// Inputs linked at least once.
    pub visited: FxHashSet<usize>,
    /// Symbols asked for, so that a missing one is not asked for again.
    asked: FxHashSet<String>,
    /// Symbols still to be taken, by input.
    pending: BTreeMap<usize, BTreeSet<String>>,
    /// Variables in sections of constructors.
    pub init_array: Vec<String>,
    /// Whether there are LLVM's lists of functions to run before or after `main`.
    pub has_lists: bool,
    /// Symbols that the C library in bitcode defines.
    pub from_library: BTreeSet<String>,
}

impl<'a> Linker<'a> {
    /// Links the roots, which are in the scope, and what they reach there. `visited`: inputs whose
    /// constructors are in another module of the program.
    pub fn link(
        session: Session<'a>,
        name: &str,
        scope: &'a dyn Fn(usize) -> bool,
        roots: Vec<LinkSymbol>,
        with_constructors: &[usize],
        visited: FxHashSet<usize>,
    ) -> Result<Self, LinkError> {
        let mut linker = Linker {
            session,
            scope,
            module: session.context.create_module(name),
            roots,
            target: None,
            visited,
            asked: FxHashSet::default(),
            pending: BTreeMap::new(),
            init_array: Vec::new(),
            has_lists: false,
            from_library: BTreeSet::new(),
        };
        linker.run(with_constructors)?;
        Ok(linker)
    }

    fn run(&mut self, with_constructors: &[usize]) -> Result<(), LinkError> {
        for root in &self.roots {
            self.asked.insert(root.symbol.clone());
            let wanted = self.pending.entry(root.input).or_default();
            wanted.insert(root.symbol.clone());
        }
        for &input in with_constructors {
            self.pending.entry(input).or_default();
        }
        while let Some((input, symbols)) = self.pending.pop_first() {
            self.take(input, &symbols)?;
            self.ask_for_missing();
        }
        Ok(())
    }

    /// Links `symbols` of one input, and what they refer to in the same input.
    fn take(&mut self, index: usize, symbols: &BTreeSet<String>) -> Result<(), LinkError> {
        let input = &self.session.inputs[index];
        let Code::Bitcode(bytes) = &input.code else {
            return Ok(());
        };
        (self.session.tell)(Step::Read(input.origin.clone()));
        let unreadable = |reason| LinkError::unreadable(&input.origin, reason);
        let mismatch = |reason| LinkError::Mismatch {
            origin: input.origin.clone(),
            reason,
        };
        let module = SourceModule::open(
            self.session.context,
            bytes.as_slice(),
            self.session.diagnostics,
        )
        .map_err(unreadable)?;
        let (triple, layout) = self
            .target
            .get_or_insert_with(|| (module.target(), module.data_layout()));
        if *layout != module.data_layout() {
            let reason = format!(
                "its data layout is `{}`, that of the program `{layout}`",
                module.data_layout()
            );
            return Err(mismatch(reason));
        }
        let triple = CString::new(triple.as_str()).expect("a triple has no NUL");
        module.set_target(&triple);
        let visit = InputVisit {
            index,
            number: input.number(index),
            is_first: self.visited.insert(index),
            symbols,
        };
        for (ordinal, global) in module.globals().into_iter().enumerate() {
            self.prepare(&module, &visit, ordinal, global);
        }
        module
            .link_into(&self.module, self.session.diagnostics)
            .map_err(mismatch)
    }

    /// Decides for one global of an opened module whether and how it is linked.
    fn prepare(
        &mut self,
        module: &SourceModule<'a>,
        visit: &InputVisit<'_>,
        ordinal: usize,
        global: GlobalValue<'a>,
    ) {
        let name = global.name();
        if name.starts_with("llvm.") {
            // What `#[used]` keeps alive for others is no reason to execute it; constructors come
            // once.
            if name == "llvm.used"
                || name == "llvm.compiler.used"
                || (global.is_appending() && !visit.is_first)
            {
                global.delete_variable();
            } else {
                self.has_lists |= global.is_appending();
            }
            return;
        }
        global.leave_comdat();
        if global.is_declaration() {
            return;
        }
        let constructor = visit.is_first && resolve::is_constructor_section(&global.section());
        let strength = global.strength();
        if self
            .session
            .resolution
            .is_opaque(&name, strength == Strength::Local)
        {
            return module.demote(global);
        }
        let symbol = if strength == Strength::Local {
            let symbol = resolve::program_wide_name(&name, visit.number, ordinal);
            global.rename(&symbol);
            symbol
        } else {
            name
        };
        if strength == Strength::Local
            || self.session.resolution.definer(&symbol) == Some(visit.index)
        {
            if constructor {
                self.init_array.push(symbol.clone());
            }
            if constructor || visit.symbols.contains(&symbol) {
                global.make_required()
            } else {
                global.make_optional()
            }
        } else if matches!(strength, Strength::Equal | Strength::Copy) {
            global.make_copy();
        } else {
            module.demote(global);
        }
    }

    /// Queues symbols that the program now refers to and some input defines.
    fn ask_for_missing(&mut self) {
        for global in source::globals_of(&self.module) {
            if !global.is_declaration() && global.strength() != Strength::Copy {
                continue;
            }
            let name = global.name();
            if name.starts_with("llvm.") || self.asked.contains(&name) {
                continue;
            }
            let definer = self.session.resolution.definer(&name);
            if let Some(input) = definer.filter(|&input| (self.scope)(input)) {
                if self.session.inputs[input].library {
                    self.from_library.insert(name.clone());
                }
                self.pending.entry(input).or_default().insert(name.clone());
            }
            self.asked.insert(name);
        }
    }

    /// Hides everything but the roots and gives roots their own names back. Returns a map from
    /// their previous names to the new ones.
    pub fn hide_all_but_roots(&self) -> FxHashMap<String, String> {
        let roots: FxHashMap<&String, &LinkSymbol> =
            self.roots.iter().map(|root| (&root.symbol, root)).collect();
        let kept: FxHashSet<&String> = self.init_array.iter().collect();
        let mut renamed = FxHashMap::default();
        for global in source::globals_of(&self.module) {
            let name = global.name();
            if name.starts_with("llvm.") || global.is_declaration() {
                continue;
            }
            if let Some(root) = roots.get(&name) {
                if root.original != name && self.module.get_function(&root.original).is_none() {
                    global.rename(&root.original);
                    renamed.insert(name, global.name());
                }
            } else if !kept.contains(&name) {
                global.make_local();
            }
        }
        renamed
    }

    /// Makes everything in the module visible to other modules, so that no pass decides by the uses
    /// here.
    pub fn show_all(&self) {
        for global in self.defined() {
            global.make_required();
        }
    }

    /// Hides everything but the roots, so that unused definitions can be dropped.
    pub fn hide_unused(&self) {
        let roots = self.roots.iter().map(|root| &root.symbol);
        let kept: FxHashSet<&String> = roots.chain(&self.init_array).collect();
        for global in self.defined() {
            if !kept.contains(&global.name()) {
                global.make_local();
            }
        }
    }

    /// Iterates over the module's definitions, without copies of definitions elsewhere and without
    /// LLVM's own globals.
    fn defined(&self) -> impl Iterator<Item = GlobalValue<'_>> {
        let all = source::globals_of(&self.module).into_iter();
        all.filter(|global| {
            !global.is_declaration()
                && global.strength() != Strength::Copy
                && !global.name().starts_with("llvm.")
        })
    }

    /// Adds the facts about a program that are known when its modules are linked.
    pub fn tell_of(&mut self, info: &mut ProgramInfo) {
        info.init_array = std::mem::take(&mut self.init_array);
        info.library = std::mem::take(&mut self.from_library).into_iter().collect();
    }

    /// Returns the symbols that the module refers to and does not define.
    pub fn undefined(&self) -> Vec<UndefinedSymbol> {
        let names = source::globals_of(&self.module)
            .into_iter()
            .filter(|global| global.is_declaration() && global.is_used())
            .map(|global| global.name());
        self.session.undefined(names)
    }
}

impl Session<'_> {
    /// Returns these symbols in order, with the origin of machine code for them; LLVM's own are
    /// left out.
    pub fn undefined(&self, names: impl Iterator<Item = String>) -> Vec<UndefinedSymbol> {
        let mut undefined: Vec<UndefinedSymbol> = names
            .filter(|name| !name.starts_with("llvm."))
            .map(|symbol| {
                let native_in = self.resolution.native_definer(&symbol, self.inputs);
                UndefinedSymbol { symbol, native_in }
            })
            .collect();
        undefined.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        undefined
    }
}
