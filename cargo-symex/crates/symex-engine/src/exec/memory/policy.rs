//! The memory model of a run, with the births of objects and the statistics of its decisions.

use std::rc::Rc;
use symex_memory::model::{AccessRequest, Births, ContentsSampler, MemoryModel, Plan, by_config};
use symex_memory::{AddressSpace, Counters, Moved};
use symex_program::{FuncId, Program};
use symex_terms::{ObjectId, Pool};
use symex_types::config::Config;
use symex_types::outcome::stats::MemoryStats;

/// The memory model in use.
pub struct Policy<'a> {
    config: &'a Config,
    model: Box<dyn MemoryModel + 'a>,
    /// Births of objects, as far as the memory model asks for them.
    pub births: Births,
    /// Counters of all states' memory.
    counters: Rc<Counters>,
    /// Statistics of moving objects together, over all paths.
    moved: Moved,
}

impl<'a> Policy<'a> {
    /// Makes the memory model that the settings name.
    pub fn new(config: &'a Config, program: &'a Program) -> Self {
        let model = by_config(&config.memory, program);
        Policy {
            config,
            births: Births::new(model.born_in_calls()),
            model,
            counters: Rc::default(),
            moved: Moved::default(),
        }
    }

    /// Makes empty memory for a program that begins with a function.
    pub(in crate::exec) fn begin(&mut self, entry: FuncId) -> AddressSpace {
        self.model.enter(entry);
        AddressSpace::new(self.counters.clone(), &self.config.memory)
            .copying_whole(self.config.experiment.copy_whole_objects)
            .represented(self.model.representation())
    }

    /// Returns the plan for an access.
    pub(in crate::exec) fn plan(&mut self, request: &AccessRequest<'_>) -> Plan {
        self.model.plan(request)
    }

    /// Reports whether an access that may reach this many elements is worth queries to narrow it
    /// down.
    pub(in crate::exec) fn narrows(&self, elements: u64) -> bool {
        self.model.narrows(elements)
    }

    /// Reports whether an access to this many elements is split into paths, where the path has
    /// split the object by so many other offsets before.
    pub(in crate::exec) fn splits(
        &self,
        elements: u64,
        before: usize,
        contents: &ContentsSampler<'_>,
    ) -> bool {
        self.model.splits(elements, before, contents)
    }

    /// Moves objects together as the memory model wants it before an access to them.
    pub(in crate::exec) fn move_together(
        &mut self,
        pool: &mut Pool,
        memory: &mut AddressSpace,
        accessed: &[ObjectId],
    ) {
        for union in self.model.together(memory, &self.births, accessed) {
            self.moved
                .add(memory.unite(pool, &union.objects, union.most));
        }
    }

    /// Adds the counts of the whole run to its statistics.
    pub fn tell(&self, stats: &mut MemoryStats) {
        self.counters.tell(stats);
        self.moved.tell(stats);
    }
}
