//! A child process that does not outlive its parent.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A shell script that runs its arguments as a command and writes the output to the file `log`. When its
/// standard input ends, the script kills the command and everything that the command has started: the command
/// leads its own process group, and the script kills the whole group. The standard input is a pipe from the
/// test process. The system closes the pipe however that process ends. `$0` is the working directory. The
/// directory is kept if the command ends by itself, so that the log can be read.
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

/// A process, everything that it starts, and its working directory.
#[derive(Debug)]
pub(crate) struct Supervised {
    supervisor: Child,
    directory: PathBuf,
}

impl Supervised {
    /// Starts the program of `command` with its arguments and environment.
    pub(crate) fn start(name: &str, command: &Command) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let directory = format!("countersign-{name}-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(directory);
        std::fs::create_dir_all(&directory).expect("temporary directories can be created");
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
            supervisor: supervisor.spawn().expect("a shell is installed"),
            directory,
        }
    }

    /// Returns whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        let status = self.supervisor.try_wait();
        status.expect("a child can be waited for").is_some()
    }

    /// Returns the output so far. The output stays available after the process has ended by itself.
    pub(crate) fn output(&self) -> String {
        let log = std::fs::read(self.directory.join("log"));
        let log = log.unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // An error cannot be reported from here.
        let _ = self.supervisor.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Waits until `holds` returns true.
    fn until(what: &str, mut holds: impl FnMut() -> bool) {
        let give_up = Instant::now() + Duration::from_secs(20);
        while !holds() {
            assert!(Instant::now() < give_up, "{what}");
            // sleep: between two checks of another process.
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
    fn drop_ends_the_process_and_its_children() {
        let script = "sleep 600 & echo $! $$; wait";
        let mut process = Supervised::start("test", &shell(script));
        let mut pids = Vec::new();
        until("both process ids are printed", || {
            let output = process.output();
            pids = output.split_whitespace().map(str::to_owned).collect();
            output.ends_with('\n') && pids.len() == 2
        });
        assert!(pids.iter().all(|pid| is_alive(pid)));
        assert!(!process.has_ended());
        let directory = process.directory.clone();
        drop(process);
        until("both processes are gone", || {
            !pids.iter().any(|pid| is_alive(pid))
        });
        assert!(!directory.exists());
    }

    #[test]
    fn output_stays_after_the_process_ends_by_itself() {
        let mut process = Supervised::start("test", &shell("echo why; exit 3"));
        until("the process has ended", || process.has_ended());
        assert_eq!(process.output(), "why\n");
        std::fs::remove_dir_all(&process.directory).unwrap();
    }
}
