//! Strongly connected components of a graph on numbers (Tarjan, with Nuutila's saving: a node that
//! is a component of its own never goes on the stack of open nodes), without recursion.

/// Scratch space that outlives a search, so that a search costs only the part of the graph that it
/// reaches.
#[derive(Default)]
pub struct Components {
    /// State of each node: 0 is unvisited, [`CLOSED`] is in a component, else the lowest visit
    /// number known to be reached.
    low: Vec<u32>,
    touched: Vec<u32>,
}

const CLOSED: u32 = u32::MAX;

struct Visit {
    node: u32,
    number: u32,
    next: usize,
}

impl Components {
    /// Calls `close` with each component that the roots reach, a component after all that it
    /// reaches. No node has a number of `nodes` or more.
    pub fn search(
        &mut self,
        nodes: usize,
        roots: impl IntoIterator<Item = u32>,
        successors: impl Fn(u32, usize) -> Option<u32>,
        mut close: impl FnMut(&[u32]),
    ) {
        self.low.resize(nodes, 0);
        let mut visits: Vec<Visit> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        let mut component: Vec<u32> = Vec::new();
        let mut count = 0;
        for root in roots {
            if self.low[root as usize] != 0 {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(node) = enter.take() {
                    count += 1;
                    self.low[node as usize] = count;
                    self.touched.push(node);
                    visits.push(Visit {
                        node,
                        number: count,
                        next: 0,
                    });
                }
                let Some(top) = visits.last_mut() else { break };
                let node = top.node;
                if let Some(next) = successors(node, top.next) {
                    match self.low[next as usize] {
                        // Left at this successor: it is looked at again, and is known then.
                        0 => enter = Some(next),
                        CLOSED => top.next += 1,
                        low => {
                            top.next += 1;
                            let own = &mut self.low[node as usize];
                            *own = low.min(*own);
                        }
                    }
                    continue;
                }
                let number = top.number;
                visits.pop();
                if self.low[node as usize] != number {
                    open.push(node);
                    continue;
                }
                component.clear();
                component.push(node);
                // The open nodes of this component were visited after its root.
                while let Some(&other) = open.last() {
                    if self.low[other as usize] < number {
                        break;
                    }
                    open.pop();
                    component.push(other);
                }
                for &n in &component {
                    self.low[n as usize] = CLOSED;
                }
                close(&component);
            }
        }
        for n in self.touched.drain(..) {
            self.low[n as usize] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(edges: &[(u32, u32)], nodes: usize) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            lists[a as usize].push(b);
        }
        let mut all = Vec::new();
        let mut search = Components::default();
        for _ in 0..2 {
            all.clear();
            search.search(
                nodes,
                0..nodes as u32,
                |n, i| lists[n as usize].get(i).copied(),
                |c| {
                    let mut c = c.to_vec();
                    c.sort_unstable();
                    all.push(c);
                },
            );
        }
        all
    }

    #[test]
    fn a_component_comes_after_what_it_reaches() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (3, 3)];
        let found = components(&edges, 6);
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4], vec![5]]);
    }

    #[test]
    fn nested_cycles_are_one_component() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 0), (4, 5)];
        assert_eq!(components(&edges, 6), [vec![5], vec![0, 1, 2, 3, 4]]);
    }

    #[test]
    fn components_are_what_reach_each_other() {
        // All graphs of four nodes with a subset of the twelve edges.
        let pairs: Vec<(u32, u32)> = (0..4)
            .flat_map(|a| (0..4).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
            .collect();
        for mask in 0u32..1 << pairs.len() {
            let chosen = pairs.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
            let edges: Vec<(u32, u32)> = chosen.map(|(_, e)| *e).collect();
            let mut reach = [[false; 4]; 4];
            for (i, row) in reach.iter_mut().enumerate() {
                row[i] = true;
            }
            for _ in 0..4 {
                for &(a, b) in &edges {
                    for row in &mut reach {
                        row[b as usize] |= row[a as usize];
                    }
                }
            }
            let found = components(&edges, 4);
            let mut place = [usize::MAX; 4];
            for (i, c) in found.iter().enumerate() {
                for &n in c {
                    place[n as usize] = i;
                }
            }
            for a in 0..4 {
                for b in 0..4 {
                    let together = reach[a][b] && reach[b][a];
                    assert_eq!(place[a] == place[b], together, "{edges:?}");
                    assert!(!reach[a][b] || place[b] <= place[a], "{edges:?}");
                }
            }
        }
    }
}
