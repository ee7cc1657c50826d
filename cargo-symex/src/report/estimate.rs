//! How many paths a harness has in all, and how long the rest of them takes: an estimate from the
//! shape of the tree as far as it was explored.

use symex_types::outcome::tree::Tree;

/// Number of paths from which on an estimate is told.
const TOLD: u64 = 100;

/// Estimated number of paths, and time for those that are left, in words.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Such as `about 5 million`.
    pub paths: String,
    /// Such as `about 3 minutes`.
    pub left: String,
    /// The time for those that are left, as a multiple of what was spent.
    pub times: f64,
    /// A time limit that is somewhat longer, such as `5m`.
    pub timeout: String,
}

/// Estimates from the shape of a part of the tree of paths, where so many paths were explored in so
/// many seconds; `None` if too little is known, or nothing is left.
pub fn estimate(tree: &Tree, paths: u64, seconds: f64) -> Option<Estimate> {
    let all = tree.estimated_ends();
    let left = all / paths as f64 - 1.0;
    if paths < TOLD || tree.ends.is_empty() || left < 0.01 {
        return None;
    }
    Some(Estimate {
        paths: number(all),
        left: time(seconds * left),
        times: left,
        timeout: timeout(seconds * left * 1.5),
    })
}

/// Returns a number in words, rounded to one digit as an estimate is.
fn number(number: f64) -> String {
    let units = [(1e9, "billion"), (1e6, "million")];
    if number >= 1e12 {
        return format!("about 10^{:.0}", number.log10());
    }
    let digit = 10_f64.powf(number.log10().floor());
    let rounded = (number / digit).round() * digit;
    match units.iter().find(|unit| rounded >= unit.0) {
        Some((unit, name)) => format!("about {:.0} {name}", rounded / unit),
        None => format!("about {rounded:.0}"),
    }
}

/// Returns a time in words, rounded as an estimate is.
fn time(seconds: f64) -> String {
    let (number, unit) = match seconds {
        seconds if seconds < 100.0 => (seconds, "second"),
        seconds if seconds < 6_000.0 => (seconds / 60.0, "minute"),
        seconds if seconds < 180_000.0 => (seconds / 3_600.0, "hour"),
        seconds if seconds < 8_640_000.0 => (seconds / 86_400.0, "day"),
        seconds if seconds < 3.0e9 => (seconds / 31_557_600.0, "year"),
        _ => return "more than a century".to_owned(),
    };
    let number = number.round().max(1.0);
    let s = if number == 1.0 { "" } else { "s" };
    format!("about {number:.0} {unit}{s}")
}

/// Returns a time as `--timeout` takes it, rounded up.
fn timeout(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{}s", (seconds / 10.0).ceil() * 10.0),
        seconds if seconds < 5_400.0 => format!("{}m", (seconds / 60.0).ceil()),
        seconds => format!("{}h", (seconds / 3_600.0).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_told() {
        let mut tree = Tree::default();
        assert_eq!(estimate(&tree, tree.ends.iter().sum(), 1.0), None);
        (0..7).for_each(|depth| (0..1 << depth).for_each(|_| tree.note_fork(depth)));
        (0..99).for_each(|_| tree.note_end(7));
        assert_eq!(estimate(&tree, tree.ends.iter().sum(), 1.0), None);
        tree.note_end(7);
        let told = estimate(&tree, 100, 100.0).expect("28 paths are left");
        assert_eq!(
            (&*told.paths, &*told.left),
            ("about 100", "about 28 seconds")
        );
        (0..28).for_each(|_| tree.note_end(7));
        assert_eq!(estimate(&tree, tree.ends.iter().sum(), 1.0), None);
    }

    #[test]
    fn estimates_are_rounded() {
        assert_eq!(number(4_512.0), "about 5000");
        assert_eq!(number(362_880.0), "about 400000");
        assert_eq!(number(14_512_000.0), "about 10 million");
        assert_eq!(number(9.7e8), "about 1 billion");
        assert_eq!(number(3.0e40), "about 10^40");
        assert_eq!(timeout(31.0), "40s");
        assert_eq!(timeout(100.0), "2m");
        assert_eq!(timeout(6_000.0), "2h");
        assert_eq!(time(0.2), "about 1 second");
        assert_eq!(time(540.0), "about 9 minutes");
        assert_eq!(time(30_000.0), "about 8 hours");
        assert_eq!(time(3.0e6), "about 35 days");
        assert_eq!(time(f64::INFINITY), "more than a century");
    }
}
