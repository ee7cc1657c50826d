//! Translation of a module to a program: numbers symbols, then translates globals and function
//! bodies.
//!
//! LLVM's own functions (`llvm.*`) get a number only when a call to one remains after translation;
//! they then are external functions of that name.

use super::body;
use super::constants::{KnownConstant, Symbols};
use super::debug_info::DebugInfo;
use super::demangle;
use super::initializers;
use super::ll::{B, ByvalKinds, Linkage, M, T, V, ValueKind, metadata_kind};
use super::load::LoadError;
use super::passes::claims::Attributes;
use super::types::Types;
use inkwell::module::Module;
use rustc_hash::FxHashMap;
use symex_program::{
    FuncId, Function, Global, GlobalId, InitArray, Marks, Param, Program, RelocTarget,
};

/// Translates a whole module.
pub fn translate_module(module: &Module<'_>) -> Result<Program, LoadError> {
    let m = M::new(module);
    if m.data_layout_text().is_empty() {
        // Hand-written IR often leaves it out; LLVM's default would have 32-bit alignment for i64.
        let layout =
            "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
        let data = inkwell::targets::TargetData::create(layout);
        module.set_data_layout(&data.get_data_layout());
    }
    let layout = m.layout();
    if !layout.little_endian() || layout.pointer_bytes() != 8 {
        return Err(LoadError::Target(
            "only 64-bit little-endian targets are supported".to_owned(),
        ));
    }
    // What a `va_list` looks like, and the C library's structures, are those of one target.
    let triple = module.get_triple();
    let triple = triple.as_str().to_string_lossy();
    let others = ["windows", "darwin", "macos", "wasi"];
    let is_other = |triple: &str| {
        !triple.starts_with("x86_64") || others.iter().any(|system| triple.contains(system))
    };
    if !triple.is_empty() && is_other(&triple) {
        return Err(LoadError::Target(format!(
            "its code is for {triple}, and only Linux on x86-64 is supported"
        )));
    }
    let mut translation = Translation {
        types: Types::new(layout),
        symbols: Symbols {
            layout,
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            blocks: FxHashMap::default(),
        },
        debug: DebugInfo::new(m.context()),
        attributes: ByvalKinds::new(),
        claims: Attributes::of(module.as_mut_ptr()),
        no_undef: metadata_kind(m.context(), "noundef"),
        program: Program::default(),
        reasons: FxHashMap::default(),
    };
    translation.run(m);
    let program = translation.finish();
    #[cfg(debug_assertions)]
    symex_program::check::check(&program).map_err(LoadError::Broken)?;
    Ok(program)
}

/// Translation of a module in progress.
pub struct Translation {
    pub types: Types,
    pub symbols: Symbols,
    pub debug: DebugInfo,
    pub attributes: ByvalKinds,
    claims: Attributes,
    /// The number of the metadata by which a load says that what it gives is initialised.
    pub no_undef: u32,
    pub program: Program,
    reasons: FxHashMap<String, u32>,
}

impl Translation {
    fn run(&mut self, m: M) {
        let globals = m.globals();
        let functions = m.functions();
        self.number(&globals, &functions);
        self.number_taken_blocks(&functions);
        self.name_aliases(m);
        for &g in &globals {
            self.fill_global(g);
        }
        self.constructors(&globals);
        self.destructors(&globals);
        for &f in &functions {
            if let Some(&id) = self.symbols.functions.get(&f)
                && !f.is_declaration()
            {
                let translated = body::translate(self, f);
                self.program.functions[id.0 as usize].body = Some(translated);
            }
        }
    }

    fn finish(mut self) -> Program {
        self.program.locs = self.debug.table;
        self.program
    }

