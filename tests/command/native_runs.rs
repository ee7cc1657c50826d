//! Tests of the launcher of native runs and its supervisor: what a run gets, how its end is told,
//! and what is left of it afterwards.

use crate::support::TOOL;
use cargo_symex::confirm::confinement::{Rights, not_granted};
use cargo_symex::confirm::launch::{End, KEPT, Launcher, NativeRun};
use cargo_symex::confirm::native::run_program;
use cargo_symex::confirm::native_inputs::NativeInputs;
use cargo_symex::confirm::run_directory::RunDirectory;
use cargo_symex::confirm::supervisor::RunOrder;
use std::path::Path;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

fn order(script: &str, directory: &RunDirectory) -> RunOrder {
    RunOrder {
        program: "/bin/sh".into(),
        arguments: ["sh", "-c", script].map(Into::into).into(),
        variables: vec![("PATH".into(), std::env::var_os("PATH").expect("a path"))],
        directory: directory.writable(),
        timeout: LONG,
        memory: 1 << 30,
        writable: None,
    }
}

/// Runs a script, with changes to its order.
fn shell(rights: Rights, script: &str, change: impl FnOnce(&mut RunOrder)) -> NativeRun {
    let directory = RunDirectory::new().expect("made");
    let mut order = order(script, &directory);
    change(&mut order);
    let launcher = Launcher::new(TOOL, rights);
    launcher.run(order, &directory, None).expect("started")
}

#[test]
fn ends_and_outputs_are_kept() {
    for rights in [Rights::Confined, Rights::Free] {
        let run = shell(rights, "echo out; echo err >&2; exit 3", |_| ());
        assert_eq!(run.end, End::Code(3));
        let outputs = (run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(outputs, ("out\n", "err\n"));
        assert_eq!(shell(rights, "kill -SEGV $$", |_| ()).end, End::Signal(11));
    }
}

#[test]
fn what_is_given_arrives_whether_it_is_read_or_not() {
    let given = |script: &str| NativeInputs {
        arguments: ["sh", "-c", script].map(Into::into).into(),
        stdin: Some(b"in\n".repeat(1 << 20)),
        files: [("f".to_owned(), b"file".to_vec())].into(),
        variables: vec![("NAME".into(), "value".into())],
        has_inputs: true,
    };
    let launcher = Launcher::new(TOOL, Rights::Confined);
    let run = |script| {
        let directory = RunDirectory::new().expect("made");
        let shell = Path::new("/bin/sh");
        run_program(&launcher, shell, &given(script), &directory, false, LONG).expect("started")
    };
    let files = "read line; cat f; echo $line $NAME $HOME";
    assert_eq!(
        run(files).stdout.lines().next(),
        Some("filein value"),
        "only what is given"
    );
    assert_eq!(run("exit 3").end, End::Code(3));
}

#[test]
fn a_run_without_end_is_ended_and_endless_output_is_cut() {
    let start = Instant::now();
    let short = |order: &mut RunOrder| order.timeout = Duration::from_millis(300);
    let run = shell(Rights::Confined, "yes & exec yes >&2", short);
    assert_eq!(run.end, End::TooLong);
    assert_eq!((run.stdout.len(), run.stderr.len()), (KEPT, KEPT));
    assert!(start.elapsed() < LONG / 2);
}

#[test]
fn memory_is_bounded_with_that_of_children() {
    let little = |order: &mut RunOrder| order.memory = 64 << 20;
    // `tail` keeps the last line, which has no end.
    let run = shell(Rights::Confined, "tail /dev/zero & wait", little);
    assert_eq!(run.end, End::TooMuchMemory);
}

/// Returns the processes that were started with this word.
fn running(word: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("listed");
    entries
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("cmdline")).ok())
        .filter(|line| line.split('\0').any(|part| part == word))
        .collect()
}

#[test]
fn processes_that_a_run_leaves_are_ended() {
    let start = Instant::now();
    for (number, rights) in [Rights::Confined, Rights::Free].into_iter().enumerate() {
        // A time to sleep that no other process has.
        let time = format!("{}.{number}", 1_000_000 + std::process::id());
        let script = format!(
            "sleep {time} & setsid sleep {time} & (setsid sh -c 'sleep {time} & sleep {time}' &)\n\
             while [ $(grep -lsz '^{time}$' /proc/[0-9]*/cmdline | wc -l) -lt 4 ]; do :; done\n\
             echo all"
        );
        let run = shell(rights, &script, |_| ());
        assert_eq!((run.stdout.as_str(), run.end), ("all\n", End::Code(0)));
        assert_eq!(running(&time), [""; 0]);
    }
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn no_run_is_made_where_they_are_turned_off() {
    let directory = RunDirectory::new().expect("made");
    let launcher = Launcher::new(TOOL, Rights::Off);
    let order = order("touch marker", &directory);
    assert!(launcher.run(order, &directory, None).is_err());
    assert!(!directory.writable().join("marker").exists());
}

#[test]
fn a_program_that_cannot_be_started_is_told() {
    let directory = RunDirectory::new().expect("made");
    let mut order = order("", &directory);
    order.program = "/no/such/program".into();
    let launcher = Launcher::new(TOOL, Rights::Confined);
    let error = launcher.run(order, &directory, None).expect_err("absent");
    assert!(error.to_string().contains("No such file"), "{error}");
}

/// Shell commands that each try to change something outside of the run's own directory, in `$OUT`.
const CHANGES: [&str; 8] = [
    "rm $OUT/file",
    "echo more >> $OUT/file",
    ": > $OUT/file",
    "echo text > $OUT/new",
    "mkdir $OUT/directory",
    "mv $OUT/file here",
    "ln $OUT/file here",
    "ln -s x $OUT/link",
];

#[test]
fn a_confined_run_changes_nothing_but_its_directory() {
    if let Some(text) = not_granted() {
        println!("skipped: {text}");
        return;
    }
    let out = tempfile::tempdir().expect("made");
    let file = out.path().join("file");
    let attempt = |rights, change: &str| {
        std::fs::write(&file, "text").expect("written");
        let script = format!("cat $OUT/file && {change}");
        let run = shell(rights, &script, |order| {
            let out = out.path().as_os_str().to_owned();
            order.variables.push(("OUT".into(), out));
        });
        assert!(run.stdout.starts_with("text"), "it may be read");
        run.end
    };
    for change in CHANGES {
        assert_ne!(attempt(Rights::Confined, change), End::Code(0), "{change}");
        let entries = std::fs::read_dir(out.path()).expect("listed").count();
        let text = std::fs::read_to_string(&file).expect("still there");
        assert_eq!((entries, text.as_str()), (1, "text"), "{change}");
    }
    let own = "echo a > a && mkdir d && mv a d/b && ln -s d/b c && cat c > /dev/null && rm c";
    assert_eq!(attempt(Rights::Confined, own), End::Code(0));
    // The parent, which supervises the run, is another process.
    assert_ne!(attempt(Rights::Confined, "kill -0 $PPID"), End::Code(0));
    assert_eq!(attempt(Rights::Free, "kill -0 $PPID"), End::Code(0));
    assert_eq!(attempt(Rights::Free, CHANGES[0]), End::Code(0));
    assert!(!file.exists());
}
