//! Functions that programs look up by their names, without declaring them.
//!
//! A pointer to a function is one to a function of the program. So what `dlsym` is to find is
//! declared before the program runs.

use symex_program::{FuncId, Function, Param, Program};

/// Functions with their parameters and results, in bits.
const FUNCTIONS: &[(&str, &[u32], &[u32])] = &[("getrandom", &[64, 64, 32], &[64])];

/// Declares the functions that a program may look up and that always exist.
pub fn declare(program: &mut Program) {
    if !program.function_names.contains_key("dlsym") {
        return;
    }
    for (name, params, returns) in FUNCTIONS {
        if program.function_names.contains_key(*name) {
            continue;
        }
        let id = FuncId(program.functions.len() as u32);
        program.functions.push(Function {
            name: (*name).to_owned(),
            display: (*name).to_owned(),
            params: params.iter().map(|&width| Param::of_width(width)).collect(),
            returns: returns.to_vec(),
            ..Function::default()
        });
        program.function_names.insert((*name).to_owned(), id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_up_has_a_model() {
        for (name, ..) in FUNCTIONS {
            assert!(super::super::table::has_model(name), "{name}");
        }
        let mut program = Program::default();
        declare(&mut program);
        assert!(program.functions.is_empty());
        program.function_names.insert("dlsym".to_owned(), FuncId(0));
        declare(&mut program);
        assert!(program.function_names.contains_key("getrandom"));
    }
}
