//! Inputs that are made up: with a preference for values at the edges of types, for those that the
//! program mentions, and for small changes to inputs that were accepted before.

use std::sync::Arc;

use super::active::number;
use super::random::Random;
use crate::abi::inputs::Input;
use crate::abi::pre_runs::Word;

/// Values that the program under test mentions.
#[derive(Debug, Default)]
pub(crate) struct Words {
    numbers: Vec<u64>,
    texts: Vec<Vec<u8>>,
}

impl Words {
    /// Sorts words by their kinds.
    pub(crate) fn new(words: Vec<Word>) -> Self {
        let mut sorted = Words::default();
        for word in words {
            match word {
                Word::Number(number) => sorted.numbers.push(number),
                Word::Text(text) if text.is_empty() => {}
                Word::Text(text) => sorted.texts.push(text),
            }
        }
        sorted
    }
}

/// Source of the inputs of one run.
pub(crate) struct Inventor {
    random: Random,
    words: Arc<Words>,
    /// Inputs of an earlier run, of which these are a variation.
    model: Vec<Input>,
    /// Position of an input that differs from the model.
    varied: usize,
    /// Number of inputs made.
    made: usize,
    /// The integers among them.
    numbers: Vec<u64>,
    /// Whether all that is offered is taken.
    is_obedient: bool,
}

/// Floats at which computations change their ways.
const FLOATS: [f64; 20] = [
    0.0,
    0.1,
    0.5,
    1.0,
    1.5,
    60.0,
    1e9,
    1e15,
    1e16,
    1e17,
    1e21,
    4_294_967_296.0,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_616.0,
    f64::EPSILON,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
];

/// Characters that texts are made of, besides those of ASCII.
const CHARACTERS: [char; 16] = [
    '\0', '\t', '\n', '\r', '\u{7f}', '\u{a0}', 'é', 'ß', 'İ', '\u{301}', '\u{200d}', '—',
    '\u{2028}', '\u{feff}', '文', '😀',
];

impl Inventor {
    /// Creates the source of a run: a variation of `model`, unless that is empty.
    pub(crate) fn new(mut random: Random, words: Arc<Words>, model: Vec<Input>) -> Self {
        let varied = random.below(model.len().max(1) as u64) as usize;
        Inventor {
            random,
            words,
            model,
            varied,
            made: 0,
            numbers: Vec::new(),
            is_obedient: false,
        }
    }

    /// Makes the source take all that is offered, instead of every second, on average.
    pub(crate) fn obedient(self) -> Self {
        Inventor {
            is_obedient: true,
            ..self
        }
    }

    /// Reports whether draws that are offered come next.
    pub(crate) fn takes_offer(&mut self) -> bool {
        self.is_obedient || self.model.is_empty() && self.random.once_in(2)
    }

    /// Passes over an input that was not made up.
    pub(crate) fn pass(&mut self) {
        self.made += 1;
    }

    /// Returns the model of the next input, and whether it is to be kept as it is.
    fn next_model(&mut self, size: usize) -> Option<(Vec<u8>, bool)> {
        let at = self.made;
        self.made += 1;
        let model = self.model.get(at)?;
        if model.bytes.len() != size {
            return None;
        }
        let keeps = at != self.varied && !self.random.once_in(8);
        Some((model.bytes.clone(), keeps))
    }

