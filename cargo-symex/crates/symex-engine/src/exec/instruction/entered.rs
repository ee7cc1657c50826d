//! Coverage: the basic blocks that any path has entered.

use rustc_hash::FxHashMap;
use symex_program::{FuncId, Program};

/// The coverage map: one flag for each block of the program.
#[derive(Clone, Default)]
pub struct EnteredBlocks {
    /// Index of each function's first block in the map.
    first: Vec<u32>,
    entered: Vec<bool>,
    /// Whether a block was entered for the first time.
    pub(in crate::exec) fresh: bool,
}

impl EnteredBlocks {
    /// Makes the map for a program, with no block entered.
    pub fn new(program: &Program) -> Self {
        let mut first = Vec::with_capacity(program.functions.len());
        let mut blocks = 0u32;
        for f in &program.functions {
            first.push(blocks);
            blocks += f.body.as_ref().map_or(0, |b| b.blocks.len() as u32);
        }
        EnteredBlocks {
            first,
            entered: vec![false; blocks as usize],
            fresh: false,
        }
    }

    /// Returns the index of a function's first block.
    #[inline]
    pub(in crate::exec) fn first_of(&self, function: FuncId) -> u32 {
        self.first[function.0 as usize]
    }

    /// Marks the block at an index as entered.
    #[inline(always)]
    pub(in crate::exec) fn enter(&mut self, at: u32) {
        let entered = &mut self.entered[at as usize];
        if !*entered {
            *entered = true;
            self.fresh = true;
        }
    }

    /// Marks a block of a function as entered.
    #[inline(always)]
    pub(in crate::exec) fn enter_block(&mut self, function: FuncId, block: u32) {
        self.enter(self.first_of(function) + block);
    }

    /// Reports whether a block was entered for the first time since the last call.
    pub fn take_fresh(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    /// Returns the blocks that were entered, by the names of their functions.
    pub fn by_name(&self, program: &Program) -> Vec<(String, Vec<u32>)> {
        let mut all = Vec::new();
        for (function, first) in program.functions.iter().zip(&self.first) {
            let blocks = function
                .body
                .as_ref()
                .map_or(0, |body| body.blocks.len() as u32);
            let is_entered = |block: &u32| self.entered[(first + block) as usize];
            let entered: Vec<u32> = (0..blocks).filter(is_entered).collect();
            if !entered.is_empty() {
                all.push((function.name.clone(), entered));
            }
        }
        all
    }

    /// Marks blocks as entered that [`Self::by_name`] has told of a program that may be another
    /// one: what this one does not have is left out.
    pub fn enter_by_name(&mut self, program: &Program, told: &[(String, Vec<u32>)]) {
        let told: FxHashMap<&str, &[u32]> = told.iter().map(|(n, b)| (&**n, &**b)).collect();
        for (function, first) in program.functions.iter().zip(&self.first) {
            let blocks = function.body.as_ref().map_or(0, |body| body.blocks.len());
            for block in told.get(&*function.name).into_iter().copied().flatten() {
                if (*block as usize) < blocks {
                    self.entered[(first + block) as usize] = true;
                }
            }
        }
    }

    /// Adds the blocks that were entered in another exploration of the program.
    pub fn add(&mut self, other: &EnteredBlocks) {
        for (entered, other) in self.entered.iter_mut().zip(&other.entered) {
            *entered |= other;
        }
    }

    /// Returns the number of blocks that were entered.
    pub fn count(&self) -> usize {
        self.entered.iter().filter(|entered| **entered).count()
    }
}
