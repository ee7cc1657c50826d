//! Coverage: the basic blocks that any path has entered, the edges that any has taken, and how far
//! paths have come in blocks that they did not leave.
//!
//! What is marked costs next to nothing: a jump marks its edge the first time. In a block, control
//! stops only at calls and at instructions off the fast path, and these are marked; all
//! instructions of the block before one that was reached have been run, too.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use symex_program::{Body, FuncId, Program};

/// Indices at which the marks of a function begin.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct First {
    block: u32,
    edge: u32,
    instruction: u32,
}

/// The coverage map: flags for the blocks, edges and instructions of the program.
#[derive(Clone, Default)]
pub struct EnteredBlocks {
    first: Vec<First>,
    entered: Vec<bool>,
    /// Edges that were taken.
    taken: Vec<bool>,
    /// Instructions that were reached, of those that are marked; a bit for each, since they are
    /// many and little of a program is run.
    reached: Vec<u64>,
    /// Whether a block was entered for the first time.
    fresh: bool,
    /// What is marked while it does not count, to be taken back.
    aside: Option<Vec<Mark>>,
    /// What was marked in the step that is being run, if it may be undone.
    step: Option<Vec<Mark>>,
}

/// A flag of the map, by its index.
#[derive(Clone, Copy)]
enum Mark {
    Block(u32),
    Edge(u32),
    Instruction(u32),
}

/// What was run of a function, by its name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Covered {
    name: String,
    blocks: Vec<u32>,
    edges: Vec<u32>,
    instructions: Vec<u32>,
}

impl EnteredBlocks {
    /// Makes the map for a program, with nothing marked.
    pub fn new(program: &Program) -> Self {
        let mut first = Vec::with_capacity(program.functions.len());
        let mut next = First {
            block: 0,
            edge: 0,
            instruction: 0,
        };
        for f in &program.functions {
            first.push(next);
            if let Some(body) = &f.body {
                next.block += body.blocks.len() as u32;
                next.edge += body.edges.len() as u32;
                next.instruction += body.code.len() as u32;
            }
        }
        let flags = |count: u32| vec![false; count as usize];
        EnteredBlocks {
            first,
            entered: flags(next.block),
            taken: flags(next.edge),
            reached: vec![0; next.instruction.div_ceil(64) as usize],
            fresh: false,
            aside: None,
            step: None,
        }
    }

    /// Returns the indices at which the marks of a function begin.
    #[inline]
    pub(in crate::exec) fn first_of(&self, function: FuncId) -> First {
        self.first[function.0 as usize]
    }

    /// Marks an edge of a function as taken, and the block to which it leads as entered.
    #[inline(always)]
    pub(in crate::exec) fn take(&mut self, first: First, edge: u32, block: u32) {
        let edge = first.edge + edge;
        if !self.taken[edge as usize] {
            self.mark(Mark::Edge(edge));
            self.enter(first.block + block);
        }
    }

    /// Marks an instruction of a function as reached.
    #[inline(always)]
    pub(in crate::exec) fn reach(&mut self, first: First, pc: usize) {
        let at = first.instruction + pc as u32;
        if !self.is_reached(at) {
            self.mark(Mark::Instruction(at));
        }
    }

    #[inline(always)]
    fn is_reached(&self, at: u32) -> bool {
        self.reached[at as usize / 64] >> (at % 64) & 1 == 1
    }

    /// Marks a block of a function as entered.
    #[inline(always)]
    pub(in crate::exec) fn enter_block(&mut self, function: FuncId, block: u32) {
        self.enter(self.first_of(function).block + block);
    }

    #[inline(always)]
    fn enter(&mut self, at: u32) {
        if !self.entered[at as usize] {
            self.mark(Mark::Block(at));
        }
    }

    /// Sets a flag that is not set.
    #[cold]
    fn mark(&mut self, mark: Mark) {
        self.set(mark, true);
        match &mut self.aside {
            Some(aside) => aside.push(mark),
            None => {
                self.fresh |= matches!(mark, Mark::Block(_));
                if let Some(step) = &mut self.step {
                    step.push(mark);
                }
            }
        }
    }

    fn set(&mut self, mark: Mark, flag: bool) {
        match mark {
            Mark::Block(at) => self.entered[at as usize] = flag,
            Mark::Edge(at) => self.taken[at as usize] = flag,
            Mark::Instruction(at) => {
                let bit = 1 << (at % 64);
                let word = &mut self.reached[at as usize / 64];
                *word = if flag { *word | bit } else { *word & !bit };
            }
        }
    }

    /// Begins a step that may be undone: later steps are not undone with it.
    pub fn begin_step(&mut self) {
        self.step.get_or_insert_default().clear();
    }

