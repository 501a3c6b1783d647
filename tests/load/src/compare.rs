//! Measures `serve` and the floors beside it, in turns, so that other work on the machine meets both.

use crate::args::Args;
use crate::results::{Pair, Results, Texts};
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

    let empty = empty::start(webhook::once(&server).await).await;
    let mut texts = Vec::new();
    for rate in TEXT_RATES {
        let latency = Pair {
            empty: webhook::measure_empty(&empty, rate, duration).await,
            serve: webhook::measure(&server, rate, duration).await,
        };
        println!(
            "{rate} texts a second, empty server: {}",
            latency.empty.answered
        );
        println!(
            "{rate} texts a second, until the answer: {}",
            latency.serve.answered
        );
        println!(
            "{rate} texts a second, until the webhook: {}",
            latency.serve.webhooks
        );
        texts.push(Texts { rate, latency });
    }
    let empty = empty::start(acquire::once(&server).await).await;
    let key = server.api_key.as_str();
    let acquisitions = Pair {
        empty: acquire::measure(&empty, key, callers, duration).await,
        serve: acquire::measure(&server.authority, key, callers, duration).await,
    };
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
