//! Tests of runs on a cluster: workers in processes of their own, over a NATS server that is killed
//! and comes back, find what one process finds.

use crate::support::programs::in_c;
use crate::support::{Crate, Run, number, symex};
use libtest_mimic::Trial;
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use symex_testing::nats::{NatsServer, program};
use symex_testing::random::TestRandom;
use tempfile::TempDir;

/// A server with a folder of its own.
struct Place {
    server: NatsServer,
    _folder: TempDir,
}

fn server() -> Result<Place, String> {
    if program().is_none() {
        return Err("no nats-server: `make test-deps` fetches it".to_owned());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let server = NatsServer::start(folder.path()).ok_or("no server")?;
    Ok(Place {
        server,
        _folder: folder,
    })
}

/// A test with a server of its own.
type Test = fn(&NatsServer);

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 6] = [
        ("programs", programs_agree),
        ("chaos", chaos_changes_nothing),
        ("other_build", a_worker_of_another_build_takes_nothing),
        ("server_gone", a_run_whose_server_is_gone_goes_on_alone),
        ("killed_coordinator", a_run_that_is_killed_goes_on),
        ("status", the_status_tells_of_runs_and_workers),
    ];
    let tests = tests.into_iter();
    let trial = |(name, test): (&str, Test)| {
        crate::trial(format!("cluster_{name}"), server, move |place: Place| {
            test(&place.server);
        })
    };
    tests.map(trial).collect()
}

/// Worker processes, which end with this.
struct Workers<'a> {
    server: &'a NatsServer,
    running: Mutex<Vec<Child>>,
}

impl<'a> Workers<'a> {
    fn start(server: &'a NatsServer, count: usize) -> Self {
        let workers = Workers {
            server,
            running: Mutex::default(),
        };
        (0..count).for_each(|_| workers.add());
        workers
    }

    fn add(&self) {
        let mut command = symex(["worker", "--lease=2s", "-j1"]);
        command.args(["--connect", &self.server.url()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("a worker starts");
        self.running.lock().expect("nobody panics").push(child);
    }

    /// Takes the worker that has run longest.
    fn oldest(&self) -> Child {
        self.running.lock().expect("nobody panics").remove(0)
    }
}

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        for mut child in self.running.lock().expect("nobody panics").drain(..) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn kill(child: &mut Child) {
    child.kill().expect("it is killed");
    child.wait().expect("it has ended");
}

fn signal(name: &str, child: &Child) {
    let mut kill = Command::new("kill");
    kill.args([name, &child.id().to_string()]);
    assert!(kill.status().expect("kill is there").success());
}

/// What is the same however a program is explored.
fn told(report: &Value) -> Value {
    let stats = &report["stats"];
    let findings = report["findings"].as_array().expect("findings");
    let finding = |one: &Value| {
        serde_json::json!([
            one["kind"],
            one["message"],
            one["at"],
            one["inputs"],
            one["repeats"]
        ])
    };
    let findings: Vec<Value> = findings.iter().map(finding).collect();
    serde_json::json!([
        report["verdict"],
        report["bounds"],
        report["unsupported"],
        findings,
        stats["paths"],
        stats["completed"],
        stats["assumed_away"],
    ])
}

fn programs_agree(server: &NatsServer) {
    let _workers = Workers::start(server, 2);
    let url = server.url();
    let mut shared = 0;
    for source in in_c().into_iter().step_by(6) {
        let explore = |more: &[&str]| {
            let mut command = symex(["c"]);
            let options = [
                "--message-format=json",
                "--replay=off",
                "--no-write",
                "--merge=off",
                "--after-bug=none",
                "-j1",
            ];
            command.arg(&source).args(options).args(more);
            crate::support::finish(command).only()
        };
        let (one, other) = (
            explore(&[]),
            explore(&["--cluster", &url, "--alone=0s", "--lease=2s"]),
        );
        assert_eq!(told(&one), told(&other), "{}", source.display());
        shared += usize::from(other["stats"]["workers"].as_u64() > Some(0));
    }
    assert!(shared > 5, "{shared} were shared");
}

/// Returns a crate with a harness that fails on one of 4 to the power of so many paths.
fn tree(name: &str, bytes: u32) -> Crate {
    let harness = r#"
#[cfg(test)]
mod t {
    #[symex::harness]
    fn depths(text: [u8; BYTES]) {
        let mut depth = 0;
        for byte in text {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'[' => depth += 2,
                _ => {}
            }
        }
        assert!(depth < 2 * BYTES, "{text:?}");
    }
}
"#;
    let tree = Crate::library(name, &harness.replace("BYTES", &bytes.to_string()));
    // It is built before anything is timed.
    tree.symex(&["--list"]).code(0);
    tree
}

fn args(more: &[&str]) -> Vec<String> {
    let common = [
        "--message-format=json",
        "--no-write",
        "--replay=off",
        "--merge=off",
        "--after-bug=none",
        "--timeout=300s",
        "-j1",
        "--alone=200ms",
        "--lease=2s",
    ];
    common
        .iter()
        .chain(more)
        .map(|text| (*text).to_owned())
        .collect()
}

fn explore(tree: &Crate, more: &[&str]) -> Run {
    let args = args(more);
    tree.symex(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Checks the report of a harness with so many bytes.
fn assert_whole(report: &Value, bytes: u32) {
    assert_eq!(report["verdict_text"], "bug", "{report}");
    assert_eq!(report["bounds"], serde_json::json!([]), "{report}");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["stats"]["paths"].as_u64(), Some(4u64.pow(bytes)));
}

/// Kills and stops workers and the server at random moments, as long as a run goes on.
fn chaos_changes_nothing(server: &NatsServer) {
    let tree = tree("cluster_chaos", 10);
    let url = server.url();
    let mut killed = 0;
    for seed in 0..number("SYMEX_TEST_SEEDS").unwrap_or(2) {
        let mut random = TestRandom::new(seed);
        let workers = Workers::start(server, 2);
        let (done, run) = (Mutex::new(false), Mutex::new(None));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let explored = explore(&tree, &["--no-cache", "--cluster", &url]);
                *run.lock().expect("nobody panics") = Some(explored);
                *done.lock().expect("nobody panics") = true;
            });
            while !*done.lock().expect("nobody panics") {
                std::thread::sleep(Duration::from_millis(400 + random.below(500) as u64));
                match random.below(6) {
                    0 => {
                        server.kill();
                        std::thread::sleep(Duration::from_millis(random.below(300) as u64));
                        server.restart();
                    }
                    1 => {
                        // It comes back when its region is somebody else's.
                        let late = workers.oldest();
                        signal("-STOP", &late);
                        std::thread::sleep(Duration::from_millis(2500));
                        signal("-CONT", &late);
                        workers.running.lock().expect("nobody panics").push(late);
                    }
                    _ => {
                        kill(&mut workers.oldest());
                        workers.add();
                    }
                }
                killed += 1;
            }
        });
        let run = run
            .into_inner()
            .expect("nobody panics")
            .expect("it has ended");
        let report = &run.finished()["t::depths"];
        assert_whole(report, 10);
        assert!(report["stats"]["workers"].as_u64() > Some(1), "{report}");
    }
    assert!(killed > 4, "{killed}");
    println!("{killed} failures");
}

