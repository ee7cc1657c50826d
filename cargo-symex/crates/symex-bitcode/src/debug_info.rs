//! Translation of debug locations: LLVM's nodes to entries of the [`LocTable`], each node once.
//!
//! Paths are made absolute with the compilation directory; function names are the demangled linkage
//! name where there is one. Variables and types are not read.

use super::demangle;
use super::ll::{Md, V};
use inkwell::llvm_sys::prelude::LLVMContextRef;
use rustc_hash::FxHashMap;
use symex_program::{Loc, LocId, LocTable};

/// Operand numbers of LLVM's nodes.
const SCOPE: usize = 1;
const NAME: usize = 2;
const LINKAGE_NAME: usize = 3;

/// File and function of a scope node.
#[derive(Clone, Copy)]
struct DebugScope {
    file: u32,
    function: u32,
}

/// Builder of the location table.
pub struct DebugInfo {
    context: LLVMContextRef,
    pub table: LocTable,
    locs: FxHashMap<Md, LocId>,
    scopes: FxHashMap<Md, DebugScope>,
    files: FxHashMap<Md, u32>,
    subprograms: FxHashMap<Md, u32>,
    file_ids: FxHashMap<String, u32>,
    scope_ids: FxHashMap<String, u32>,
    loc_ids: FxHashMap<Loc, LocId>,
}

impl DebugInfo {
    pub fn new(context: LLVMContextRef) -> Self {
        let mut info = DebugInfo {
            context,
            table: LocTable {
                locs: vec![Loc::default()],
                ..LocTable::default()
            },
            locs: FxHashMap::default(),
            scopes: FxHashMap::default(),
            files: FxHashMap::default(),
            subprograms: FxHashMap::default(),
            file_ids: FxHashMap::default(),
            scope_ids: FxHashMap::default(),
            loc_ids: FxHashMap::default(),
        };
        // Entry 0 of each list is "unknown".
        info.file_id(String::new());
        info.scope_id(String::new());
        info
    }

    /// Returns the location of an instruction, given that of the one before it in its block. Code
    /// without a location, or with line 0 in the function of the one before, gets that one's
    /// location.
    pub fn of_instruction(&mut self, v: V, before: LocId) -> LocId {
        let Some(node) = v.debug_loc() else {
            return before;
        };
        let id = self.of_node(node);
        let (Some(new), Some(old)) = (self.table.get(id), self.table.get(before)) else {
            return id;
        };
        if new.line == 0 && new.scope == old.scope && new.inlined_at == old.inlined_at {
            before
        } else {
            id
        }
    }

    /// Returns the location at which a function is declared.
    pub fn of_function(&mut self, f: V) -> LocId {
        let Some(node) = f.subprogram() else {
            return LocId(0);
        };
        let scope = self.scope(node);
        self.intern(Loc {
            file: scope.file,
            line: node.subprogram_line(),
            column: 0,
            scope: scope.function,
            inlined_at: None,
        })
    }

    fn of_node(&mut self, node: Md) -> LocId {
        if let Some(&id) = self.locs.get(&node) {
            return id;
        }
        let scope = node.scope().map(|s| self.scope(s));
        let inlined_at = node.inlined_at().map(|n| self.of_node(n));
        let id = self.intern(Loc {
            file: scope.map_or(0, |s| s.file),
            line: node.line(),
            column: node.column(),
            scope: scope.map_or(0, |s| s.function),
            inlined_at,
        });
        self.locs.insert(node, id);
        id
    }

    fn intern(&mut self, loc: Loc) -> LocId {
        if let Some(&id) = self.loc_ids.get(&loc) {
            return id;
        }
        let id = LocId(self.table.locs.len() as u32);
        self.table.locs.push(loc.clone());
        self.loc_ids.insert(loc, id);
        id
    }

    fn scope(&mut self, node: Md) -> DebugScope {
        if let Some(&s) = self.scopes.get(&node) {
            return s;
        }
        let file = node.file().map_or(0, |f| self.file(f));
        let mut at = node;
        // A chain of lexical blocks ends in a subprogram.
        while at.is_lexical_block() {
            match at.node(self.context, SCOPE) {
                Some(up) => at = up,
                None => break,
            }
        }
        let function = if at.is_subprogram() {
            self.subprogram(at)
        } else {
            0
        };
        let s = DebugScope { file, function };
        self.scopes.insert(node, s);
        s
    }

    fn subprogram(&mut self, node: Md) -> u32 {
        if let Some(&id) = self.subprograms.get(&node) {
            return id;
        }
        let name = match node.string(self.context, LINKAGE_NAME) {
            Some(symbol) if !symbol.is_empty() => demangle::scope(&symbol),
            _ => node.string(self.context, NAME).unwrap_or_default(),
        };
        let id = self.scope_id(name);
        self.table.declare(id, node.subprogram_line());
        self.subprograms.insert(node, id);
        id
    }

    fn file(&mut self, node: Md) -> u32 {
        if let Some(&id) = self.files.get(&node) {
            return id;
        }
        let (dir, name) = node.path();
        let path = if name.starts_with('/') || name.starts_with('<') || dir.is_empty() {
            name
        } else {
            format!("{}/{name}", dir.trim_end_matches('/'))
        };
        let id = self.file_id(path);
        self.files.insert(node, id);
        id
    }

    fn file_id(&mut self, path: String) -> u32 {
        let files = &mut self.table.files;
        *self.file_ids.entry(path).or_insert_with_key(|path| {
            files.push(path.clone());
            files.len() as u32 - 1
        })
    }

    fn scope_id(&mut self, name: String) -> u32 {
        let scopes = &mut self.table.scopes;
        *self.scope_ids.entry(name).or_insert_with_key(|name| {
            scopes.push(name.clone());
            scopes.len() as u32 - 1
        })
    }
}
