//! SIGINT and SIGTERM.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Exit code of a process that was killed at the second signal: 128 plus the number of SIGINT, as
/// in shells.
const INTERRUPTED: i32 = 130;

/// The signals that stop the server.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Installs handlers for the signals, which then no longer end the process by themselves.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::because("cannot listen for signals", &error))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Returns at the next signal.
    pub(crate) async fn first(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Ends the process at the next signal. Everything acknowledged is already on disk.
    pub(crate) async fn exit_at_the_next(mut self) {
        self.first().await;
        std::process::exit(INTERRUPTED);
    }
}
