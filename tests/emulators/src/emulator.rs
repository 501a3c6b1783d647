//! Starts an emulator, waits until it is ready, and ends it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::supervised::Supervised;

/// Maximum startup time of an emulator.
const START_TIMEOUT: Duration = Duration::from_mins(3);

/// Pause between two checks of whether the emulator has started.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A running emulator. The emulator ends when this value is dropped or when the process ends.
#[derive(Debug)]
pub struct Emulator {
    endpoint: String,
    _process: Supervised,
}

impl Emulator {
    /// Starts the command for a port, and waits until it answers requests for `path` on that port.
    ///
    /// Emulators can neither inherit a bound socket nor choose a port themselves. If another program takes
    /// the port first, the emulator exits and is started again with another port.
    pub(crate) fn start(name: &str, path: &str, command: impl Fn(u16) -> Command) -> Self {
        let give_up = Instant::now() + START_TIMEOUT;
        loop {
            let port = free_port();
            let mut process = Supervised::start(name, &command(port));
            while !process.has_ended() {
                if answers(port, path) {
                    return Self {
                        endpoint: format!("http://127.0.0.1:{port}"),
                        _process: process,
                    };
                }
                let hope = Instant::now() < give_up;
                assert!(hope, "{name} did not start:\n{}", process.output());
                // sleep: between two checks of a process that is starting.
                std::thread::sleep(POLL_INTERVAL);
            }
            let output = process.output();
            assert!(
                output.contains("already in use"),
                "{name} did not start:\n{output}"
            );
        }
    }

    /// Returns the emulator's URL: `http://127.0.0.1:port`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

/// Returns a port that is free at this moment.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a listener has a port").port()
}

/// Returns whether a running server answers an HTTP request. A 4xx answer counts as well, because it
/// shows that the server has read the request.
fn answers(port: u16, path: &str) -> bool {
    ask(port, path).is_ok_and(|status| (200..500).contains(&status))
}

fn ask(port: u16, path: &str) -> std::io::Result<u16> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(30))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    )?;
    // "HTTP/1.1 200"
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    let status = std::str::from_utf8(&head[9..]).unwrap_or_default();
    Ok(status.parse().unwrap_or_default())
}
