//! Protection of calls in call graph cycles from the inliner, in code that serves several programs.
//!
//! In a cycle of calls the inliner starts with one function and inlines the others into it; the
//! others keep their calls. Which one it starts with depends on the order of functions in the
//! module, and for a part of several programs that order depends on which program asked first.
//! There, a function's code must not depend on that, so no call of a cycle is inlined.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;
use rustc_hash::FxHashMap;

use super::walk::is_call;

const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;

/// Calls between the functions of a module.
#[derive(Default)]
pub struct Calls {
    functions: Vec<LLVMValueRef>,
    /// Calls of each function, with their callees.
    calls: Vec<Vec<(LLVMValueRef, LLVMValueRef)>>,
}

impl Calls {
    /// Records the calls in the code of a function.
    pub fn note(&mut self, function: LLVMValueRef, code: &[LLVMValueRef]) {
        // SAFETY: only calls are asked for what they call.
        let callee = |call| unsafe { LLVMIsAFunction(LLVMGetCalledValue(call)) };
        let calls = code.iter().filter(|&&instruction| is_call(instruction));
        let calls = calls.map(|&call| (call, callee(call)));
        self.functions.push(function);
        self.calls
            .push(calls.filter(|(_, callee)| !callee.is_null()).collect());
    }

    /// Keeps the inliner from calls between functions that call each other, directly or through
    /// others.
    pub fn keep_those_in_cycles(&self, module: &Module<'_>) {
        let numbered = self.functions.iter().enumerate();
        let number: FxHashMap<LLVMValueRef, usize> = numbered.map(|(i, &f)| (f, i)).collect();
        let called = |calls: &Vec<(LLVMValueRef, LLVMValueRef)>| {
            let numbers = calls
                .iter()
                .filter_map(|(_, callee)| number.get(callee).copied());
            numbers.collect()
        };
        let graph: Vec<Vec<usize>> = self.calls.iter().map(called).collect();
        let group = groups(&graph);
        // SAFETY: the module is valid, and the calls are its own.
        unsafe {
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            let name = "noinline";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let noinline = LLVMCreateEnumAttribute(context, kind, 0);
            for (caller, calls) in self.calls.iter().enumerate() {
                for (call, callee) in calls {
                    let callee = number.get(callee).map(|&callee| group[callee]);
                    if callee == Some(group[caller]) {
                        LLVMAddCallSiteAttribute(*call, FUNCTION, noinline);
                    }
                }
            }
        }
    }
}

/// Returns the group of each function: functions that can reach each other are one (Tarjan's
/// strongly connected components, without recursion).
fn groups(calls: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut order = vec![NONE; calls.len()];
    let mut lowest = vec![NONE; calls.len()];
    let mut group = vec![NONE; calls.len()];
    let (mut next, mut groups) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    for start in 0..calls.len() {
        if order[start] != NONE {
            continue;
        }
        let mut work = vec![(start, 0)];
        while let Some((function, call)) = work.pop() {
            if call == 0 {
                (order[function], lowest[function]) = (next, next);
                next += 1;
                open.push(function);
            }
            if let Some(&callee) = calls[function].get(call) {
                work.push((function, call + 1));
                if order[callee] == NONE {
                    work.push((callee, 0));
                } else if group[callee] == NONE {
                    lowest[function] = lowest[function].min(order[callee]);
                }
                continue;
            }
            if lowest[function] == order[function] {
                while let Some(member) = open.pop() {
                    group[member] = groups;
                    if member == function {
                        break;
                    }
                }
                groups += 1;
            }
            if let Some(&(caller, _)) = work.last() {
                lowest[caller] = lowest[caller].min(lowest[function]);
            }
        }
    }
    group
}
