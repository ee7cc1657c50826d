//! Tests of a source tree on a read-only file system, which a test may not mount everywhere.

use crate::support::limited::output;
use crate::support::{Crate, TOOL, finish};
use libtest_mimic::Trial;
use std::process::Command;

const BUG: &str = "
#[cfg(test)]
mod t {
    #[symex::harness]
    fn at(data: [u8; 2], i: usize) {
        symex::assume(i < 3);
        std::hint::black_box(data[i]);
    }
}
";

pub fn trials() -> Vec<Trial> {
    vec![crate::trial(
        "mounted::a_read_only_source_tree_is_tested_all_the_same".to_owned(),
        read_only,
        a_read_only_source_tree_is_tested_all_the_same,
    )]
}

/// Returns a crate that commands of [`unshared`] see on a read-only file system.
fn read_only() -> Result<Crate, String> {
    let tree = Crate::library("mounted_read_only", BUG);
    // The lock file must be complete before it cannot be written any more.
    tree.symex(&["--list"]).code(0);
    let probe = output(&mut unshared(&tree, "! touch probe"));
    if probe.status.success() {
        Ok(tree)
    } else {
        Err("this machine lets no test mount a directory read-only".to_owned())
    }
}

/// Returns a shell command that sees the crate on a read-only file system.
fn unshared(tree: &Crate, rest: &str) -> Command {
    let path = tree.path().display();
    let script = format!(
        "mount --bind '{path}' '{path}' && mount -o remount,ro,bind '{path}' && cd '{path}' && {rest}"
    );
    let mut command = tree.command("unshare");
    command.args(["-m", "sh", "-c", &script]);
    command
}

fn a_read_only_source_tree_is_tested_all_the_same(tree: Crate) {
    let run = finish(unshared(&tree, &format!("'{TOOL}' symex"))).code(1);
    assert!(run.stdout.contains("t::at ... bug\n"), "{}", run.stdout);
    assert!(run.stdout.contains("= confirmed: "), "{}", run.stdout);
    assert!(
        run.stdout.contains("not written: failed to write"),
        "{}",
        run.stdout
    );
    assert!(!tree.exists("symex-regressions"));
}
