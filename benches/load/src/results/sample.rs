//! The figures of a run, for tests.

use std::time::Duration;

use super::{Compared, Results, Texts};
use crate::figures::{Throughput, Times};
use crate::server::Memory;
use crate::sessions::{Figures, Start};
use crate::webhook::Latency;

/// Returns results with figures of all kinds.
pub(crate) fn results() -> Results {
    Results {
        machine: "2 cores".to_owned(),
        callers: 64,
        flushes: throughput(9528.0, times(10, 17)),
        acquisitions: Compared {
            empty: throughput(101_795.0, times(57, 101)),
            serve: throughput(24_600.0, times(246, 438)),
        },
        texts: vec![
            Texts {
                rate: 100,
                latency: Compared {
                    empty: answered(times(32, 39)),
                    serve: latency(times(123, 151), times(146, 174)),
                },
            },
            Texts {
                rate: 500,
                latency: Compared {
                    empty: answered(times(17, 27)),
                    serve: latency(times(75, 300), times(89, 307)),
                },
            },
        ],
        sessions: Some(Figures {
            count: 1_000_000,
            rate: 15_328.0,
            filled: Memory {
                now: 27.8,
                peak: 28.0,
            },
            file: 272.0,
            stopped: start(8, 7101, 20.9),
            killed: start(164, 7153, 22.5),
        }),
    }
}

/// Returns times with these percentiles, in hundredths of a millisecond.
fn times(median: u64, high: u64) -> Times {
    let times = [median, median, median, high];
    Times::new(times.map(|time| Duration::from_micros(time * 10)).to_vec())
}

fn throughput(rate: f64, times: Times) -> Throughput {
    Throughput { rate, times }
}

fn answered(answered: Times) -> Latency {
    latency(answered, Times::default())
}

fn latency(answered: Times, webhooks: Times) -> Latency {
    Latency { answered, webhooks }
}

fn start(healthy: u64, first: u64, memory: f64) -> Start {
    Start {
        healthy: Duration::from_millis(healthy),
        first: Duration::from_millis(first),
        memory: Memory {
            now: memory,
            peak: memory,
        },
    }
}
