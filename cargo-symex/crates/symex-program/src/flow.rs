//! Flow of control and values within a function: where the ways from a branch meet again, which
//! slots are still read there, and what a value in a slot decides.
//!
//! The executor merges paths by it. All of it follows from the code alone, and is computed for a
//! function when it is first needed.

mod uses;

use super::{Body, Function, Global, Inst, Slot};
use fixedbitset::FixedBitSet;
use petgraph::Direction;
use petgraph::algo::{dominators, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::graphmap::DiGraphMap;
use petgraph::visit::{NodeFiltered, Reversed};
use rustc_hash::FxBuildHasher;
use uses::TableLoads;

/// Flow of control and values in a function.
#[derive(Debug)]
pub struct Flow {
    /// First instruction of each block, ascending.
    blocks: Vec<u32>,
    /// By block, the blocks at which ways from its end meet again, outermost first.
    joins: Vec<Vec<u32>>,
    /// By block, the slots that are read from there on; empty for blocks where no ways meet.
    live: Vec<Vec<Slot>>,
    widths: Vec<u32>,
    /// Slots whose values become an address, a length or a float here.
    apart: FixedBitSet,
    /// Slots whose values are handed on, and may become an address or a length elsewhere.
    handed_on: FixedBitSet,
    /// Slots whose values may decide how often a loop runs.
    looping: FixedBitSet,
    /// Slots whose values may decide how often a loop runs by more than being null.
    looping_by_place: FixedBitSet,
    /// By slot, a bit for each of the first 64 leaves of the result that the slot's value may
    /// become, or be part of.
    returned: Vec<u64>,
}

impl Flow {
    /// Analyses a function that has a body, of a program with these globals.
    pub fn of(globals: &[Global], function: &Function, body: &Body) -> Flow {
        let graph = ControlFlow::of(body);
        let (joins, deciding) = graph.joins();
        let meeting = joins.iter().flatten().map(|block| *block as usize);
        let meeting: FixedBitSet = meeting.collect();
        let live = graph.live(body);
        let live = live.into_iter().enumerate().map(|(block, live)| {
            let kept = meeting.contains(block);
            let slots = live.ones().filter(|_| kept);
            slots.map(|slot| Slot(slot as u32)).collect()
        });
        let tables = TableLoads::of(globals, body);
        Flow {
            blocks: body.blocks.clone(),
            live: live.collect(),
            widths: uses::widths(function, body),
            apart: uses::apart(body, &tables),
            handed_on: uses::handed_on(body, &tables),
            looping: uses::deciding(body, &tables, &deciding, uses::Of::Value),
            looping_by_place: uses::deciding(body, &tables, &deciding, uses::Of::Place),
            returned: uses::returned(body, &tables),
            joins,
        }
    }

    /// Returns the instructions at which ways from a branch meet again, the outermost one first:
    /// for each loop around the branch, where those that stay in the loop meet, and for the
    /// function, where all meet that return.
    pub fn joins(&self, branch: u32) -> impl Iterator<Item = u32> {
        let block = self.blocks.partition_point(|start| *start <= branch) - 1;
        let joins = self.joins[block].iter();
        joins.map(|block| self.blocks[*block as usize])
    }

    /// Returns the slots that are read from the start of a block on at which ways meet.
    pub fn live(&self, start: u32) -> &[Slot] {
        match self.blocks.binary_search(&start) {
            Ok(block) => &self.live[block],
            Err(_) => &[],
        }
    }

    /// Returns the width of a slot's values in bits, if it is known.
    pub fn width(&self, slot: Slot) -> Option<u32> {
        let width = self.widths[slot.0 as usize];
        (width > 0).then_some(width)
    }

    /// Reports whether paths that differ in the value of a slot are better kept apart: it becomes
    /// an address or a length, so that they work on different bytes, or a float, whose arithmetic
    /// is hard for solvers unless it is that of constants.
    pub fn is_apart(&self, slot: Slot) -> bool {
        self.apart.contains(slot.0 as usize)
    }

    /// Reports whether the value of a slot is stored or passed on, and is as wide as an address: it
    /// may become one elsewhere.
    pub fn is_handed_on(&self, slot: Slot) -> bool {
        self.handed_on.contains(slot.0 as usize)
    }

    /// Reports whether the value of a slot may decide how often a loop runs: paths that differ in
    /// it do more or less work.
    pub fn decides_loop(&self, slot: Slot) -> bool {
        self.looping.contains(slot.0 as usize)
    }

    /// Reports whether a pointer in a slot may decide how often a loop runs by where in its object
    /// it leads.
    pub fn place_decides_loop(&self, slot: Slot) -> bool {
        self.looping_by_place.contains(slot.0 as usize)
    }

    /// Returns a bit for each of the first 64 leaves of the function's result on which the value of
    /// a slot bears.
    pub fn returned(&self, slot: Slot) -> u64 {
        self.returned[slot.0 as usize]
    }
}

/// Blocks of a function with the edges between them, and one more for all returns.
struct ControlFlow {
    graph: DiGraph<(), ()>,
    /// The block for all returns.
    exit: NodeIndex,
}

/// A loop: its blocks, and the only one through which it is entered.
struct Loop {
    blocks: FixedBitSet,
    head: NodeIndex,
}

impl ControlFlow {
    fn of(body: &Body) -> Self {
        let count = body.blocks.len();
        let mut graph = DiGraph::with_capacity(count + 1, body.edges.len());
        for _ in 0..=count {
            graph.add_node(());
        }
        let exit = NodeIndex::new(count);
        for block in 0..count {
            let from = NodeIndex::new(block);
            for edge in edges_of(body, block) {
                let to = NodeIndex::new(body.edges[edge as usize].block as usize);
                graph.update_edge(from, to, ());
            }
            if let Some(Inst::Ret { .. }) = code_of(body, block).last() {
                graph.update_edge(from, exit, ());
            }
        }
        ControlFlow { graph, exit }
    }

    /// Returns, for each block, those at which ways from its end meet again, and the blocks at
    /// whose end it is decided whether a loop runs once more.
    fn joins(&self) -> (Vec<Vec<u32>>, FixedBitSet) {
        let mut joins = vec![Vec::new(); self.exit.index()];
        let mut deciding = FixedBitSet::with_capacity(self.exit.index());
        let after = dominators::simple_fast(Reversed(&self.graph), self.exit);
        // A way to a panic decides nothing about a loop.
        let returns = |to: &NodeIndex| after.immediate_dominator(*to).is_some();
        let all = FixedBitSet::from_iter(0..=self.exit.index());
        self.add_joins(&all, self.exit, None, &mut joins);
        let mut waiting = self.loops_in(&all);
        while let Some(Loop { mut blocks, head }) = waiting.pop() {
            let stays = |to: NodeIndex| blocks.contains(to.index());
            deciding.extend(blocks.ones().filter(|block| {
                let ways = self.graph.neighbors(NodeIndex::new(*block));
                let mut stay = ways.filter(returns).map(stays);
                stay.next()
                    .is_some_and(|first| stay.any(|other| other != first))
            }));
            self.add_joins(&blocks, head, Some(head), &mut joins);
            blocks.remove(head.index());
            waiting.extend(self.loops_in(&blocks));
        }
        (joins, deciding)
    }

    /// Adds to each of some blocks that at which its ways meet which lead to `end` through these
    /// blocks: the immediate postdominator. If it is the end itself, that is `at_end`.
    fn add_joins(
        &self,
        blocks: &FixedBitSet,
        end: NodeIndex,
        at_end: Option<NodeIndex>,
        joins: &mut [Vec<u32>],
    ) {
        // Edges to the end lead to a node of its own, so that ways stop there.
        let stop = NodeIndex::new(self.exit.index() + 1);
        let mut graph: DiGraphMap<NodeIndex, (), FxBuildHasher> = DiGraphMap::default();
        graph.add_node(stop);
        for from in blocks.ones().map(NodeIndex::new) {
            let inside = |to: &NodeIndex| blocks.contains(to.index());
            for to in self.graph.neighbors(from).filter(inside) {
                graph.add_edge(from, if to == end { stop } else { to }, ());
            }
        }
        let after = dominators::simple_fast(Reversed(&graph), stop);
        let real = blocks.ones().map(NodeIndex::new);
        for block in real.filter(|block| *block != self.exit) {
            let ends = |to: &NodeIndex| *to == stop || after.immediate_dominator(*to).is_some();
            if graph.neighbors(block).filter(ends).count() < 2 {
                continue;
            }
            let join = after.immediate_dominator(block);
            let join = join.and_then(|join| if join == stop { at_end } else { Some(join) });
            let joins = &mut joins[block.index()];
            if let Some(join) = join.map(|join| join.index() as u32)
                && !joins.contains(&join)
            {
                joins.push(join);
            }
        }
    }

    /// Returns the outermost loops among some blocks that are entered through one block.
    fn loops_in(&self, blocks: &FixedBitSet) -> Vec<Loop> {
        let part = NodeFiltered::from_fn(&self.graph, |node| blocks.contains(node.index()));
        let mut loops = Vec::new();
        for component in kosaraju_scc(&part) {
            let blocks: FixedBitSet = component.iter().map(|node| node.index()).collect();
            let repeats =
                component.len() > 1 || self.graph.contains_edge(component[0], component[0]);
            let is_entry = |node: &&NodeIndex| {
                let mut before = self.graph.neighbors_directed(**node, Direction::Incoming);
                before.any(|from| !blocks.contains(from.index()))
            };
            let mut entries = component.iter().filter(is_entry);
            if let (true, Some(head), None) = (repeats, entries.next(), entries.next()) {
                let head = *head;
                loops.push(Loop { blocks, head });
            }
        }
        loops
    }

    /// Returns, for each block, the slots that may be read from its start on before they are
    /// written.
    fn live(&self, body: &Body) -> Vec<FixedBitSet> {
        let slots = body.slots as usize;
        let mut live = vec![FixedBitSet::with_capacity(slots); self.exit.index()];
        let mut waiting: Vec<usize> = (0..self.exit.index()).collect();
        let mut waits = vec![true; self.exit.index()];
        while let Some(block) = waiting.pop() {
            waits[block] = false;
            let mut now = FixedBitSet::with_capacity(slots);
            for edge in edges_of(body, block) {
                let edge = &body.edges[edge as usize];
                let mut through = live[edge.block as usize].clone();
                for (dst, from) in body.moves_of(edge).iter().rev() {
                    through.remove(dst.0 as usize);
                    uses::read(&mut through, *from);
                }
                now.union_with(&through);
            }
            for inst in code_of(body, block).iter().rev() {
                // Where a call unwinds, its results are not written.
                if !matches!(inst, Inst::Call { site } if body.calls[*site as usize].unwind.is_some())
                {
                    uses::for_each_write(body, inst, |slot| now.remove(slot.0 as usize));
                }
                uses::for_each_read(body, inst, |operand| uses::read(&mut now, operand));
            }
            if now == live[block] {
                continue;
            }
            live[block] = now;
            let block = NodeIndex::new(block);
            for before in self.graph.neighbors_directed(block, Direction::Incoming) {
                let before = before.index();
                if !std::mem::replace(&mut waits[before], true) {
                    waiting.push(before);
                }
            }
        }
        live
    }
}

/// Returns the instructions of a block.
fn code_of(body: &Body, block: usize) -> &[Inst] {
    let end = body.blocks.get(block + 1).copied();
    let end = end.unwrap_or(body.code.len() as u32);
    &body.code[body.blocks[block] as usize..end as usize]
}

/// Returns the edges that leave a block: those of its last instruction.
fn edges_of(body: &Body, block: usize) -> Vec<u32> {
    match code_of(body, block).last() {
        Some(Inst::Br { edge }) => vec![*edge],
        Some(Inst::CondBr { then, other, .. }) => vec![*then, *other],
        Some(Inst::Switch { table, .. }) => {
            let switch = &body.switches[*table as usize];
            let cases = switch.cases.iter().map(|case| case.1);
            cases.chain([switch.default]).collect()
        }
        Some(Inst::IndirectBr { table, .. }) => {
            let targets = body.indirect[*table as usize].iter();
            targets.map(|to| to.1).collect()
        }
        Some(Inst::Call { site }) => {
            let site = &body.calls[*site as usize];
            site.normal.into_iter().chain(site.unwind).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
