//! Environment variables of a path, as far as they are known.

use symex_terms::Value;

/// Known environment variables.
#[derive(Clone, Default, Debug)]
pub struct Environment {
    /// Variables in the order in which they were first set: name, and the C string that is the
    /// value, or `None` if unset. Right before the value stand the name and a `=`.
    variables: Vec<(Vec<u8>, Option<Value>)>,
    /// Whether all other variables are known to be unset.
    closed: bool,
}

impl Environment {
    /// Returns the state of a variable, if it is known: its value, or that it has none.
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

    /// Declares that there are no more variables.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Unsets all variables.
    pub fn clear(&mut self) {
        self.variables.clear();
        self.closed = true;
    }

    /// Returns, for each variable that is set, the length of its name, and its value.
    pub fn values(&self) -> impl Iterator<Item = (usize, Value)> {
        let set = |(name, value): &(Vec<u8>, Option<Value>)| Some((name.len(), (*value)?));
        self.variables.iter().filter_map(set)
    }
}
