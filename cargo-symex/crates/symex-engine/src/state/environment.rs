//! The variables of the environment, as far as they are known.

use symex_terms::Value;

/// See the module.
#[derive(Clone, Default, Debug)]
pub struct Environment {
    /// In the order in which they were set first: name, and the C string that is the value, or that
    /// it is unset. Right before the value stand the name and a `=`.
    variables: Vec<(Vec<u8>, Option<Value>)>,
    /// Are all others known to be unset?
    closed: bool,
}

impl Environment {
    /// State of a variable, if it is known: its value, or that it has none.
    pub fn get(&self, name: &[u8]) -> Option<Option<Value>> {
        let known = self.variables.iter().find(|known| known.0 == name);
        known.map(|known| known.1).or(self.closed.then_some(None))
    }

    /// Sets a variable, or unsets it.
    pub fn set(&mut self, name: &[u8], value: Option<Value>) {
        match self.variables.iter_mut().find(|known| known.0 == name) {
            Some(known) => known.1 = value,
            None => self.variables.push((name.to_vec(), value)),
        }
    }

    /// Makes it known that there are no more variables.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Unsets all variables.
    pub fn clear(&mut self) {
        self.variables.clear();
        self.closed = true;
    }

    /// The length of each name that is set, and the value.
    pub fn values(&self) -> impl Iterator<Item = (usize, Value)> {
        let set = |(name, value): &(Vec<u8>, Option<Value>)| Some((name.len(), (*value)?));
        self.variables.iter().filter_map(set)
    }
}
