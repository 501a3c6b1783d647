//! The results of one run.

#[cfg(test)]
pub(crate) mod sample;

use crate::figures::{Throughput, millis};
use crate::sessions;
use crate::webhook::Latency;

/// The results of one run of `serve` and of the empty server.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) machine: String,
    pub(crate) callers: usize,
    /// Flushes of one block to disk.
    pub(crate) flushes: Throughput,
    pub(crate) acquisitions: Compared<Throughput>,
    pub(crate) texts: Vec<Texts>,
    pub(crate) sessions: Option<sessions::Figures>,
}

/// A figure for the empty server and for `serve`.
#[derive(Clone, Debug)]
pub(crate) struct Compared<T> {
    pub(crate) empty: T,
    pub(crate) serve: T,
}

/// The durations for texts at a fixed rate.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// Texts per second.
    pub(crate) rate: u32,
    pub(crate) latency: Compared<Latency>,
}

/// A figure and its target, if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) what: String,
    pub(crate) serve: String,
    pub(crate) empty: String,
    pub(crate) value: f64,
    /// The upper limit of the figure, and its unit.
    pub(crate) below: Option<(f64, &'static str)>,
}

impl Results {
    /// Compares the figures with their targets.
    pub(crate) fn judged(&self) -> Vec<Judged> {
        let Compared { empty, serve } = &self.acquisitions;
        let mut judged = vec![Judged {
            what: format!("acquisitions a second, {} callers", self.callers),
            serve: format!("{:.0}", serve.rate),
            empty: format!("{:.0}", empty.rate),
            value: serve.rate,
            below: None,
        }];
        judged.extend(self.texts.iter().map(|texts| {
            let serve = texts.latency.serve.webhooks.percentile(99);
            let empty = texts.latency.empty.answered.percentile(99);
            Judged {
                what: format!("text to webhook, p99, {} texts a second", texts.rate),
                serve: format!("{serve:.2} ms"),
                empty: format!("{empty:.2} ms"),
                value: serve,
                below: Some((5.0, "ms")),
            }
        }));
        judged.extend(self.sessions.iter().flat_map(of_sessions));
        judged
    }
}

fn of_sessions(figures: &sessions::Figures) -> [Judged; 4] {
    let count = figures.count;
    let memory = |what: String, value: f64| Judged {
        what,
        serve: format!("{value:.1} MiB"),
        empty: String::new(),
        value,
        below: Some((40.0, "MiB")),
    };
    let start = |after: &str, start: &sessions::Start| {
        let value = millis(start.healthy);
        Judged {
            what: format!("start with {count} sessions after {after}"),
            serve: format!("{value:.0} ms"),
            empty: String::new(),
            value,
            below: Some((1000.0, "ms")),
        }
    };
    [
        memory(
            format!("resident memory after {count} sessions"),
            figures.filled.now,
        ),
        memory(
            format!("most resident memory until {count} sessions"),
            figures.filled.peak,
        ),
        start("a stop", &figures.stopped),
        start("a kill", &figures.killed),
    ]
}
