//! The rights of native runs: confined by Landlock, the kernel's means by which an ordinary process
//! gives up rights, or free.
//!
//! A kernel may know only a part of it; what it does not grant is told, and does not keep a run
//! from being made.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};
use std::path::Path;

/// The newest Landlock on which the rules below were tried.
const TRIED: ABI = ABI::V7;

/// Devices that may be written: what is written there goes nowhere.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// The rights with which native runs are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rights {
    /// No native runs are made.
    Off,
    /// Native runs may read everything and change nothing but a fresh directory of their own.
    Confined,
    /// Native runs have all rights of the user.
    Free,
}

/// Gives up the rights of this thread, and of the processes that it starts from now on, to change
/// files outside `directory`, to use TCP, and to reach other processes by signals and abstract
/// sockets.
pub(super) fn confine(directory: Option<&Path>) -> std::io::Result<RestrictionStatus> {
    let writing = AccessFs::from_write(TRIED);
    let files = writing & AccessFs::from_file(TRIED);
    let opened = |path: &Path, access| {
        PathFd::new(path)
            .map(|file| PathBeneath::new(file, access))
            .map_err(std::io::Error::other)
    };
    let devices = DEVICES.map(Path::new).into_iter();
    let devices = devices.filter(|path| path.exists());
    let directory = directory.into_iter();
    let rules: std::io::Result<Vec<_>> = directory
        .map(|path| opened(path, writing))
        .chain(devices.map(|path| opened(path, files)))
        .collect();
    restrict(writing, rules?).map_err(std::io::Error::other)
}

fn restrict(
    writing: BitFlags<AccessFs>,
    rules: Vec<PathBeneath<PathFd>>,
) -> Result<RestrictionStatus, RulesetError> {
    Ruleset::default()
        .handle_access(writing)?
        .handle_access(AccessNet::from_all(TRIED))?
        .scope(Scope::from_all(TRIED))?
        .create()?
        .add_rules(rules.into_iter().map(Ok::<_, RulesetError>))?
        .restrict_self()
}

/// Returns what the kernel of this machine does not grant of the confinement, in words; `None` if
/// it grants all.
pub fn not_granted() -> Option<String> {
    // Only that thread gives up its rights.
    let status = std::thread::spawn(|| confine(None)).join();
    match status {
        Ok(Ok(status)) => shortcomings(ABI::from(status.landlock)),
        Ok(Err(error)) => Some(format!("native runs are not confined: {error}")),
        Err(_) => Some("native runs are not confined: Landlock cannot be used".to_owned()),
    }
}

/// Returns what a Landlock of this version lacks, in words.
fn shortcomings(version: ABI) -> Option<String> {
    if version == ABI::Unsupported {
        return Some(
            "native runs are not confined: this kernel does not offer Landlock, so they change \
             files and use the network with your rights"
                .to_owned(),
        );
    }
    let parts = [
        (ABI::V3, "truncating files"),
        (ABI::V4, "connections by TCP"),
        (ABI::V5, "control of devices"),
        (
            ABI::V6,
            "signals to other processes and their abstract sockets",
        ),
    ];
    let missing = parts.iter().filter(|(since, _)| version < *since);
    let missing: Vec<&str> = missing.map(|(_, what)| *what).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "native runs are confined in part: the Landlock of this kernel (ABI {version}) does \
             not prevent {}",
            missing.join(", ")
        )
    })
}

/// The advice that goes with [`not_granted`].
pub const ADVICE: &str = "--replay=free makes native runs without this warning";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_lacks_is_named() {
        let of = |version: i32| shortcomings(ABI::from(version));
        assert!(of(0).unwrap().contains("are not confined"));
        let old = of(3).unwrap();
        assert!(old.contains("ABI 3") && old.contains("TCP"), "{old}");
        assert!(!old.contains("truncating"), "{old}");
        assert!(of(1).unwrap().contains("truncating files, connections"));
        assert_eq!(of(6), None);
        assert_eq!(of(9), None);
    }

    #[test]
    fn a_question_for_the_kernel_leaves_this_process_its_rights() {
        let dir = tempfile::tempdir().unwrap();
        let _ = not_granted();
        std::fs::write(dir.path().join("file"), "").unwrap();
    }
}