    /// Returns an integer of `bits` bits.
    pub(crate) fn int(&mut self, bits: u32) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let value = match self.next_model(bits.div_ceil(8) as usize) {
            Some((model, true)) => number(&model),
            Some((model, false)) if !self.random.once_in(4) => self.near(number(&model), bits),
            _ => self.fresh_int(bits),
        };
        self.numbers.push(value & mask);
        value & mask
    }

    /// Returns an integer in `low..=high`.
    pub(crate) fn range(&mut self, low: u64, high: u64) -> u64 {
        let inside = |value: &u64| (low..=high).contains(value);
        let bits = 64 - high.leading_zeros().min(63);
        let value = match self.next_model(8) {
            Some((model, true)) => Some(number(&model)),
            Some((model, false)) if !self.random.once_in(4) => {
                Some(self.near(number(&model), bits))
            }
            _ => None,
        };
        let value = value.filter(inside).unwrap_or_else(|| {
            let span = (high - low).checked_add(1);
            match (self.random.below(8), span) {
                (0, _) => low,
                (1, _) => high,
                (2 | 3, Some(17..) | None) => {
                    let found = self.fresh_int(bits);
                    Some(found).filter(inside).unwrap_or(low)
                }
                (_, Some(span)) => low + self.random.below(span),
                (_, None) => self.random.next(),
            }
        });
        self.numbers.push(value);
        value
    }

    /// Returns a number that resembles another.
    fn near(&mut self, value: u64, bits: u32) -> u64 {
        let distance = self.random.below(4) + 1;
        match self.random.below(6) {
            0 => value.wrapping_add(distance),
            1 => value.wrapping_sub(distance),
            2 => value ^ 1 << self.random.below(bits.into()),
            3 => value.wrapping_mul(2),
            4 => value / 2,
            _ => value.wrapping_neg(),
        }
    }

    fn fresh_int(&mut self, bits: u32) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let random = &mut self.random;
        match random.below(10) {
            0 => random.below(17),
            1 => {
                let edges = [0, 1, mask, mask >> 1, (mask >> 1) + 1];
                let edge = random.of(&edges).unwrap_or(0);
                edge.wrapping_sub(random.below(3))
            }
            2 => {
                let power = 1u64 << random.below(bits.into());
                let beside = power.wrapping_add(random.below(3)).wrapping_sub(1);
                if random.once_in(2) {
                    beside.wrapping_neg()
                } else {
                    beside
                }
            }
            3 => {
                let power = 10u64.pow(random.below(20) as u32);
                power.wrapping_add(random.below(3)).wrapping_sub(1)
            }
            4 | 5 => match random.of(&self.words.numbers) {
                Some(word) if random.once_in(2) => word,
                Some(word) => word.wrapping_add(random.below(3)).wrapping_sub(1),
                None => random.next(),
            },
            6 => match random.of(&self.numbers) {
                Some(earlier) => earlier.wrapping_add(random.below(3)).wrapping_sub(1),
                None => random.next(),
            },
            7 if bits == 64 => self.float().to_bits(),
            7 if bits == 32 => u64::from((self.float() as f32).to_bits()),
            8 => random.next() >> random.below(64),
            _ => random.next(),
        }
    }

    fn float(&mut self) -> f64 {
        let random = &mut self.random;
        let size = match random.below(4) {
            0 | 1 => random.of(&FLOATS).unwrap_or(0.0),
            2 => (random.next() >> random.below(64)) as f64,
            _ => {
                let digits = random.next() >> (12 + random.below(52));
                digits as f64 / 10f64.powi(random.below(20) as i32)
            }
        };
        if random.once_in(3) { -size } else { size }
    }

    /// Returns `size` bytes.
    pub(crate) fn bytes(&mut self, size: usize) -> Vec<u8> {
        if size == 0 {
            self.made += 1;
            return Vec::new();
        }
        match self.next_model(size) {
            Some((model, true)) => model,
            Some((mut model, false)) if !self.random.once_in(4) => {
                for _ in 0..=self.random.below(3) {
                    self.change(&mut model);
                }
                model
            }
            _ => self.fresh_bytes(size),
        }
    }

    /// Changes a little of bytes, of which there is at least one.
    fn change(&mut self, bytes: &mut [u8]) {
        let size = bytes.len();
        let at = self.random.below(size as u64) as usize;
        match self.random.below(9) {
            0 => bytes[at] = self.random.next() as u8,
            1 => bytes[at] ^= 1 << self.random.below(8),
            2 => bytes[at] = bytes[at].wrapping_add(1),
            3 => bytes[at] = bytes[at].wrapping_sub(1),
            // A byte is inserted, or one is taken out.
            4 => bytes[at..].rotate_right(1),
            5 => bytes[at..].rotate_left(1),
            6 => {
                let from = self.random.below(size as u64) as usize;
                let most = (size - at.max(from)) as u64;
                let length = self.random.below(most) as usize + 1;
                bytes.copy_within(from..from + length, at);
            }
            7 => {
                let part = self.fresh_bytes(size - at);
                bytes[at..].copy_from_slice(&part);
            }
            _ => self.put_word(bytes),
        }
    }

    /// Writes a word of the program somewhere among the bytes.
    fn put_word(&mut self, bytes: &mut [u8]) {
        let size = bytes.len();
        let words = self.words.clone();
        let texts = words.texts.len() as u64;
        let number = self.random.of(&words.numbers);
        let word = match number.filter(|_| texts == 0 || self.random.once_in(2)) {
            Some(number) => in_bytes(number, self.random.once_in(3)),
            None if texts == 0 => self.numeral(size.min(4)),
            None => words.texts[self.random.below(texts) as usize].clone(),
        };
        let length = word.len().min(size);
        let at = match self.random.once_in(3) {
            true => 0,
            false => self.random.below((size - length) as u64 + 1) as usize,
        };
        bytes[at..at + length].copy_from_slice(&word[..length]);
    }

    fn fresh_bytes(&mut self, size: usize) -> Vec<u8> {
        let random = &mut self.random;
        match random.below(10) {
            0 => (0..size).map(|_| random.next() as u8).collect(),
            1 => {
                let few = [0, 1, 0x7f, 0x80, 0xff, random.next() as u8];
                (0..size).filter_map(|_| random.of(&few)).collect()
            }
            2 => vec![random.next() as u8; size],
            3 => (0..size).map(|_| printable(random)).collect(),
            4 | 5 => self.numeral(size),
            6 => self.text(size),
            7 => self.integers(size),
            _ => {
                let mut bytes = match self.random.once_in(2) {
                    true => (0..size).map(|_| printable(&mut self.random)).collect(),
                    false => self.numeral(size),
                };
                for _ in 0..=self.random.below(2) {
                    self.put_word(&mut bytes);
                }
                bytes
            }
        }
    }

    /// Returns what may be read as a number or a date, or as a list of them.
    fn numeral(&mut self, size: usize) -> Vec<u8> {
        let random = &mut self.random;
        let repeated = b'0' + random.below(10) as u8;
        let repeats = random.once_in(3);
        (0..size)
            .map(|i| match random.below(12) {
                0 if i == 0 => b'-',
                1 if i == 0 => b'+',
                2 => b'.',
                3 => random.of(b"eE-+_:/,xX %TZ").unwrap_or(b'.'),
                _ if repeats => repeated,
                _ => b'0' + random.below(10) as u8,
            })
            .collect()
    }

    /// Returns UTF-8, not only of ASCII.
    fn text(&mut self, size: usize) -> Vec<u8> {
        let random = &mut self.random;
        let mut text = String::with_capacity(size + 4);
        while text.len() < size {
            let character = match random.below(3) {
                0 => char::from(printable(random)),
                1 => random.of(&CHARACTERS).unwrap_or(' '),
                _ => char::from_u32(random.below(0x1_0000) as u32).unwrap_or('\u{fffd}'),
            };
            if text.len() + character.len_utf8() <= size {
                text.push(character);
            } else {
                text.push(' ');
            }
        }
        text.into_bytes()
    }

    /// Returns integers, as they lie in memory or as they are sent.
    fn integers(&mut self, size: usize) -> Vec<u8> {
        let width = 1usize << self.random.below(4);
        let big = self.random.once_in(3);
        let mut bytes = Vec::with_capacity(size + width);
        while bytes.len() < size {
            let little = self.fresh_int(8 * width as u32).to_le_bytes();
            let little = little[..width].iter().copied();
            match big {
                true => bytes.extend(little.rev()),
                false => bytes.extend(little),
            }
        }
        bytes.truncate(size);
        bytes
    }
}

