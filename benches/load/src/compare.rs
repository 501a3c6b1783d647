//! Measures `serve` and the empty server in turns, so that other work on the machine affects both.

use std::time::Duration;

use crate::args::Args;
use crate::figures::Throughput;
use crate::results::{Compared, Results, Texts};
use crate::server::{Limits, Server};
use crate::{TEXT_RATES, acquire, disk, empty, machine, sessions, webhook};

/// Runs all comparisons.
pub(crate) async fn run(args: &Args) -> Results {
    let (duration, callers) = (args.duration(), args.callers());
    let flushes = disk::flushes(duration);
    println!("a flush: {}", flushes.times);
    let data = disk::folder();
    let server = Server::start(&args.binary, data.path(), Limits::Lifted).await;
    println!("memory after the start: {:.1} MiB", server.memory().now);
    let texts = texts(&server, duration).await;
    let acquisitions = acquisitions(&server, callers, duration).await;
    server.stop().await;
    let sessions = match args.sessions() {
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

async fn texts(server: &Server, duration: Duration) -> Vec<Texts> {
    let empty = empty::start(webhook::once(server).await).await;
    let mut texts = Vec::new();
    for rate in TEXT_RATES {
        let latency = Compared {
            empty: webhook::measure_empty(&empty, rate, duration).await,
            serve: webhook::measure(server, rate, duration).await,
        };
        for (what, times) in [
            ("empty server", &latency.empty.answered),
            ("until the answer", &latency.serve.answered),
            ("until the webhook", &latency.serve.webhooks),
        ] {
            println!("{rate} texts a second, {what}: {times}");
        }
        texts.push(Texts { rate, latency });
    }
    texts
}

async fn acquisitions(server: &Server, callers: usize, duration: Duration) -> Compared<Throughput> {
    let empty = empty::start(acquire::once(server).await).await;
    let key = server.api_key.as_str();
    Compared {
        empty: acquire::measure(&empty, key, callers, duration).await,
        serve: acquire::measure(&server.authority, key, callers, duration).await,
    }
}
