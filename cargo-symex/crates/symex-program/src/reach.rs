//! The functions that code reaches: those that it calls, or whose address occurs in it or in the
//! globals that it mentions.

use super::{Callee, Constant, FuncId, GlobalId, Program, RelocTarget};

/// Functions and globals that were met, and those that are still to be looked at.
struct Met {
    functions: Vec<bool>,
    globals: Vec<bool>,
    open_functions: Vec<FuncId>,
    open_globals: Vec<GlobalId>,
}

impl Met {
    fn function(&mut self, id: FuncId) {
        if !std::mem::replace(&mut self.functions[id.0 as usize], true) {
            self.open_functions.push(id);
        }
    }

    fn global(&mut self, id: GlobalId) {
        if !std::mem::replace(&mut self.globals[id.0 as usize], true) {
            self.open_globals.push(id);
        }
    }

    fn code(&mut self, program: &Program, id: FuncId) {
        let Some(body) = &program.function(id).body else {
            return;
        };
        for call in &body.calls {
            if let Callee::Direct(function) = call.callee {
                self.function(function);
            }
        }
        for global in body.landing_pads.iter().flat_map(|pad| &pad.catches) {
            global.iter().for_each(|global| self.global(*global));
        }
        for constant in &body.constants {
            match constant {
                Constant::Global(global, _) => self.global(*global),
                Constant::Function(function) | Constant::Block(function, _) => {
                    self.function(*function);
                }
                Constant::Int(_) | Constant::Wide(..) | Constant::Undef => {}
            }
        }
    }

    fn contents(&mut self, program: &Program, id: GlobalId) {
        let Some(init) = &program.global(id).init else {
            return;
        };
        for reloc in &init.relocs {
            let minus = reloc.minus.iter().map(|(target, _)| target);
            for target in std::iter::once(&reloc.target).chain(minus) {
                match target {
                    RelocTarget::Global(global) => self.global(*global),
                    RelocTarget::Function(function) | RelocTarget::Block(function, _) => {
                        self.function(*function);
                    }
                }
            }
        }
    }
}

/// Returns, for each function of a program, whether these reach it or it is one of them. Nothing is
/// reached from a function that `is_entered` says is never entered.
pub fn reached(
    program: &Program,
    roots: impl IntoIterator<Item = FuncId>,
    is_entered: impl Fn(FuncId) -> bool,
) -> Vec<bool> {
    let mut met = Met {
        functions: vec![false; program.functions.len()],
        globals: vec![false; program.globals.len()],
        open_functions: Vec::new(),
        open_globals: Vec::new(),
    };
    roots.into_iter().for_each(|root| met.function(root));
    loop {
        if let Some(global) = met.open_globals.pop() {
            met.contents(program, global);
        } else if let Some(function) = met.open_functions.pop() {
            if is_entered(function) {
                met.code(program, function);
            }
        } else {
            return met.functions;
        }
    }
}
