//! The processor time that Lambda grants a function by its memory: 1,769 MB are one core ("Configure Lambda
//! function memory", Lambda Developer Guide).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::rows::Row;

/// Memory sizes that are measured, in MB.
pub const MEMORY: [u32; 2] = [128, 256];

/// A control group with a quota of processor time. It is removed when dropped.
#[derive(Debug)]
pub struct Quota(PathBuf);

impl Quota {
    /// Makes a group with the processor time of this memory.
    ///
    /// # Errors
    /// Fails with what is missing if this system has no such groups, or does not let one make them.
    pub fn of(memory: u32) -> Result<Self, String> {
        let root = Path::new("/sys/fs/cgroup");
        let controllers = fs::read_to_string(root.join("cgroup.controllers"))
            .map_err(|_| "control groups of version 2".to_owned())?;
        if !controllers
            .split_ascii_whitespace()
            .any(|name| name == "cpu")
        {
            return Err("the controller `cpu` of control groups".to_owned());
        }
        let denied = |error| format!("permission to set cpu.max ({error})");
        let _ = fs::write(root.join("cgroup.subtree_control"), "+cpu");
        let group = root.join(format!("countersign-bench-{memory}-{}", std::process::id()));
        fs::create_dir(&group).map_err(denied)?;
        let group = Self(group);
        // Microseconds of each period. Lambda's period is 20 ms, as measured by others; it says nothing.
        let period = 20_000;
        let quota = period * memory / 1769;
        fs::write(group.0.join("cpu.max"), format!("{quota} {period}")).map_err(denied)?;
        Ok(group)
    }

    /// Returns the command that starts a row in the group.
    #[must_use]
    pub fn command(&self, row: &Row) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\""])
            .arg(&self.0)
            .args(&row.program);
        command
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
