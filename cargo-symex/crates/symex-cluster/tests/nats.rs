//! Runs over a NATS server: one that is killed and started again, and workers that die.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{Fake, Leaves, Total, run_of, tree, worker};
use symex_cluster::coordinator::coordinate;
use symex_cluster::exchange::{Answer, Exchange, Failure, Record, Region, RegionId, Told};
use symex_cluster::nats::{Connection, Login, Nats};
use symex_testing::nats::{NatsServer, program};

/// What a test does with a server.
type Body = fn(&NatsServer) -> Result<(), Failure>;

const TESTS: &[(&str, Body)] = &[
    ("each_leaf_counts_once", each_leaf_counts_once),
    (
        "a_server_that_is_killed_changes_nothing",
        a_server_that_is_killed_changes_nothing,
    ),
    (
        "the_first_record_of_a_region_counts",
        the_first_record_of_a_region_counts,
    ),
    (
        "a_region_that_is_not_ended_is_given_to_somebody_else",
        a_region_that_is_not_ended_is_given_to_somebody_else,
    ),
    (
        "users_are_let_in_by_the_address",
        users_are_let_in_by_the_address,
    ),
    ("a_wrong_address_is_an_error", |_| {
        a_wrong_address_is_an_error()
    }),
];

/// Runs the tests; without a server on this machine they are ignored.
fn main() -> ExitCode {
    let is_missing = program().is_none();
    let trial = |(name, body): &(&str, Body)| {
        let body = *body;
        let run = move || {
            let folder = tempfile::tempdir()?;
            let server = NatsServer::start(folder.path()).ok_or("no server")?;
            body(&server).map_err(Failed::from)
        };
        Trial::test(*name, run).with_ignored_flag(is_missing)
    };
    let trials = TESTS.iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn connect(server: &NatsServer) -> Nats {
    let connection = Connection {
        url: server.url(),
        login: Login::default(),
        patience: Some(Duration::from_secs(60)),
    };
    Nats::connect(&connection, &[7; 32], Duration::from_secs(2)).expect("the server is there")
}

/// Explores a tree with so many workers, each with its own connection, while `meanwhile` runs.
fn explore(
    server: &NatsServer,
    depth: u8,
    workers: usize,
    meanwhile: impl Fn(&AtomicBool) + Sync,
) -> Total {
    let stop = AtomicBool::new(false);
    let mut host = Leaves::default();
    std::thread::scope(|scope| {
        for number in 0..workers {
            let stop = &stop;
            scope.spawn(move || {
                let nats = connect(server);
                let worker = worker(&nats, &format!("{number}"), stop);
                let mut fake = Fake {
                    pause: Some(Duration::from_millis(5)),
                    ..Fake::default()
                };
                worker.work(&mut fake)
            });
        }
        scope.spawn(|| meanwhile(&stop));
        let (run, info) = run_of("tree");
        let nats = connect(server);
        let end = coordinate(&nats, &run, &info, &tree(depth), &mut host);
        stop.store(true, Ordering::SeqCst);
        assert!(end.failure.is_none(), "{:?}", end.failure);
        assert!(end.ledger.is_closed());
        assert!(
            matches!(nats.info(&run), Err(Failure::Gone)),
            "the run is removed"
        );
    });
    host.total
}

fn each_leaf_counts_once(server: &NatsServer) -> Answer<()> {
    for workers in [1, 3] {
        let total = explore(server, 14, workers, |_| {});
        assert_eq!(total, Total::of_whole_tree(14), "{workers} workers");
    }
    Ok(())
}

fn a_server_that_is_killed_changes_nothing(server: &NatsServer) -> Answer<()> {
    let total = explore(server, 16, 3, |stop| {
        for _ in 0..4 {
            std::thread::sleep(Duration::from_millis(700));
            if stop.load(Ordering::SeqCst) {
                return;
            }
            server.kill();
            std::thread::sleep(Duration::from_millis(100));
            server.restart();
        }
    });
    assert_eq!(total, Total::of_whole_tree(16));
    Ok(())
}

fn the_first_record_of_a_region_counts(server: &NatsServer) -> Answer<()> {
    let (one, other) = (connect(server), connect(server));
    let (run, info) = run_of("record");
    one.open(&run, &info)?;
    assert_eq!(other.info(&run)?, info);
    let region = Region::new(None, vec![1]);
    assert_eq!(other.record(&run, region.id)?, None);
    // Larger than a message may be.
    let large = |by: &str| Record {
        by: by.to_owned(),
        what: Told::Explored {
            found: by.as_bytes().repeat(2_000_000),
            children: vec![Region::new(Some(region.id), vec![2; 700_000])],
        },
    };
    assert!(one.commit(&run, region.id, large("one"))? == large("one"));
    assert!(other.commit(&run, region.id, large("other"))? == large("one"));
    assert!(other.record(&run, region.id)? == Some(large("one")));
    let mut records = other.follow(&run)?;
    let (id, record) = records.next(Duration::from_secs(5))?.expect("a record");
    assert!(id == region.id && record == large("one"));
    one.close(&run)?;
    assert_eq!(other.info(&run), Err(Failure::Gone));
    assert_eq!(
        other.commit(&run, RegionId([1; 32]), large("late")),
        Err(Failure::Gone)
    );
    Ok(())
}

fn a_region_that_is_not_ended_is_given_to_somebody_else(server: &NatsServer) -> Answer<()> {
    let (one, other) = (connect(server), connect(server));
    let (run, info) = run_of("lease");
    one.open(&run, &info)?;
    let region = Region::new(None, vec![3; 600_000]);
    one.give(&run, &region)?;
    one.give(&run, &region)?;
    let wait = Duration::from_secs(5);
    let lease = one.take(wait)?.expect("a region");
    assert_eq!((lease.deliveries(), lease.region()), (1, &region));
    assert!(
        other.take(Duration::from_millis(100))?.is_none(),
        "the second copy is none"
    );
    lease.extend()?;
    let again = other.take(wait)?.expect("the same region");
    assert_eq!((again.deliveries(), again.region()), (2, &region));
    again.give_back()?;
    let third = one.take(wait)?.expect("the same region");
    assert_eq!(third.deliveries(), 3);
    third.end()?;
    assert!(other.take(Duration::from_millis(2500))?.is_none());
    one.close(&run)
}

fn users_are_let_in_by_the_address(_: &NatsServer) -> Answer<()> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let options = ["--user", "me", "--pass", "se/cret"];
    let server = NatsServer::with_options(folder.path(), &options).expect("a server");
    let began = std::time::Instant::now();
    let connect = |user: &str| {
        let connection = Connection {
            url: server.url().replace("//", &format!("//{user}")),
            login: Login::default(),
            patience: None,
        };
        Nats::connect(&connection, &[7; 32], Duration::from_secs(2)).map(drop)
    };
    connect("me:se%2Fcret@")?;
    for wrong in ["", "me:wrong@", "token@"] {
        let refused = matches!(connect(wrong), Err(Failure::Unavailable(_)));
        assert!(refused, "{wrong}");
    }
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "they are refused at once"
    );
    Ok(())
}

fn a_wrong_address_is_an_error() -> Answer<()> {
    let connection = Connection {
        url: "nats://127.0.0.1:1".to_owned(),
        login: Login::default(),
        patience: None,
    };
    let refused = Nats::connect(&connection, &[0; 32], Duration::from_secs(1));
    assert!(matches!(refused, Err(Failure::Unavailable(_))));
    Ok(())
}