fn a_worker_of_another_build_takes_nothing(server: &NatsServer) {
    let tree = tree("cluster_build", 10);
    // An executable with another byte behind it is another build.
    let folder = tempfile::tempdir().expect("a scratch folder");
    let other = folder.path().join("cargo-symex");
    std::fs::copy(env!("CARGO_BIN_EXE_cargo-symex"), &other).expect("it is copied");
    let mut bytes = std::fs::read(&other).expect("it is read");
    bytes.push(0);
    std::fs::write(&other, bytes).expect("it is written");
    let mut worker = Command::new(&other);
    worker.args(["symex", "worker", "-j1", "--connect", &server.url()]);
    worker.stderr(Stdio::piped()).stdout(Stdio::null());
    let worker = worker.spawn().expect("it starts");
    let run = explore(&tree, &["--no-cache", "--cluster", &server.url()]);
    let report = &run.finished()["t::depths"];
    assert_whole(report, 10);
    assert_eq!(report["stats"]["workers"], 1, "{report}");
    signal("-INT", &worker);
    let output = worker.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("t::depths of "), "{said}");
    assert!(said.contains("its regions are left to others"), "{said}");
    assert!(said.contains("explored 0 regions"), "{said}");
}

fn a_run_whose_server_is_gone_goes_on_alone(server: &NatsServer) {
    let tree = tree("cluster_gone", 10);
    let url = server.url();
    let run = std::thread::scope(|scope| {
        let run =
            scope.spawn(|| explore(&tree, &["--no-cache", "--patience=1s", "--cluster", &url]));
        wait_for_a_run(server);
        server.kill();
        run.join().expect("it ends")
    });
    assert_whole(&run.finished()["t::depths"], 10);
    assert!(run.stderr.contains("the cluster failed"), "{}", run.stderr);
    // Where there was none to begin with, that is an error.
    let none = explore(&tree, &["--cluster", &url]);
    let none = none.code(2);
    assert!(
        none.stdout.contains("failed to connect to the cluster"),
        "{}",
        none.stdout
    );
}

/// Waits until a run has told the server of itself, and for a moment more.
fn wait_for_a_run(server: &NatsServer) {
    let began = Instant::now();
    while status(server)["runs"] == serde_json::json!([]) && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(300));
}

fn a_run_that_is_killed_goes_on(server: &NatsServer) {
    let tree = tree("cluster_killed", 10);
    let url = server.url();
    let args = args(&["--cluster", &url, "--keep-every=200ms"]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut process = tree.symex_command(&args);
    let mut process = process.stdout(Stdio::null()).spawn().expect("it starts");
    wait_for_a_run(server);
    assert!(
        process.try_wait().expect("it can be asked").is_none(),
        "it has ended"
    );
    kill(&mut process);
    let run = explore(&tree, &["--resume", "--cluster", &url]);
    let report = &run.finished()["t::depths"];
    assert_whole(report, 10);
    assert!(
        report["stats"]["earlier_seconds"].as_f64() > Some(0.0),
        "{report}"
    );
}

/// Greatest time for which something is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

fn status(server: &NatsServer) -> Value {
    let args = ["cluster", "status", "--json", "--connect", &server.url()];
    crate::support::finish(symex(args)).code(0).json().remove(0)
}

fn the_status_tells_of_runs_and_workers(server: &NatsServer) {
    let tree = tree("cluster_status", 10);
    let _workers = Workers::start(server, 1);
    let url = server.url();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| explore(&tree, &["--no-cache", "--cluster", &url]));
        let began = Instant::now();
        let seen = loop {
            let seen = status(server);
            let is_whole = seen["runs"][0]["harness"] == "t::depths"
                && seen["workers"][0]["harness"] == "t::depths";
            if is_whole || began.elapsed() > PATIENCE || run.is_finished() {
                break seen;
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        assert_eq!(seen["runs"][0]["harness"], "t::depths", "{seen}");
        assert_eq!(seen["workers"][0]["harness"], "t::depths", "{seen}");
        assert_eq!(seen["workers"][0]["threads"], 1, "{seen}");
        run.join().expect("it ends");
    });
    assert_eq!(status(server)["runs"], serde_json::json!([]));
}
