//! SIGINT and SIGTERM.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// The exit code of a process that stopped at once: 128 and the number of SIGINT, as shells have it.
const INTERRUPTED: i32 = 130;

/// The signals that stop the server.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// From now on the signals do not end the process by themselves.
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::because("cannot listen to signals", &error))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Returns at the next signal.
    pub(super) async fn first(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Ends the process at the next signal. What was acknowledged is on disk already.
    pub(super) async fn exit_at_the_next(mut self) {
        self.first().await;
        std::process::exit(INTERRUPTED);
    }
}
