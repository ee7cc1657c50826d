//! From the setting to the searcher: the one list of them.

use super::Searcher;
use super::bfs::Bfs;
use super::dfs::Dfs;
use crate::config::SearchKind;

/// The searcher of a kind.
pub fn build(kind: SearchKind, seed: u64) -> Box<dyn Searcher> {
    let _ = seed;
    match kind {
        SearchKind::Bfs => Box::new(Bfs::default()),
        SearchKind::Dfs
        | SearchKind::RandomPath
        | SearchKind::Coverage
        | SearchKind::Interleaved => Box::new(Dfs::default()),
    }
}