    /// Assigns every global and function its number and its signature.
    fn number(&mut self, globals: &[V], functions: &[V]) {
        for &g in globals {
            let name = g.name();
            if is_for_the_compiler(g, &name) {
                continue;
            }
            let id = GlobalId(self.program.globals.len() as u32);
            let ty = g.value_type();
            let sized = ty.is_sized();
            let layout = self.symbols.layout;
            if matches!(g.linkage(), Linkage::ExternalWeak) {
                self.program.weak_globals.push(id);
            }
            self.program.globals.push(Global {
                display: demangle::display(&name),
                size: if sized { layout.size(ty) } else { 0 },
                align: match g.alignment() {
                    0 if sized => layout.align(ty),
                    0 => 1,
                    n => n,
                },
                constant: g.is_global_constant(),
                thread_local: g.is_thread_local(),
                rust: demangle::is_of_rust(&name),
                init: None,
                name: name.clone(),
            });
            self.symbols.globals.insert(g, id);
            if !name.is_empty() {
                self.program.global_names.insert(name, id);
            }
        }
        for &f in functions {
            if f.has_llvm_name() || f.is_check() {
                continue;
            }
            let name = f.name();
            let id = FuncId(self.program.functions.len() as u32);
            if matches!(f.linkage(), Linkage::ExternalWeak) {
                self.program.weak_functions.push(id);
            }
            let function = self.signature(f, name.clone());
            self.program.functions.push(function);
            self.symbols.functions.insert(f, id);
            if !name.is_empty() {
                self.program.function_names.insert(name, id);
            }
        }
    }

    fn signature(&mut self, f: V, name: String) -> Function {
        let (ty, rust) = (f.value_type(), f.is_rust());
        let is_called = rust && !f.is_declaration();
        let mut params = Vec::new();
        let (mut floats, mut joined) = (Marks::default(), Marks::default());
        for (i, t) in ty.params().into_iter().enumerate() {
            let byval = self.attributes.of_param(f, i as u32);
            let byval = byval.map(|(t, align)| self.byval(t, align));
            if let Ok(t) = self.types.get(t) {
                floats.args |= t.floats(params.len());
                joined.args |= t.joined(params.len());
                let widths = t.widths();
                let claim = match widths[..] {
                    [_] if is_called && byval.is_none() => self.claims.of_param(f.raw(), i as u32),
                    _ => None,
                };
                params.extend(widths.into_iter().map(|width| Param {
                    width,
                    byval,
                    claim,
                }));
            }
        }
        if let Ok(t) = self.types.get(ty.returns()) {
            floats.results = t.floats(0);
            joined.results = t.joined(0);
        }
        Function {
            display: demangle::display(&name),
            name,
            params,
            returns: self.widths(ty.returns()),
            floats,
            joined,
            variadic: ty.is_variadic(),
            body: None,
            noreturn: self.attributes.noreturn(f),
            rust,
        }
    }

    /// Returns size and alignment of a `byval` argument, in bytes.
    pub fn byval(&self, t: T, align: u64) -> (u64, u64) {
        let layout = self.symbols.layout;
        let align = if align == 0 { layout.align(t) } else { align };
        (layout.size(t), align)
    }

    /// Returns the widths of the leaves of a type. A type without a form has none; the code of
    /// functions that use it reports that.
    pub fn widths(&mut self, t: T) -> Vec<u32> {
        self.types.get(t).map(|t| t.widths()).unwrap_or_default()
    }

    /// Numbers the blocks of functions with computed gotos, to which constants may refer.
    fn number_taken_blocks(&mut self, functions: &[V]) {
        for &f in functions {
            if f.is_declaration() {
                continue;
            }
            let order = body::block_order(f);
            let computed = order.iter().any(|b| {
                b.terminator()
                    .is_some_and(|t| matches!(t.opcode(), super::ll::Opcode::IndirectBr))
            });
            if computed {
                let numbers: FxHashMap<B, u32> = (0u32..).zip(order).map(|(i, b)| (b, i)).collect();
                self.symbols.blocks.insert(f, numbers);
            }
        }
    }

