//! Limits on time, memory and work: each is held, and means the same on any machine.

use crate::support::{Crate, Run, kinds};
use std::process::Stdio;
use std::time::Duration;

const HARNESSES: &str = r#"
#[cfg(test)]
mod t {
    /// One long query, for which Z3 takes much memory.
    #[symex::harness]
    fn products(x: [f32; 12]) {
        let mut sum = 1.0f32;
        for factor in x {
            sum = sum.mul_add(factor, factor / sum);
        }
        assert!(sum != 7.0);
    }
    /// Millions of terms, which are told to the solver all at once.
    #[symex::harness]
    fn hash(x: [u8; 64]) {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for _ in 0..2000 {
            for byte in x {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
                hash ^= hash >> 29;
            }
        }
        assert!(hash != 7);
    }
    /// A path for each prefix, and a query for each byte.
    #[symex::harness]
    fn prefix(x: [u8; 200]) {
        for (i, byte) in x.iter().enumerate() {
            if *byte != i as u8 {
                return;
            }
        }
    }
    /// Tens of thousands of paths, all of which wait in a breadth-first search.
    #[symex::harness]
    fn depths(text: [u8; 9]) {
        let mut depth = 0;
        for byte in text {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'[' => depth += 2,
                _ => {}
            }
        }
        assert!(depth < 20);
    }
    #[symex::harness(max_instructions = 300)]
    fn few_instructions(x: [u8; 200]) {
        prefix(x);
    }
    #[symex::harness(max_queries = 7)]
    fn few_queries(x: [u8; 200]) {
        prefix(x);
    }
}
"#;

fn json<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let common = ["--message-format", "json", "--no-write", "--replay=off"];
    [args, &common].concat()
}

#[test]
fn the_time_limit_is_held() {
    let tree = Crate::library("time_limit", HARNESSES);
    for (name, limit) in [("products", 10.0), ("hash", 3.0)] {
        let time = format!("{limit}s");
        let run = tree.symex(&json(&[name, "--timeout", &time]));
        let finished = run.finished();
        let harness = &finished[&format!("t::{name}")];
        let text = harness["verdict_text"].as_str().expect("a text");
        assert!(text.contains("timeout"), "{name}: {text}");
        let seconds = harness["stats"]["seconds"].as_f64().expect("a number");
        // The other tests keep the machine busy.
        let late = limit * 1.05 + 0.1;
        assert!(seconds < late, "{name}: {seconds} s of {limit}");
    }
}

#[test]
fn the_memory_limit_is_held() {
    let tree = Crate::library("memory_limit", HARNESSES);
    tree.symex(&["--list"]).code(0);
    let args = json(&["products", "--max-memory", "1GB", "--timeout", "100s"]);
    let mut command = tree.symex_command(&args);
    let mut process = command.stdout(Stdio::piped()).spawn().expect("started");
    let status = format!("/proc/{}/status", process.id());
    let mut peak = 0;
    while process.try_wait().expect("it can be asked").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(number.unwrap_or(0_u64) << 10);
        std::thread::sleep(Duration::from_millis(5));
    }
    let run = Run::from(process.wait_with_output().expect("its output"));
    let text = &run.finished()["t::products"]["verdict_text"];
    let text = text.as_str().expect("a text");
    assert!(text.contains("memory limit"), "{text}");
    assert!((900_000_000..1_100_000_000).contains(&peak), "{peak}");
}

#[test]
fn a_harness_that_fills_the_memory_ends_no_other() {
    let tree = Crate::library("memory_share", HARNESSES);
    // What it needs much for: terms, and a query.
    for greedy in ["hash", "products"] {
        let limits = ["--max-memory=500MB", "--timeout=100s", "--no-cache"];
        let args = [&["depths", greedy, "-j2", "--merge=off"], &limits[..]].concat();
        let finished = tree.symex(&json(&args)).finished();
        assert_eq!(finished["t::depths"]["verdict_text"], "pass (complete)");
        assert_eq!(finished["t::depths"]["stats"]["paths"], 1 << 18);
        let text = finished[&format!("t::{greedy}")]["verdict_text"].as_str();
        assert!(
            text.is_some_and(|text| text.contains("memory limit")),
            "{text:?}"
        );
    }
}

