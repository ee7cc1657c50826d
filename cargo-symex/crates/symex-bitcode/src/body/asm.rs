//! Translation of inline assembly without instructions: a barrier for the optimiser, which passes
//! tied inputs through as outputs. Assembly with instructions is a call of `Callee::InlineAsm`.

use super::super::ll::V;
use super::{Builder, Ops, Reason};

impl Builder<'_> {
    /// Returns the result of a call of assembly without instructions; `None` if it has
    /// instructions, or outputs that are not tied to inputs.
    pub(super) fn empty_asm(&mut self, v: V, callee: V) -> Result<Option<Ops>, Reason> {
        let Some((template, constraints)) = callee.inline_asm() else {
            return Ok(None);
        };
        if !is_empty(&template) {
            return Ok(None);
        }
        let Some(sources) = sources(&constraints) else {
            return Ok(None);
        };
        let mut out = Ops::new();
        for source in sources {
            out.extend(self.ops(v.operand(source))?);
        }
        Ok((out.len() == self.type_of(v)?.leaves.len()).then_some(out))
    }
}

/// Reports whether a template has nothing but blanks and comments.
fn is_empty(template: &str) -> bool {
    let mut code = String::new();
    let mut rest = template;
    while let Some((before, comment)) = rest.split_once("/*") {
        let Some((_, after)) = comment.split_once("*/") else {
            return false;
        };
        code.push_str(before);
        rest = after;
    }
    code.push_str(rest);
    code.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line.starts_with("//")
    })
}

/// Returns the arguments that are tied to the direct outputs.
fn sources(constraints: &str) -> Option<Vec<u32>> {
    // Constraint numbers of the direct outputs, in order.
    let mut outputs = Vec::new();
    let mut tied: Vec<(usize, u32)> = Vec::new();
    let mut argument = 0;
    for (number, c) in constraints.split(',').enumerate() {
        if c.starts_with('~') || c.starts_with('!') || c.is_empty() {
            continue;
        }
        if let Some(output) = c.strip_prefix('=') {
            if output.starts_with("&*") || output.starts_with('*') {
                // Memory that the assembly may write: it is handed in as a pointer and stays as it
                // is.
                argument += 1;
            } else {
                outputs.push(number);
            }
            continue;
        }
        if let Ok(output) = c.parse::<usize>() {
            tied.push((output, argument));
        }
        argument += 1;
    }
    outputs
        .into_iter()
        .map(|number| tied.iter().find(|t| t.0 == number).map(|t| t.1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_tied_to_inputs() {
        assert_eq!(sources("r,~{memory}"), Some(vec![]));
        assert_eq!(sources("=r,0"), Some(vec![0]));
        assert_eq!(sources("=r,=r,1,0,~{flags}"), Some(vec![1, 0]));
        assert_eq!(sources("=*m,=r,*m,1"), Some(vec![2]));
        assert_eq!(sources("=r,r"), None);
        assert!(is_empty(" # nothing\n\t"));
        assert!(is_empty("/*${0:q}*/\n // and /* so on */"));
        assert!(!is_empty("nop"));
        assert!(!is_empty("/* */ nop /* */"));
        assert!(!is_empty("/* # */ nop"));
        assert!(!is_empty("/* without an end"));
    }
}
