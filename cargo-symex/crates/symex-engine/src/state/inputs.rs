//! The named symbolic inputs of a path.

use rpds::Vector;
use std::rc::Rc;
use std::sync::Arc;
use symex_terms::Expr;
use symex_types::outcome::{Form, Role};

/// An input of a path. Its bytes are the values of its parts, each little endian, in order, up to
/// its length.
#[derive(Clone, Debug)]
pub struct SymbolicInput {
    pub name: Arc<str>,
    pub role: Role,
    /// Parts: terms whose widths are whole bytes.
    pub parts: Vec<Expr>,
    /// Number of its bytes, if that is an input as well: a term of 64 bits.
    pub length: Option<Expr>,
    pub form: Form,
}

/// The inputs of a path, in the order in which they were made. Paths that have forked share those
/// that they had before.
#[derive(Clone, Debug, Default)]
pub struct SymbolicInputs(Vector<Rc<SymbolicInput>>);

impl SymbolicInputs {
    /// Returns the number of inputs.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn push(&mut self, input: SymbolicInput) {
        self.0.push_back_mut(Rc::new(input));
    }

    /// Removes the last input, if there is one.
    pub fn pop(&mut self) {
        self.0.drop_last_mut();
    }

    pub fn last(&self) -> Option<&SymbolicInput> {
        self.0.last().map(|input| &**input)
    }

    /// Changes the last input, if there is one.
    pub fn change_last(&mut self, change: impl FnOnce(&mut SymbolicInput)) {
        if let Some(last) = self.last().cloned() {
            let mut last = last;
            change(&mut last);
            self.pop();
            self.push(last);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &SymbolicInput> {
        self.0.iter().map(|input| &**input)
    }

    /// Reports whether both are the inputs of paths that have forked since the last one. An input
    /// is only ever added after those that were there.
    pub fn are_shared(&self, other: &Self) -> bool {
        self.count() == other.count()
            && match (self.0.last(), other.0.last()) {
                (Some(one), Some(other)) => Rc::ptr_eq(one, other),
                _ => true,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str) -> SymbolicInput {
        SymbolicInput {
            name: name.into(),
            role: Role::Program,
            parts: Vec::new(),
            length: None,
            form: Form::default(),
        }
    }

    #[test]
    fn forked_paths_share_what_they_had() {
        let mut one = SymbolicInputs::default();
        for number in 0..100 {
            one.push(input(&number.to_string()));
        }
        let mut other = one.clone();
        assert!(one.are_shared(&other));
        other.change_last(|last| last.form = Form::Bytes);
        assert!(!one.are_shared(&other));
        assert_eq!(one.last().unwrap().form, Form::default());
        assert_eq!(other.last().unwrap().form, Form::Bytes);
        one.pop();
        other.pop();
        assert!(one.are_shared(&other));
        one.push(input("a"));
        other.push(input("b"));
        assert!(!one.are_shared(&other) && one.count() == other.count());
        let names = one.iter().map(|input| &*input.name);
        let expected: Vec<String> = (0..99).map(|n| n.to_string()).chain(["a".into()]).collect();
        assert!(names.eq(expected.iter().map(String::as_str)));
    }
}
