//! Tables of constants that are quotients and remainders of the index, such as those of the digits
//! of two-digit numbers.

/// A table `start + step * (i / run % count)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Digits {
    pub start: i128,
    pub step: i128,
    /// Number of equal elements in a row.
    pub run: i128,
    /// Number of different elements until they begin again, if they do.
    pub count: Option<i128>,
}

impl Digits {
    /// Recognises a table by its elements.
    pub fn of(elements: &[u128]) -> Option<Digits> {
        let at = |i: usize| i128::try_from(elements[i]).ok();
        let start = at(0)?;
        let run = elements.iter().take_while(|e| **e == elements[0]).count();
        if run == elements.len() {
            return None;
        }
        let step = at(run)? - start;
        let mut digits = Digits {
            start,
            step,
            run: run as i128,
            count: None,
        };
        let differs = (0..elements.len()).find(|i| at(*i) != Some(digits.at(*i as i128)));
        if let Some(first) = differs {
            if !first.is_multiple_of(run) {
                return None;
            }
            digits.count = Some((first / run) as i128);
        }
        (0..elements.len())
            .all(|i| at(i) == Some(digits.at(i as i128)))
            .then_some(digits)
    }

    /// Returns an element.
    fn at(&self, index: i128) -> i128 {
        let place = index / self.run;
        let digit = self.count.map_or(place, |count| place % count);
        self.start + self.step * digit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_digits_are_recognised() {
        let pairs: Vec<u128> = (0..100).map(|i| u128::from(b'0') + i / 10).collect();
        let units: Vec<u128> = (0..100).map(|i| u128::from(b'0') + i % 10).collect();
        let digits = |run, count| Digits {
            start: 48,
            step: 1,
            run,
            count,
        };
        assert_eq!(Digits::of(&pairs), Some(digits(10, None)));
        assert_eq!(Digits::of(&units), Some(digits(1, Some(10))));
        let hundreds: Vec<u128> = (0..1000).map(|i| 48 + i / 10 % 10).collect();
        assert_eq!(Digits::of(&hundreds), Some(digits(10, Some(10))));
        let down: Vec<u128> = (0..9).map(|i| 100 - 3 * i).collect();
        let expected = Digits {
            start: 100,
            step: -3,
            run: 1,
            count: None,
        };
        assert_eq!(Digits::of(&down), Some(expected));
    }

    #[test]
    fn other_tables_are_not() {
        assert_eq!(Digits::of(&[7, 7, 7]), None);
        assert_eq!(Digits::of(&[0, 1, 3, 7]), None);
        assert_eq!(Digits::of(&[0, 0, 1, 2]), None);
        let mut hex: Vec<u128> = (0..16)
            .map(|i| u128::from(b"0123456789abcdef"[i]))
            .collect();
        assert_eq!(Digits::of(&hex), None);
        hex.truncate(10);
        assert!(Digits::of(&hex).is_some());
        assert_eq!(Digits::of(&[u128::MAX, 0]), None);
    }
}
