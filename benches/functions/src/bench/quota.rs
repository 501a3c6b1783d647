//! The CPU time that Lambda allots to a function according to its memory: 1,769 MB correspond to one core
//! ("Configure Lambda function memory", Lambda Developer Guide). A function that starts on demand has a
//! whole core until its first event ("Utilize initialization phase", Serverless Land).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::rows::Row;

/// Memory sizes to measure, in MB.
pub const MEMORY: [u32; 2] = [128, 256];

/// A process's share of CPU time.
#[derive(Clone, Copy, Debug)]
pub enum Share<'a> {
    /// A whole core.
    Whole,
    /// A quota from the first event on: a function that starts on demand.
    AfterInit(&'a Quota),
    /// A quota from the beginning, with the first event available immediately: the slowest possible
    /// cold start.
    FromStart(&'a Quota),
}

/// A control group (version 1 or 2) with a CPU quota. The group is removed when this is dropped.
#[derive(Debug)]
pub struct Quota(PathBuf);

impl Quota {
    /// Creates a group with the CPU time for this memory size.
    ///
    /// # Errors
    /// Fails if this system has no such groups or does not allow creating them, and says what is
    /// missing.
    pub fn for_memory(memory: u32) -> Result<Self, String> {
        let root = Path::new("/sys/fs/cgroup");
        let denied = |error| format!("permission to limit processor time ({error})");
        // Microseconds of each period. Lambda documents the share of CPU time, not the period.
        let period = 20_000;
        let quota = period * memory / 1769;
        let name = format!("countersign-bench-{memory}-{}", std::process::id());
        let controllers = fs::read_to_string(root.join("cgroup.controllers"));
        let has_cpu =
            controllers.is_ok_and(|names| names.split_whitespace().any(|name| name == "cpu"));
        let (group, settings) = if has_cpu {
            let _ = fs::write(root.join("cgroup.subtree_control"), "+cpu");
            let settings = vec![("cpu.max", format!("{quota} {period}"))];
            (root.join(name), settings)
        } else if root.join("cpu/cpu.cfs_quota_us").is_file() {
            let settings = vec![
                ("cpu.cfs_period_us", period.to_string()),
                ("cpu.cfs_quota_us", quota.to_string()),
            ];
            (root.join("cpu").join(name), settings)
        } else {
            return Err("control groups for processor time".to_owned());
        };
        fs::create_dir(&group).map_err(denied)?;
        let group = Self(group);
        for (setting, value) in settings {
            fs::write(group.0.join(setting), value).map_err(denied)?;
        }
        Ok(group)
    }

    /// Moves a process and all its threads into the group.
    ///
    /// # Panics
    /// If the process has ended.
    pub(super) fn move_in(&self, process: u32) {
        let moved = fs::write(self.0.join("cgroup.procs"), process.to_string());
        moved.expect("a process of ours can be moved");
    }

    /// Returns the command that starts a row in the group.
    pub(super) fn command(&self, row: &Row) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\""])
            .arg(&self.0)
            .arg(&row.program);
        command
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
