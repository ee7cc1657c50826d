//! Static segments, computed before the program runs [SMM 2.2]: an object belongs to the segment
//! that a points-to analysis has for its allocation site.
//!
//! The paper allocates in segments from the start. Here the objects of a segment are moved there at
//! the first access that needs it, and objects allocated since at the next: until then no access
//! could tell the difference. The analysis is run on first use. As in the paper, constants and
//! locals stay apart, and a segment over the threshold is followed by another; where an access
//! reaches several, they are merged.

use super::birth::{Birth, Births};
use super::{AccessRequest, MemoryModel, Plan, Union};
use crate::{AddressSpace, ObjectKind};
use rustc_hash::FxHashMap;
use symex_points_to::{
    AnalysisOptions, PointsTo, Separation, StaticSegmentId, StaticSegments, usual,
};
use symex_program::{FuncId, Program};
use symex_terms::ObjectId;
use symex_types::config::MemoryConfig;

/// Number of innermost calls among which that of an allocator is searched.
const FRAMES: usize = 16;

pub(super) struct Segmented<'a> {
    program: &'a Program,
    threshold: u64,
    entry: Option<FuncId>,
    analysis: Option<(PointsTo, StaticSegments)>,
    /// Segments by the number of a birth.
    known: FxHashMap<u32, Option<StaticSegmentId>>,
}

impl<'a> Segmented<'a> {
    pub fn new(config: &MemoryConfig, program: &'a Program) -> Segmented<'a> {
        Segmented {
            program,
            threshold: config.segment_threshold,
            entry: None,
            analysis: None,
            known: FxHashMap::default(),
        }
    }

    /// Returns the segment of an object, if the analysis has one for it.
    fn segment(
        &mut self,
        memory: &AddressSpace,
        births: &Births,
        id: ObjectId,
    ) -> Option<StaticSegmentId> {
        let object = memory.object(id);
        if !matches!(object.kind, ObjectKind::Heap(_) | ObjectKind::Global) {
            return None;
        }
        if let Some(known) = self.known.get(&object.birth) {
            return *known;
        }
        let (program, entry) = (self.program, self.entry);
        let (points_to, segments) = self.analysis.get_or_insert_with(|| {
            let points_to = PointsTo::analyse(
                program,
                &AnalysisOptions {
                    entries: entry.as_slice(),
                    given_addresses: true,
                    effects: &usual,
                    pieces: false,
                    trust_names: true,
                },
            );
            let segments = StaticSegments::new(&points_to, Separation::default());
            (points_to, segments)
        });
        let segment = match births.get(object.birth) {
            Birth::Unknown => None,
            Birth::Global(global) => segments.of_global(points_to, *global),
            Birth::Calls(calls) => segments.of_allocation(points_to, calls.iter().copied()),
        };
        self.known.insert(object.birth, segment);
        segment
    }
}

impl MemoryModel for Segmented<'_> {
    fn enter(&mut self, entry: FuncId) {
        self.entry = Some(entry);
        self.analysis = None;
        self.known.clear();
    }

    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Segment
    }

    fn born_in_calls(&self) -> Option<usize> {
        Some(FRAMES)
    }

    fn together(
        &mut self,
        memory: &AddressSpace,
        births: &Births,
        accessed: &[ObjectId],
    ) -> Vec<Union> {
        let mut unions: Vec<(StaticSegmentId, Union)> = Vec::new();
        for id in accessed {
            if let Some(segment) = self.segment(memory, births, *id)
                && unions.iter().all(|(known, _)| *known != segment)
            {
                let union = Union {
                    objects: Vec::new(),
                    most: self.threshold,
                };
                unions.push((segment, union));
            }
        }
        for id in memory.live() {
            let segment = self.segment(memory, births, id);
            if let Some((_, union)) = unions.iter_mut().find(|(known, _)| Some(*known) == segment) {
                union.objects.push(id);
            }
        }
        unions.into_iter().map(|(_, union)| union).collect()
    }
}
