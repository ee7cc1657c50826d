//! Reservoir sampling of the paths of a run.

use crate::splitmix::Random;

/// Returns the index, from 0, at which a path enters a sample of `size` paths, replacing the path
/// that was there; `None` if it does not. Once all paths have been asked for, each is in the sample
/// with equal probability: Vitter's algorithm R, with the path's number as its random source, so
/// that equal runs have equal samples.
pub fn slot(number: u64, size: usize) -> Option<usize> {
    let size = size as u64;
    let slot = match number {
        0 => return None,
        number if number <= size => number - 1,
        number => Random::new(number).below(number),
    };
    (slot < size).then_some(slot as usize)
}

#[cfg(test)]
mod tests {
    use super::slot;

    #[test]
    fn each_path_is_as_likely_to_stay() {
        let mut kept = [0u64; 10];
        for number in 1..=1000 {
            match slot(number, 10) {
                Some(place) => kept[place] = number,
                None => assert!(number > 10),
            }
        }
        // Of a thousand, about half of the ten are of the second half.
        let late = kept.iter().filter(|number| **number > 500).count();
        assert!((2..=8).contains(&late), "{kept:?}");
        assert_eq!(
            (1..=3).map(|number| slot(number, 3)).collect::<Vec<_>>(),
            [Some(0), Some(1), Some(2)]
        );
        assert!((1..100).all(|number| slot(number, 0).is_none()));
    }
}