/// Returns the bytes of a number, without zeros above the highest.
fn in_bytes(number: u64, big: bool) -> Vec<u8> {
    let zeros = number.leading_zeros() as usize / 8;
    let mut bytes = number.to_le_bytes()[..8 - zeros.min(7)].to_vec();
    if big {
        bytes.reverse();
    }
    bytes
}

fn printable(random: &mut Random) -> u8 {
    0x20 + random.below(0x5f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventor(run: u64, words: &[Word], model: &[Input]) -> Inventor {
        let words = Arc::new(Words::new(words.to_vec()));
        Inventor::new(Random::new(1, run), words, model.to_vec())
    }

    #[test]
    fn inputs_stay_within_their_types_and_ranges() {
        let words = [
            Word::Number(u64::MAX),
            Word::Text(b"much too long".to_vec()),
        ];
        let model: Vec<Input> = [vec![1], vec![2, 3], vec![4; 8], Vec::new(), vec![5; 9]]
            .into_iter()
            .map(|bytes| Input {
                name: String::new(),
                bytes,
            })
            .collect();
        for run in 0..4000 {
            let mut source = match run % 2 {
                0 => inventor(run, &words, &[]),
                _ => inventor(run, &words, &model),
            };
            for bits in [1, 7, 8, 33, 64] {
                let value = source.int(bits);
                assert!(bits == 64 || value < 1 << bits);
            }
            assert!((5..=9).contains(&source.range(5, 9)));
            assert_eq!(source.range(7, 7), 7);
            assert_eq!(source.range(0, 0), 0);
            assert!(source.range(1 << 40, u64::MAX) >= 1 << 40);
            source.range(0, u64::MAX);
            for size in [0, 1, 2, 3, 8, 17] {
                assert_eq!(source.bytes(size).len(), size);
            }
        }
    }

    #[test]
    fn words_of_the_program_occur() {
        let words = [Word::Number(0x1234_5678), Word::Text(b"key".to_vec())];
        let mut found = (0, 0);
        for run in 0..200 {
            let mut source = inventor(run, &words, &[]);
            found.0 += u32::from(source.int(32) == 0x1234_5678);
            found.1 += u32::from(source.bytes(5).windows(3).any(|part| part == b"key"));
        }
        assert!(found.0 >= 5 && found.1 >= 5, "{found:?}");
    }

    #[test]
    fn a_variation_differs_from_its_model_in_little() {
        let input = |byte| Input {
            name: String::new(),
            bytes: vec![byte; 4],
        };
        let model = [input(1), input(2), input(3)];
        let kept: usize = (0..100)
            .map(|run| {
                let mut source = inventor(run, &[], &model);
                let same = |input: &&Input| source.bytes(4) == input.bytes;
                model.iter().filter(same).count()
            })
            .sum();
        assert!((150..290).contains(&kept), "{kept}");
    }
}
