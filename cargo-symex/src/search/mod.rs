//! Placeholder: replaced by the searchers that are on their way.
use crate::state::{State, StateId};
pub trait Searcher {
    fn add(&mut self, state: State, parent: Option<StateId>, fresh_cover: bool);
    fn next(&mut self) -> Option<State>;
    fn len(&self) -> usize;
    fn drain(&mut self) -> Vec<State>;
    fn note_end(&mut self, _: StateId) {}
}
struct Dfs(Vec<State>);
impl Searcher for Dfs {
    fn add(&mut self, s: State, _: Option<StateId>, _: bool) {
        self.0.push(s)
    }
    fn next(&mut self) -> Option<State> {
        self.0.pop()
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn drain(&mut self) -> Vec<State> {
        std::mem::take(&mut self.0)
    }
}
pub fn build(_: crate::config::SearchKind, _: u64) -> Box<dyn Searcher> {
    Box::new(Dfs(vec![]))
}
