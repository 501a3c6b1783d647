//! Measures the cold starts and the warm calls of a row.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use super::figures::Sample;
use super::quota::Share;
use super::rows::Row;
use crate::events;
use crate::function::Function;
use crate::services::Services;

/// Measurements of one process of a row.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// From the start of the process to its first request for an event.
    pub init: Duration,
    /// Duration of the first call, which fills caches.
    pub first: Duration,
    /// Duration of the second call.
    pub second: Duration,
    /// CPU time until the first answer.
    pub start_cpu: Duration,
    /// Maximum resident memory, in bytes.
    pub memory: u64,
    /// Durations of the warm calls.
    pub warm: Vec<Duration>,
    /// CPU time of all warm calls together.
    pub warm_cpu: Duration,
}

/// All processes of a row.
#[derive(Clone, Debug, Default)]
pub struct Starts(pub Vec<Start>);

impl Starts {
    /// Returns the sample of one of the times.
    #[must_use]
    pub fn sample(&self, of: impl Fn(&Start) -> Duration) -> Sample {
        Sample::new(self.0.iter().map(of).collect())
    }

    /// Returns the sample of all warm calls.
    #[must_use]
    pub fn warm(&self) -> Sample {
        Sample::new(self.0.iter().flat_map(|start| start.warm.clone()).collect())
    }

    /// Returns the CPU time per warm call.
    #[must_use]
    pub fn warm_cpu(&self) -> Duration {
        let calls: usize = self.0.iter().map(|start| start.warm.len()).sum();
        let total: Duration = self.0.iter().map(|start| start.warm_cpu).sum();
        total / u32::try_from(calls.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns the median of the resident memory, in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let mut memory: Vec<_> = self.0.iter().map(|start| start.memory).collect();
        memory.sort_unstable();
        memory.get(memory.len() / 2).copied().unwrap_or_default()
    }
}

/// The processes of a row, limited to a share of a core.
#[derive(Clone, Debug, Default)]
pub struct Limited {
    /// Processes with a whole core until their first event.
    pub after_init: Starts,
    /// Processes that never have a whole core.
    pub from_start: Starts,
}

/// Starts a row's process with a share of a core, makes two calls, and then the given number of
/// warm calls.
///
/// # Panics
/// If the function answers without doing its work.
#[must_use]
pub fn start(row: &Row, share: Share<'_>, services: &Services, warm: usize) -> Start {
    let command = match share {
        Share::Whole | Share::AfterInit(_) => row.command(),
        Share::FromStart(quota) => quota.command(row),
    };
    let mut running = Function::start(command, services);
    let process = running.id();
    if let Share::AfterInit(quota) = share {
        quota.move_in(process);
    }
    let invoke = |running: &mut Function| {
        let invoked = running.invoke(events::event(&row.function));
        let refusal = events::refusal(&row.function, &invoked.answer.body);
        assert!(
            invoked.answer.is_ok && refusal.is_none(),
            "{}: {}",
            row.name,
            invoked.answer.body
        );
        invoked.took
    };
    let done = services.done(&row.function);
    let init = running.init;
    let first = invoke(&mut running);
    let start_cpu = cpu(process);
    let second = invoke(&mut running);
    let before = cpu(process);
    let warm: Vec<_> = (0..warm).map(|_| invoke(&mut running)).collect();
    let expected = done.map(|done| done + 2 + warm.len());
    assert_eq!(services.done(&row.function), expected, "{}", row.name);
    let start = Start {
        init,
        first,
        second,
        start_cpu,
        memory: memory(process),
        warm,
        warm_cpu: cpu(process).saturating_sub(before),
    };
    running.end(process, Signal::KILL);
    start
}

/// Returns the CPU time of all threads of a process, in nanoseconds as the scheduler counts them.
fn cpu(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let of_thread = |path: std::path::PathBuf| {
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    let threads = threads.into_iter().flatten().flatten();
    Duration::from_nanos(threads.filter_map(|thread| of_thread(thread.path())).sum())
}

/// Returns the maximum resident memory of a process so far, in bytes.
fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or_default() * 1024
}
