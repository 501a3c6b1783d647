//! The figures of one run.

#[cfg(test)]
pub(crate) mod sample;

use crate::figures::{Throughput, millis};
use crate::sessions;
use crate::webhook::Latency;

/// The figures of one run, of `serve` and of the floors beside it.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) machine: String,
    pub(crate) callers: usize,
    /// Flushes of one block to disk.
    pub(crate) flushes: Throughput,
    /// Acquisitions of an empty server, and of `serve`.
    pub(crate) acquisitions: Pair<Throughput>,
    pub(crate) texts: Vec<Texts>,
    pub(crate) sessions: Option<sessions::Figures>,
}

/// A figure of the empty server, and of `serve`.
#[derive(Clone, Debug)]
pub(crate) struct Pair<T> {
    pub(crate) empty: T,
    pub(crate) serve: T,
}

/// The times of texts at a fixed rate.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// Texts a second.
    pub(crate) rate: u32,
    pub(crate) latency: Pair<Latency>,
}

/// A figure that has a target.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) what: String,
    pub(crate) serve: String,
    pub(crate) floor: String,
    /// The ratio, or the figure itself where there is no floor.
    pub(crate) value: f64,
    pub(crate) target: Target,
}

/// The bound of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// At least this part of the floor.
    AtLeast(f64),
    /// At most this multiple of the floor.
    AtMost(f64),
    /// Below this value, in the unit.
    Below(f64, &'static str),
}

impl Target {
    pub(crate) fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
            Self::Below(bound, _) => value < bound,
        }
    }
}

impl Results {
    /// Compares the figures with their targets.
    pub(crate) fn judged(&self) -> Vec<Judged> {
        let Pair { empty, serve } = &self.acquisitions;
        let mut judged = vec![Judged {
            what: format!("acquisitions a second, {} callers", self.callers),
            serve: format!("{:.0}", serve.rate),
            floor: format!("{:.0}", empty.rate),
            value: serve.rate / empty.rate,
            target: Target::AtLeast(0.5),
        }];
        judged.extend(self.texts.iter().map(|texts| {
            let serve = texts.latency.serve.webhooks.percentile(99);
            let empty = texts.latency.empty.answered.percentile(99);
            Judged {
                what: format!("text to webhook, p99, {} texts a second", texts.rate),
                serve: format!("{serve:.2} ms"),
                floor: format!("{empty:.2} ms"),
                value: serve / empty,
                target: Target::AtMost(2.0),
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
        floor: String::new(),
        value,
        target: Target::Below(32.0, "MiB"),
    };
    let start = |after: &str, start: &sessions::Start| {
        let value = millis(start.healthy);
        Judged {
            what: format!("start with {count} sessions after {after}"),
            serve: format!("{value:.0} ms"),
            floor: String::new(),
            value,
            target: Target::Below(1000.0, "ms"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive_for_ratios_alone() {
        assert!(Target::AtLeast(0.5).is_met_by(0.5));
        assert!(!Target::AtLeast(0.5).is_met_by(0.49));
        assert!(Target::AtMost(2.0).is_met_by(2.0));
        assert!(!Target::AtMost(2.0).is_met_by(2.01));
        assert!(!Target::Below(32.0, "MiB").is_met_by(32.0));
        assert!(!Target::AtMost(2.0).is_met_by(f64::NAN));
    }
}