    /// Takes back what was marked since the step began.
    pub fn undo_step(&mut self) {
        let marks = self.step.take();
        self.take_back(marks);
    }

    fn take_back(&mut self, marks: Option<Vec<Mark>>) {
        for mark in marks.into_iter().flatten() {
            self.set(mark, false);
        }
    }

    /// From now on, nothing that is run counts.
    pub(in crate::exec) fn set_aside(&mut self) {
        self.aside = Some(Vec::new());
    }

    /// From now on, what is run counts again.
    pub(in crate::exec) fn go_on(&mut self) {
        let marks = self.aside.take();
        self.take_back(marks);
    }

    /// Reports whether a block was entered for the first time since the last call.
    pub fn take_fresh(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    /// Returns what was run, by the names of functions.
    pub fn by_name(&self, program: &Program) -> Vec<Covered> {
        let mut all = Vec::new();
        for (function, first) in program.functions.iter().zip(&self.first) {
            let Some(body) = &function.body else {
                continue;
            };
            let covered = Covered {
                name: function.name.clone(),
                blocks: set(body.blocks.len(), |at| {
                    self.entered[(first.block + at) as usize]
                }),
                edges: set(body.edges.len(), |at| {
                    self.taken[(first.edge + at) as usize]
                }),
                instructions: set(body.code.len(), |at| {
                    self.is_reached(first.instruction + at)
                }),
            };
            if !covered.blocks.is_empty() || !covered.instructions.is_empty() {
                all.push(covered);
            }
        }
        all
    }

    /// Marks what [`Self::by_name`] has told of a program that may be another one: what this one
    /// does not have is left out.
    pub fn enter_by_name(&mut self, program: &Program, told: &[Covered]) {
        let mut set = Vec::new();
        let told: FxHashMap<&str, &Covered> = told.iter().map(|one| (&*one.name, one)).collect();
        for (function, first) in program.functions.iter().zip(&self.first) {
            let (Some(body), Some(told)) = (&function.body, told.get(&*function.name)) else {
                continue;
            };
            let marks = [
                (&told.blocks, body.blocks.len(), first.block),
                (&told.edges, body.edges.len(), first.edge),
                (&told.instructions, body.code.len(), first.instruction),
            ];
            let kinds = [Mark::Block, Mark::Edge, Mark::Instruction];
            for ((told, count, first), kind) in marks.into_iter().zip(kinds) {
                for at in told.iter().filter(|at| (**at as usize) < count) {
                    set.push(kind(first + at));
                }
            }
        }
        set.into_iter().for_each(|mark| self.set(mark, true));
    }

    /// Adds what was run in another exploration of the program.
    pub fn add(&mut self, other: &EnteredBlocks) {
        let add = |flags: &mut Vec<bool>, others: &[bool]| {
            for (flag, other) in flags.iter_mut().zip(others) {
                *flag |= other;
            }
        };
        add(&mut self.entered, &other.entered);
        add(&mut self.taken, &other.taken);
        for (word, other) in self.reached.iter_mut().zip(&other.reached) {
            *word |= other;
        }
    }

    /// Returns the number of blocks that were entered.
    pub fn count(&self) -> usize {
        self.entered.iter().filter(|entered| **entered).count()
    }

    /// Reports whether an edge of a function was taken.
    pub fn is_taken(&self, function: FuncId, edge: u32) -> bool {
        self.taken[(self.first_of(function).edge + edge) as usize]
    }

    /// Reports whether anything of a function was run.
    pub fn has_run(&self, function: FuncId, body: &Body) -> bool {
        let First {
            edge, instruction, ..
        } = self.first_of(function);
        let edges = edge as usize..edge as usize + body.edges.len();
        self.taken[edges].contains(&true) || {
            let end = instruction + body.code.len() as u32;
            let (first, last) = (instruction as usize / 64, end as usize / 64);
            let words = first..self.reached.len().min(last + 1);
            self.reached[words].iter().any(|word| *word != 0)
                && (instruction..end).any(|at| self.is_reached(at))
        }
    }

    /// Returns the number of instructions of a function's block, given by their range, that were
    /// run before the last one that was reached, and with it.
    pub fn reached_in(&self, function: FuncId, mut block: std::ops::Range<u32>) -> u32 {
        let first = self.first_of(function).instruction;
        let begin = block.start;
        let last = block.rfind(|at| self.is_reached(first + at));
        last.map_or(0, |last| last - begin + 1)
    }
}

/// Returns the numbers below `count` for which a flag is set.
fn set(count: usize, flag: impl Fn(u32) -> bool) -> Vec<u32> {
    (0..count as u32).filter(|at| flag(*at)).collect()
}
