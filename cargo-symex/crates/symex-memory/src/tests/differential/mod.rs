//! Differential tests: random sequences of operations against a naive model, one array of bytes for
//! each of a few assignments.
//!
//! Every term that memory returns is evaluated under each assignment and must equal the model's
//! value.
//!
//! `SYMEX_TEST_SEEDS=N` tries `N` sequences.

mod generator;
mod random;
mod reference;
mod several;
mod single;

use crate::{AddressSpace, Representation};
use random::Draw as _;
use reference::Path;
use several::SeveralPlaces;
use std::rc::Rc;
use symex_terms::{Assignment, Pool};
use symex_types::config::MemoryConfig;
use symex_types::splitmix::Random;

const ASSIGNMENTS: usize = 3;

struct TestWorld {
    random: Random,
    pool: Pool,
    assignments: [Assignment; ASSIGNMENTS],
    vars: usize,
    draws: u32,
    /// Greatest number of regions that an object had.
    most_regions: usize,
    several: Vec<SeveralPlaces>,
}

impl TestWorld {
    fn new(seed: u64) -> TestWorld {
        TestWorld {
            random: Random::new(seed),
            pool: Pool::new(),
            assignments: Default::default(),
            vars: 0,
            draws: 0,
            most_regions: 0,
            several: Vec::new(),
        }
    }

    fn run(&mut self, steps: usize, representation: Representation, reuse_segments: bool) {
        let config = MemoryConfig {
            reuse_segments,
            ..MemoryConfig::default()
        };
        let mut paths = vec![Path {
            memory: AddressSpace::new(Rc::default(), &config).represented(representation),
            objects: Vec::new(),
        }];
        for _ in 0..3 {
            self.allocate(&mut paths[0]);
        }
        for _ in 0..steps {
            let at = self.random.below(paths.len() as u64) as usize;
            if paths.len() < 4 && self.random.one_in(12) {
                paths.push(paths[at].clone());
            }
            let path = &mut paths[at];
            let o = self.random.below(path.objects.len() as u64) as usize;
            match self.random.below(31) {
                0..5 => self.load(path, o),
                5..11 => self.store(path, o, false),
                11..14 => self.load_symbolic(path, o),
                14..17 => self.store(path, o, true),
                17..19 => self.copy(path),
                19 => self.fill(path, o),
                24..26 => self.write_covered(path, o),
                26 if self.random.one_in(4) => {
                    let id = path.objects[o].id;
                    path.memory.take_apart(&mut self.pool, id);
                    assert_eq!(path.memory.segment_of(id), None);
                }
                26 => self.unite(path),
                27..29 if representation == Representation::Arrays => {
                    self.access_member(path, o, false)
                }
                29..31 if representation == Representation::Arrays => {
                    self.access_member(path, o, true)
                }
                27..29 => self.access_several(path, false),
                29..31 => self.access_several(path, true),
                20..22 => self.inspect(path, o),
                22 if path.objects.len() < 5 => self.allocate(path),
                _ if path.objects.len() > 2 && self.random.one_in(3) => {
                    let gone = path.objects.remove(o);
                    path.memory.free(gone.id);
                    assert!(!path.memory.is_live(gone.id));
                    assert_eq!(path.memory.load_fast(gone.id, 0, 1, 0), None);
                }
                _ => self.load(path, o),
            }
            for object in &paths[at].objects {
                let regions = paths[at].memory.bytes_of_regions(object.id);
                assert!(regions.iter().all(|bytes| !bytes.is_empty()));
                let mut bytes: Vec<u64> = regions.iter().flatten().copied().collect();
                bytes.sort_unstable();
                assert!(bytes.is_sorted_by(|a, b| a < b), "{regions:?}");
                self.most_regions = self.most_regions.max(regions.len());
            }
        }
        for path in &paths {
            self.check_all(path);
        }
    }
}

fn compare(representation: Representation) {
    let seeds = std::env::var("SYMEX_TEST_SEEDS");
    let seeds = seeds.map_or(800, |n| n.parse().expect("a number"));
    let mut several = 0;
    for seed in 1..=seeds {
        let mut world = TestWorld::new(seed);
        let run = || world.run(80, representation, seed.is_multiple_of(2));
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        if let Err(e) = done {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(e);
        }
        several += u64::from(world.most_regions > 2);
    }
    assert!(
        representation != Representation::Arrays || several * 100 > seeds,
        "{several} of {seeds} had three regions"
    );
}

#[test]
fn memory_agrees_with_arrays_of_bytes() {
    compare(Representation::Arrays);
}

#[test]
fn records_agree_with_arrays_of_bytes() {
    compare(Representation::Records);
    compare(Representation::AllRecords);
}
