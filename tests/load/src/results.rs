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
    pub(crate) acquisitions: Compared<Throughput>,
    pub(crate) texts: Vec<Texts>,
    pub(crate) sessions: Option<sessions::Figures>,
}

/// A figure of the floors, and of `serve`.
#[derive(Clone, Debug)]
pub(crate) struct Compared<T> {
    pub(crate) empty: T,
    pub(crate) relay: T,
    pub(crate) serve: T,
}

/// The times of texts at a fixed rate.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// Texts a second.
    pub(crate) rate: u32,
    pub(crate) latency: Compared<Latency>,
}

/// A figure that has a target.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) what: String,
    pub(crate) serve: String,
    pub(crate) empty: String,
    /// The ratio to the empty server, or the figure itself where there is no floor.
    pub(crate) value: f64,
    pub(crate) target: Target,
    /// The relay's figure and the ratio to it, where there is a floor.
    pub(crate) relay: Option<(String, f64)>,
}

/// The bound of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// At least this part of the empty server's.
    AtLeast(f64),
    /// At most this multiple of the empty server's.
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
        let Compared {
            empty,
            relay,
            serve,
        } = &self.acquisitions;
        let mut judged = vec![Judged {
            what: format!("acquisitions a second, {} callers", self.callers),
            serve: format!("{:.0}", serve.rate),
            empty: format!("{:.0}", empty.rate),
            value: serve.rate / empty.rate,
            target: Target::AtLeast(0.5),
            relay: Some((format!("{:.0}", relay.rate), serve.rate / relay.rate)),
        }];
        judged.extend(self.texts.iter().map(|texts| {
            let serve = texts.latency.serve.webhooks.percentile(99);
            let relay = texts.latency.relay.webhooks.percentile(99);
            let empty = texts.latency.empty.answered.percentile(99);
            Judged {
                what: format!("text to webhook, p99, {} texts a second", texts.rate),
                serve: format!("{serve:.2} ms"),
                empty: format!("{empty:.2} ms"),
                value: serve / empty,
                target: Target::AtMost(2.0),
                relay: Some((format!("{relay:.2} ms"), serve / relay)),
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
        target: Target::Below(32.0, "MiB"),
        relay: None,
    };
    let start = |after: &str, start: &sessions::Start| {
        let value = millis(start.healthy);
        Judged {
            what: format!("start with {count} sessions after {after}"),
            serve: format!("{value:.0} ms"),
            empty: String::new(),
            value,
            target: Target::Below(1000.0, "ms"),
            relay: None,
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
