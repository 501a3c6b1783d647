//! Measures `serve` and the floors beside it, in turns, so that other work on the machine meets all of
//! them.

use std::path::Path;
use std::time::Duration;

use crate::args::Args;
use crate::figures::Throughput;
use crate::relay::Sender;
use crate::results::{Compared, Results, Texts};
use crate::server::{Limits, Server};
use crate::{TEXT_RATES, acquire, disk, empty, machine, receiver, relay, sessions, webhook};

/// Runs all comparisons.
pub(crate) async fn run(args: &Args) -> Results {
    let (duration, callers) = (args.duration(), args.callers());
    let flushes = disk::flushes(duration);
    println!("a flush: {}", flushes.times);
    let data = disk::folder();
    let server = Server::start(&args.binary, data.path(), Limits::Lifted).await;
    println!("memory after the start: {:.1} MiB", server.memory().now);
    let logs = disk::folder();
    let texts = texts(&server, &logs.path().join("texts"), duration).await;
    let log = logs.path().join("acquisitions");
    let acquisitions = acquisitions(&server, &log, callers, duration).await;
    server.stop().await;
    let sessions = match args.sessions {
        0 => None,
        count => Some(sessions::measure(&args.binary, count).await),
    };
    Results {
        machine: machine::describe(),
        callers,
        flushes,
        acquisitions,
        texts,
        sessions,
    }
}

async fn texts(server: &Server, log: &Path, duration: Duration) -> Vec<Texts> {
    let (answer, example) = webhook::once(server).await;
    let (url, mut arrivals) = receiver::start().await;
    let empty = empty::start(answer.clone()).await;
    let relay = relay::start(log, answer, Some(Sender::new(&url, &example))).await;
    let mut texts = Vec::new();
    for rate in TEXT_RATES {
        let latency = Compared {
            empty: webhook::measure_floor(&empty, None, rate, duration).await,
            relay: webhook::measure_floor(&relay, Some(&mut arrivals), rate, duration).await,
            serve: webhook::measure(server, rate, duration).await,
        };
        for (what, times) in [
            ("empty server", &latency.empty.answered),
            ("relay, until the answer", &latency.relay.answered),
            ("relay, until the webhook", &latency.relay.webhooks),
            ("until the answer", &latency.serve.answered),
            ("until the webhook", &latency.serve.webhooks),
        ] {
            println!("{rate} texts a second, {what}: {times}");
        }
        texts.push(Texts { rate, latency });
    }
    texts
}

async fn acquisitions(
    server: &Server,
    log: &Path,
    callers: usize,
    duration: Duration,
) -> Compared<Throughput> {
    let answer = acquire::once(server).await;
    let empty = empty::start(answer.clone()).await;
    let relay = relay::start(log, answer, None).await;
    let key = server.api_key.as_str();
    Compared {
        empty: acquire::measure(&empty, key, callers, duration).await,
        relay: acquire::measure(&relay, key, callers, duration).await,
        serve: acquire::measure(&server.authority, key, callers, duration).await,
    }
}
