//! Classes of characters, as terms: a table of blocks of characters, and one with the members of
//! each.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use symex_program::FuncId;
use symex_terms::{Array, Expr, Pool};

/// Number of bits by which the characters of a block differ.
const BLOCK_BITS: u32 = 6;

/// Classes of characters, by the functions that know them; `None` for a function that does so in
/// another way.
pub type CharacterClasses = FxHashMap<FuncId, Option<CharacterClass>>;

/// Ranges of characters that are of a class or not.
pub struct Ranges {
    /// The first character of each range, ascending, and whether its characters are of the class.
    ranges: Vec<(u32, bool)>,
}

impl Ranges {
    /// Reads the runs of a class.
    ///
    /// `starts` has a word for each part of the runs: its upper 11 bits are the place of the part's
    /// first run in `lengths`, and the others the first character behind the part. In `lengths` is
    /// the length of each run, of which every second one is of the class; the last of a part goes
    /// on to the next part, whatever its length is.
    pub fn read(starts: &[u8], lengths: &[u8]) -> Option<Ranges> {
        const CHARACTER_BITS: u32 = 21;
        let words = starts.as_chunks().0.iter();
        let starts: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
        let mut ranges: Vec<(u32, bool)> = Vec::new();
        let mut at = 0;
        for (part, start) in starts.iter().enumerate() {
            let first = (start >> CHARACTER_BITS) as usize;
            let end = match starts.get(part + 1) {
                Some(next) => (next >> CHARACTER_BITS) as usize,
                None => lengths.len(),
            };
            let behind = start & ((1 << CHARACTER_BITS) - 1);
            if behind <= at {
                return None;
            }
            let mut character = at;
            for (run, length) in (first..).zip(lengths.get(first..end)?) {
                if character >= behind {
                    break;
                }
                let is_member = run % 2 == 1;
                // A run may be empty.
                ranges.pop_if(|last| last.0 == character);
                if ranges.last().is_none_or(|last| last.1 != is_member) {
                    ranges.push((character, is_member));
                }
                character += u32::from(*length);
            }
            at = behind;
        }
        (ranges.first()?.0 == 0).then_some(Ranges { ranges })
    }

    /// Reports whether a character is of the class.
    pub fn has(&self, character: u32) -> bool {
        let behind = self.ranges.partition_point(|range| range.0 <= character);
        self.ranges[behind - 1].1
    }

    /// Returns the first character of each range but the first.
    pub fn borders(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.ranges[1..].iter().map(|range| range.0)
    }
}

/// A class of characters.
#[derive(Clone, Copy)]
pub struct CharacterClass {
    /// First character behind all tables: it and those behind are of the class or not alike.
    end: u32,
    /// Whether those are of the class.
    behind: bool,
    /// For each block the number of its members' table.
    blocks: Array,
    /// Whether each character of a block is of the class, table by table.
    members: Array,
}

impl CharacterClass {
    /// Makes the tables of a class.
    pub fn new(pool: &mut Pool, ranges: &Ranges) -> CharacterClass {
        let (last, behind) = ranges.ranges[ranges.ranges.len() - 1];
        let end = (last + 1).next_multiple_of(1 << BLOCK_BITS);
        let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
        let mut members = Vec::new();
        let mut blocks = Vec::new();
        for first in (0..end).step_by(1 << BLOCK_BITS) {
            let bit = |i: u32| u64::from(ranges.has(first + i)) << i;
            let block = (0..1 << BLOCK_BITS).map(bit).sum();
            let next = numbers.len();
            let number = *numbers.entry(block).or_insert(next);
            if number == next {
                let bits = (0..1 << BLOCK_BITS).map(|i| block >> i & 1 == 1);
                members.extend(bits.map(|bit| pool.bool(bit)));
            }
            blocks.push(number as u128);
        }
        let width = match numbers.len() {
            ..=0x100 => 8,
            _ => 16,
        };
        let blocks = blocks
            .into_iter()
            .map(|number| pool.constant(width, number));
        let blocks: Arc<[Expr]> = blocks.collect();
        CharacterClass {
            end,
            behind,
            blocks: pool.table(blocks),
            members: pool.table(members.into()),
        }
    }

    /// Makes the condition that a character, a word of 32 bits, is of the class.
    pub fn has(&self, pool: &mut Pool, character: Expr) -> Expr {
        const WIDTH: u32 = 32;
        let block = pool.extract(character, BLOCK_BITS, WIDTH - BLOCK_BITS);
        let block = pool.resize(block, 64);
        let number = pool.select(self.blocks, block);
        let within = pool.extract(character, 0, BLOCK_BITS);
        let place = pool.concat(number, within);
        let place = pool.resize(place, 64);
        let listed = pool.select(self.members, place);
        let end = pool.constant(WIDTH, self.end.into());
        let is_listed = pool.ult(character, end);
        let behind = pool.bool(self.behind);
        pool.ite(is_listed, listed, behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::{Assignment, NoAddresses, Origin, Symbol, VarInfo};

    fn read(starts: &[u32], lengths: &[u8]) -> Option<Ranges> {
        let starts: Vec<u8> = starts.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ranges::read(&starts, lengths)
    }

    /// Characters from 3, but not 5; from 0x100; and, in a second part, from 0x205.
    fn ranges() -> Ranges {
        read(
            &[0x200, 7 << 21 | 0x11_0000],
            &[3, 2, 1, 50, 200, 250, 0, 5, 0],
        )
        .expect("they are runs")
    }

    #[test]
    fn runs_become_ranges() {
        let ranges = ranges();
        let borders: Vec<u32> = ranges.borders().collect();
        assert_eq!(borders, [3, 5, 6, 56, 256, 506, 0x200, 0x205]);
        let members = [
            2, 3, 4, 5, 6, 55, 56, 255, 256, 505, 506, 0x1ff, 0x200, 0x204, 0x205,
        ];
        let members: Vec<u32> = members.into_iter().filter(|c| ranges.has(*c)).collect();
        assert_eq!(members, [3, 4, 6, 55, 256, 505, 0x200, 0x204]);
        assert!(read(&[0x200, 7 << 21 | 0x100], &[3; 9]).is_none());
        assert!(read(&[0x200, 12 << 21 | 0x300], &[3; 9]).is_none());
        assert!(read(&[], &[]).is_none());
    }

    #[test]
    fn tables_say_what_the_ranges_say() {
        let ranges = ranges();
        let mut pool = Pool::new();
        let class = CharacterClass::new(&mut pool, &ranges);
        let character = pool.var(VarInfo {
            name: "c".into(),
            width: 32,
            origin: Origin::Input { input: 0, part: 0 },
        });
        let term = class.has(&mut pool, character);
        let Symbol::Var(var) = pool.support(character)[0] else {
            unreachable!("it is a variable")
        };
        for c in (0..0x300).chain([0xffff, 0x1_0000, 0x10_ffff]) {
            let mut assignment = Assignment::default();
            assignment.set(var, c.into());
            let value = pool.eval(term, &assignment, &NoAddresses);
            assert_eq!(value == 1, ranges.has(c), "{c:#x}");
        }
    }
}
