//! An emulator that runs: started, waited for, ended.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::supervised::Supervised;

/// How long one may take to come up.
const LONGEST: Duration = Duration::from_mins(1);

/// How long is waited between two looks whether it has.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// An emulator that answers. It ends when this is dropped, or with the process.
#[derive(Debug)]
pub struct Emulator {
    endpoint: String,
    _process: Supervised,
}

impl Emulator {
    /// Starts what is to answer on that port, and waits until it does.
    pub(crate) fn start(
        name: &str,
        command: &Command,
        endpoint: String,
        port: u16,
        path: &str,
    ) -> Self {
        let mut process = Supervised::start(name, command);
        let give_up = Instant::now() + LONGEST;
        while !answers(port, path) {
            let hope = !process.has_ended() && Instant::now() < give_up;
            assert!(hope, "{name} did not come up:\n{}", process.said());
            // sleep: between two looks at a process that is starting.
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Self {
            endpoint,
            _process: process,
        }
    }

    /// Where it answers: `http://127.0.0.1:port`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

/// A port that nobody listens on at this moment.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a listener has a port").port()
}

/// Whether an HTTP request is answered as a server that is up does. A request that is refused for
/// what it says was read, and so is an answer.
fn answers(port: u16, path: &str) -> bool {
    ask(port, path).is_ok_and(|status| (200..500).contains(&status))
}

fn ask(port: u16, path: &str) -> std::io::Result<u16> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
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
