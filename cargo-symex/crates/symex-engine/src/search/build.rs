//! Construction of searchers from the settings: the one list of them.

use super::Searcher;
use super::bfs::Bfs;
use super::coverage::Coverage;
use super::dfs::Dfs;
use super::guided::Guided;
use super::random_path::RandomPath;
use symex_types::config::SearchKind;

/// Makes the searcher of a kind.
pub fn build(kind: SearchKind, seed: u64) -> Box<dyn Searcher> {
    match kind {
        SearchKind::Dfs => Box::new(Dfs::default()),
        SearchKind::Bfs => Box::new(Bfs::default()),
        SearchKind::RandomPath => Box::new(Guided::new(vec![Box::new(RandomPath::new(seed))])),
        SearchKind::Coverage => Box::new(Guided::new(vec![Box::new(Coverage::new(seed))])),
        SearchKind::Interleaved => Box::new(Guided::new(vec![
            Box::new(Coverage::new(seed)),
            Box::new(RandomPath::new(seed)),
        ])),
    }
}
