//! Properties of the machine, without its name.

use std::fs;

/// Describes the processors, the memory and the operating system.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "processor".to_owned());
    let memory = field("/proc/meminfo", "MemTotal").and_then(|total| {
        let kibibytes: u64 = total.split_whitespace().next()?.parse().ok()?;
        Some(format!(", {} GiB of memory", (kibibytes >> 20) + 1))
    });
    let (system, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "{cores} cores of an {model}{memory}, {system} on {architecture}",
        memory = memory.unwrap_or_default()
    )
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