    fn name_aliases(&mut self, m: M) {
        for alias in m.aliases() {
            match self.symbols.fold(alias) {
                Some(KnownConstant::Address(RelocTarget::Function(id), 0)) => {
                    self.program.function_names.insert(alias.name(), id);
                }
                Some(KnownConstant::Address(RelocTarget::Global(id), 0)) => {
                    self.program.global_names.insert(alias.name(), id);
                }
                _ => {}
            }
        }
    }

    fn fill_global(&mut self, g: V) {
        let (Some(&id), Some(value)) = (self.symbols.globals.get(&g), g.initializer()) else {
            return;
        };
        let global = &mut self.program.globals[id.0 as usize];
        match initializers::translate(&self.symbols, value, global.size) {
            Ok(init) => global.init = Some(init),
            Err(why) => {
                global.display = format!("{} (contents not supported: {why})", global.display);
            }
        }
    }

    /// Collects constructors: `llvm.global_ctors` by priority, then the contents of the sections
    /// `.init_array*`, by name of the section.
    fn constructors(&mut self, globals: &[V]) {
        let mut arrays: Vec<InitArray> = Vec::new();
        for &g in globals {
            let section = g.section();
            if section.starts_with(".init_array")
                && let Some(&global) = self.symbols.globals.get(&g)
                && let Some(init) = &self.program.global(global).init
            {
                arrays.push(InitArray {
                    section,
                    global,
                    functions: init.functions(),
                });
            }
        }
        InitArray::sort(&mut arrays);
        let listed = self.listed(globals, "llvm.global_ctors");
        self.program.constructors = InitArray::functions_of(&arrays).chain(listed).collect();
        self.program.arrays = arrays;
    }

    /// Collects destructors: `llvm.global_dtors`, which are run in reverse order.
    fn destructors(&mut self, globals: &[V]) {
        let mut listed = self.listed(globals, "llvm.global_dtors");
        listed.reverse();
        self.program.destructors = listed;
    }

    /// Returns the functions of an LLVM list by priority.
    fn listed(&self, globals: &[V], name: &str) -> Vec<FuncId> {
        let mut found: Vec<(u64, FuncId)> = Vec::new();
        for &g in globals {
            if g.name() == name
                && let Some(list) = g.initializer()
                && matches!(list.kind(), ValueKind::ConstantArray)
            {
                for i in 0..list.operand_count() {
                    let entry = list.operand(i);
                    if let Some(KnownConstant::Address(RelocTarget::Function(f), 0)) =
                        self.symbols.fold(entry.operand(1))
                    {
                        found.push((entry.operand(0).int_low(), f));
                    }
                }
            }
        }
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, f)| f).collect()
    }

    /// Returns the number of an external function by name, declaring it with these widths if the
    /// module has none of the name.
    pub fn external(&mut self, name: &str, params: &[u32], returns: &[u32]) -> FuncId {
        if let Some(&id) = self.program.function_names.get(name) {
            return id;
        }
        let id = FuncId(self.program.functions.len() as u32);
        self.program.functions.push(Function {
            name: name.to_owned(),
            display: name.to_owned(),
            params: params.iter().map(|&width| Param::of_width(width)).collect(),
            returns: returns.to_vec(),
            floats: Marks::default(),
            joined: Marks::default(),
            variadic: false,
            body: None,
            noreturn: matches!(name, "llvm.trap" | "llvm.ubsantrap"),
            rust: false,
        });
        self.program.function_names.insert(name.to_owned(), id);
        id
    }

    /// Returns the number of a text of `Inst::Unsupported`.
    pub fn reason(&mut self, text: String) -> u32 {
        let reasons = &mut self.program.reasons;
        *self.reasons.entry(text).or_insert_with_key(|text| {
            reasons.push(text.clone());
            reasons.len() as u32 - 1
        })
    }
}

/// Reports whether it is a list for the linker and the code generator, which the program cannot
/// reach.
fn is_for_the_compiler(g: V, name: &str) -> bool {
    name.starts_with("llvm.")
        && (matches!(g.linkage(), Linkage::Appending)
            || matches!(
                g.section().as_str(),
                "llvm.metadata" | ".llvmbc" | ".llvmcmd"
            ))
}
