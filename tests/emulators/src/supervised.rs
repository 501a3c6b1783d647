//! A process that does not outlive the one that started it.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs its arguments, with what they print in the file `log`, and ends them with all that they
/// started when its standard input ends: that is a pipe from the test's process, which the system
/// closes however that process ends. It leads a process group of its own, which is what it ends.
/// `$0` is the directory that all of it happens in; what ended by itself leaves it behind, for
/// whoever asks why.
const SUPERVISOR: &str = r#"
cd "$0" || exit 1
exec 3<&0
"$@" </dev/null >log 2>&1 3<&- &
supervised=$!
trap '' TERM
{
    cat <&3 >/dev/null
    : >over
    kill -TERM 0
    sleep 5
    kill -KILL 0
} &
exec 3<&-
wait "$supervised"
if [ -e over ]; then rm -rf "$0"; fi
kill -KILL 0
"#;

/// A process with all that it starts, and the directory it works in.
#[derive(Debug)]
pub(crate) struct Supervised {
    supervisor: Child,
    directory: PathBuf,
}

impl Supervised {
    /// Starts a program, with the arguments and the environment of `command`.
    pub(crate) fn start(name: &str, command: &Command) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let directory = format!("countersign-{name}-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(directory);
        std::fs::create_dir_all(&directory).expect("there is room for temporary files");
        let mut supervisor = Command::new("sh");
        supervisor
            .args([OsStr::new("-c"), OsStr::new(SUPERVISOR)])
            .arg(&directory)
            .arg(command.get_program())
            .args(command.get_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        for (variable, value) in command.get_envs() {
            match value {
                Some(value) => supervisor.env(variable, value),
                None => supervisor.env_remove(variable),
            };
        }
        Self {
            supervisor: supervisor.spawn().expect("there is a shell"),
            directory,
        }
    }

    /// Whether it is over.
    pub(crate) fn has_ended(&mut self) -> bool {
        let status = self.supervisor.try_wait();
        status.expect("a child can be waited for").is_some()
    }

    /// What it printed, if it ended by itself or goes on.
    pub(crate) fn said(&self) -> String {
        let log = std::fs::read(self.directory.join("log"));
        let log = log.unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // Nobody is left to tell.
        let _ = self.supervisor.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Looks until something is so.
    fn until(what: &str, mut holds: impl FnMut() -> bool) {
        let give_up = Instant::now() + Duration::from_secs(20);
        while !holds() {
            assert!(Instant::now() < give_up, "{what}");
            // sleep: between two looks at another process.
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn is_alive(pid: &str) -> bool {
        let probe = shell(&format!("kill -0 {pid}"))
            .stderr(Stdio::null())
            .status();
        probe.is_ok_and(|status| status.success())
    }

    #[test]
    fn what_runs_and_what_it_started_end_with_their_owner() {
        let script = "sleep 600 & echo $! $$; wait";
        let mut process = Supervised::start("test", &shell(script));
        let mut pids = Vec::new();
        until("it says who it is", || {
            let said = process.said();
            pids = said.split_whitespace().map(str::to_owned).collect();
            said.ends_with('\n') && pids.len() == 2
        });
        assert!(pids.iter().all(|pid| is_alive(pid)));
        assert!(!process.has_ended());
        let directory = process.directory.clone();
        drop(process);
        until("they are gone", || !pids.iter().any(|pid| is_alive(pid)));
        assert!(!directory.exists());
    }

    #[test]
    fn what_ends_by_itself_leaves_word() {
        let mut process = Supervised::start("test", &shell("echo why; exit 3"));
        until("it is over", || process.has_ended());
        assert_eq!(process.said(), "why\n");
        std::fs::remove_dir_all(&process.directory).unwrap();
    }
}
