//! Properties of the machine on which the figures depend.

use std::fs;
use std::thread::available_parallelism;

/// Describes the machine: processor, cores, memory and kernel. The description contains no host
/// name.
#[must_use]
pub fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_once(':'));
        value.map_or_else(
            || "unknown".to_owned(),
            |(_, value)| value.trim().to_owned(),
        )
    };
    let cores = available_parallelism().map_or(1, usize::from);
    let processor = field(&read("/proc/cpuinfo"), "model name");
    let memory = field(&read("/proc/meminfo"), "MemTotal");
    let memory = memory.trim_end_matches(" kB").parse::<u64>();
    let memory = memory.map_or(0, |kibibytes| (kibibytes + (1 << 19)) >> 20);
    let kernel = read("/proc/sys/kernel/osrelease");
    // The rest of the release string identifies its builder.
    let kernel = kernel
        .trim()
        .split('-')
        .next()
        .unwrap_or_default()
        .to_owned();
    format!("{cores} cores ({processor}), {memory} GiB of memory, Linux {kernel}")
}
