//! Tests of `--replay`: what the native runs of a crate's harnesses may touch.

use crate::support::{Crate, Run};
use cargo_symex::confirm::confinement::not_granted;
use std::net::TcpListener;
use std::path::Path;

/// Harnesses that touch the files of others, for which the engine takes all files to be absent.
fn touching(victim: &Path) -> String {
    let text = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn deletes(x: u8) {
        let _ = std::fs::remove_file(VICTIM);
        let _ = std::fs::write("left", "text");
        let _ = std::fs::write(std::env::temp_dir().join("left"), "text");
        assert!(x != 7);
    }

    #[symex::harness]
    fn must_delete(x: u8) {
        if x == 7 {
            std::fs::remove_file(VICTIM).expect("removed");
        }
    }

    #[symex::harness]
    fn reads(x: u8) {
        assert!(x != 7 || std::fs::read("data/numbers").is_ok());
        assert!(x != 8 || std::fs::read("src/lib.rs").is_ok());
    }
}
"#;
    text.replace("VICTIM", &format!("{:?}", victim.display().to_string()))
}

/// Returns what the kernel does not grant. If there is anything, the run has to say it, once.
#[track_caller]
fn told(run: &Run) -> Option<String> {
    let missing = not_granted();
    let times = run.stderr.matches("native runs are ").count();
    assert_eq!(times, usize::from(missing.is_some()), "{}", run.stderr);
    missing
}

#[test]
fn a_replay_leaves_other_files_alone_unless_it_is_free() {
    let others = tempfile::tempdir().expect("made");
    let victim = others.path().join("victim");
    std::fs::write(&victim, "text").expect("written");
    let tree = Crate::library("rights_deletes", &touching(&victim));
    let run = |rights: &str| {
        tree.symex(&["tests::deletes", "--no-write", rights])
            .code(1)
    };

    let off = run("--replay=off");
    let skipped = "= not replayed: --replay=off";
    assert!(off.stdout.contains(skipped), "{}", off.stdout);
    assert!(victim.exists() && !tree.exists("left"));

    let confined = run("--replay=confined");
    let confirmed = "= confirmed: natively: panicked at src/lib.rs";
    assert!(confined.stdout.contains(confirmed), "{}", confined.stdout);
    // The working directory is a fresh one, whatever the kernel grants.
    assert!(!tree.exists("left"));
    match told(&confined) {
        None => assert!(victim.exists()),
        Some(text) => println!("skipped, whether the file is still there: {text}"),
    }

    std::fs::write(&victim, "text").expect("written");
    let free = run("--replay=free");
    assert!(free.stdout.contains(confirmed), "{}", free.stdout);
    assert!(!free.stderr.contains("native runs"), "{}", free.stderr);
    assert!(!victim.exists() && tree.exists("left"));
}

#[test]
fn a_failure_that_comes_from_the_confinement_confirms_nothing() {
    let others = tempfile::tempdir().expect("made");
    let victim = others.path().join("victim");
    std::fs::write(&victim, "text").expect("written");
    let tree = Crate::library("rights_refused", &touching(&victim));
    let run = tree.symex(&["tests::must_delete", "--no-write"]).code(3);
    match told(&run) {
        None => {
            let refused = "not reproduced natively: the native run was refused something";
            assert!(run.stdout.contains(refused), "{}", run.stdout);
            assert!(victim.exists());
        }
        Some(text) => println!("skipped, whether the file is still there: {text}"),
    }
}

#[test]
fn files_of_the_package_are_read_by_their_relative_names() {
    let tree = Crate::library("rights_reads", &touching(Path::new("/no/such/file")));
    tree.write("data/numbers", "1 2 3\n");
    for rights in ["--replay=confined", "--replay=free"] {
        let run = tree.symex(&["tests::reads", "--no-write", rights]).code(3);
        let ends = "not reproduced natively: the native run ends well";
        assert_eq!(run.stdout.matches(ends).count(), 2, "{}", run.stdout);
    }
}

const NETWORK: &str = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn connects(x: u8) {
        std::net::TcpStream::connect(("127.0.0.1", PORT)).expect_err("a connection");
        std::net::TcpListener::bind(("127.0.0.1", 0)).expect_err("a port");
        assert!(x == 7);
    }
}
"#;

#[test]
fn a_replay_reaches_no_port_unless_it_is_free() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("bound");
    listener.set_nonblocking(true).expect("set");
    let port = listener.local_addr().expect("an address").port();
    let tree = Crate::library(
        "rights_network",
        &NETWORK.replace("PORT", &port.to_string()),
    );
    tree.write("in.txt", "x 07\n");
    let replay = |rights: &str| tree.symex(&["replay", "--inputs", "in.txt", rights]);
    let confined = replay("--replay=confined");
    match told(&confined) {
        Some(text) if text.contains("TCP") || text.contains("not confined") => {
            println!("skipped: {text}");
            return;
        }
        _ => {}
    }
    assert!(confined.stdout.contains("passed"), "{}", confined.stdout);
    listener
        .accept()
        .expect_err("a confined run does not connect");
    replay("--replay=free").code(1);
    listener.accept().expect("a free run connects");
}

#[test]
fn rights_that_contradict_other_options_are_refused() {
    let tree = Crate::library("rights_wrong", &touching(Path::new("/no/such/file")));
    tree.symex(&["replay", "--replay=off"]).code(2);
    tree.symex(&["--replay=off", "--replay-paths=1"])
        .code(2)
        .error("failed to combine --replay=off with --replay-paths");
    tree.symex(&["--no-replay"]).code(2);
}