#[test]
fn waiting_paths_that_fill_the_memory_are_not_lost() {
    let tree = Crate::library("memory_renewal", HARNESSES);
    let args = [
        "depths",
        "--search=bfs",
        "--merge=off",
        "-j1",
        "--timeout=100s",
    ];
    let run = |limit| {
        let run = tree.symex(&json(&[&args[..], &["--no-cache", limit]].concat()));
        run.finished()["t::depths"].clone()
    };
    let (narrow, wide) = (run("--max-memory=256MiB"), run("--max-memory=none"));
    assert_eq!(narrow["verdict_text"], "pass (complete)");
    assert_eq!(narrow["stats"]["paths"], 1 << 18);
    assert_eq!(wide["stats"]["paths"], 1 << 18);
    assert_eq!(wide["stats"]["renewals"], 0);
    let renewals = narrow["stats"]["renewals"].as_u64();
    assert!(renewals.is_some_and(|renewals| renewals > 0), "{narrow}");
}

#[test]
fn limits_on_work_bound_a_run_at_the_same_place_each_time() {
    let tree = Crate::library("work_limit", HARNESSES);
    let run = || {
        let run = tree.symex(&json(&["prefix", "--max-queries", "20", "--no-cache"]));
        let mut stats = run.finished()["t::prefix"].clone();
        assert!(kinds(&stats).is_empty());
        let text = "pass (bounded: query limit)";
        assert_eq!(stats["verdict_text"], text);
        let queries = stats["stats"]["queries"].as_u64().expect("a number");
        assert!((20..30).contains(&queries), "{queries}");
        let stats = stats["stats"].take();
        (stats["paths"].clone(), stats["instructions"].clone())
    };
    assert_eq!(run(), run());

    let run = tree.symex(&json(&["prefix", "--max-instructions", "500"]));
    let prefix = &run.finished()["t::prefix"];
    let text = "pass (bounded: instruction limit)";
    assert_eq!(prefix["verdict_text"], text);
    let instructions = prefix["stats"]["instructions"].as_u64().expect("a number");
    assert!((500..600).contains(&instructions), "{instructions}");
    // Counted are the paths that were explored, not those that were left.
    assert_eq!(prefix["bounds"][0]["count"], prefix["stats"]["paths"]);
    assert_ne!(prefix["stats"]["term_bytes"], 0);

    let run = tree.symex(&json(&["few"]));
    let finished = run.finished();
    let text = |name: &str| {
        finished[name]["verdict_text"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    assert_eq!(
        text("t::few_instructions"),
        "pass (bounded: instruction limit)"
    );
    assert_eq!(text("t::few_queries"), "pass (bounded: query limit)");
}

#[test]
fn a_limit_says_where_paths_multiply_and_where_the_solver_is_slow() {
    let tree = Crate::library("why_slow", HARNESSES);
    let line_of = |text: &str| {
        1 + HARNESSES
            .lines()
            .position(|line| line.contains(text))
            .unwrap()
    };
    let run = |name: &str, limit: &str| {
        let form = ["--no-write", "--replay=off", "--merge=off", "--no-cache"];
        tree.symex(&[&[name, limit], &form[..]].concat()).stdout
    };
    let text = run("depths", "--max-paths=3000");
    let first = format!(
        "= note: paths multiply at src/lib.rs:{} (",
        line_of("match byte")
    );
    for told in [
        &*first,
        " paths by the shape of what was explored",
        "= help: ",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let text = run("products", "--timeout=3s");
    let sum = line_of("sum = sum.mul_add");
    let told = "= note: the solver took ";
    assert!(text.contains(told), "{text}");
    let hard = [line_of("assert!(sum != 7.0)"), sum].map(|line| format!("src/lib.rs:{line} ("));
    assert!(hard.iter().any(|line| text.contains(line)), "{text}");
    let complete = tree.symex(&["prefix", "--no-write", "--no-cache"]).stdout;
    assert!(!complete.contains("multiply"), "{complete}");
}
