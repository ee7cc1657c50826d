//! A ring buffer of fixed size, and the standard library's queue to compare it with.

/// A queue of at most two numbers, first in, first out.
#[derive(Default)]
pub struct Ring {
    slots: [u8; 2],
    first: usize,
    len: usize,
}

impl Ring {
    /// Adds a number at the end; false if the ring is full.
    pub fn push(&mut self, value: u8) -> bool {
        if self.len == self.slots.len() {
            return false;
        }
        self.slots[(self.first + self.len) % self.slots.len()] = value;
        self.len += 1;
        true
    }

    /// Removes the number at the front.
    pub fn pop(&mut self) -> Option<u8> {
        if self.len == 0 {
            return None;
        }
        let value = self.slots[self.first];
        self.first = (self.first + 1) % self.slots.len();
        self.len -= 1;
        Some(value)
    }

    /// Removes all but the last `count` numbers.
    pub fn keep_last(&mut self, count: usize) {
        let dropped = self.len.saturating_sub(count);
        self.first += dropped;
        self.len -= dropped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// An operation on a queue.
    #[derive(Debug, symex::Symbolic)]
    enum Step {
        Push(u8),
        Pop,
        KeepLast(#[symex(range = 0..=2)] usize),
    }

    /// Asserts that the ring behaves like a `VecDeque`, whatever the steps.
    fn same(steps: Vec<Step>) {
        let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
        for step in steps {
            match step {
                Step::Push(value) => {
                    if ring.push(value) {
                        queue.push_back(value);
                    }
                }
                Step::Pop => assert_eq!(ring.pop(), queue.pop_front()),
                Step::KeepLast(count) => {
                    ring.keep_last(count);
                    queue.drain(..queue.len().saturating_sub(count));
                }
            }
            assert_eq!(ring.len, queue.len());
        }
    }

    /// Up to four steps, the default: no bug is found.
    #[symex::harness]
    fn few_steps(steps: Vec<Step>) {
        same(steps);
    }

    /// Up to five: `keep_last` moves `first` past the end of the ring.
    #[symex::harness(bound(steps = 5))]
    fn more_steps(steps: Vec<Step>) {
        same(steps);
    }
}
