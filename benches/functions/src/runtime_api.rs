//! A fake Lambda runtime API.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::{self, Reader};

/// A runtime API that serves one function. The API runs until the process ends.
#[derive(Debug)]
pub struct RuntimeApi {
    /// The address that the function calls.
    pub address: SocketAddr,
    events: Sender<String>,
    heard: Receiver<Heard>,
}

/// A report of the API: a call of the function, or the time at which an event was sent.
#[derive(Debug)]
pub enum Heard {
    /// The function asks for an event.
    Asked(Instant),
    /// The function is about to receive an event.
    HandedOver(Instant),
    Answered(Instant, Answer),
}

/// The function's answer to an event, or its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// True for an answer, false for an error.
    pub is_ok: bool,
    pub body: String,
}

struct Shared {
    events: Mutex<Receiver<String>>,
    heard: Sender<Heard>,
    handed_over: AtomicUsize,
}

impl RuntimeApi {
    /// Starts the API on a free port.
    ///
    /// # Errors
    /// Fails if it cannot listen.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (events, waiting) = channel();
        let (says, heard) = channel();
        let shared = Arc::new(Shared {
            events: Mutex::new(waiting),
            heard: says,
            handed_over: AtomicUsize::new(0),
        });
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Self {
            address,
            events,
            heard,
        })
    }

    /// Hands an event over as soon as the function asks for one.
    pub fn hand_over(&self, event: String) {
        self.events.send(event).expect("the API runs");
    }

    /// Waits for the next report of the API. Returns `None` if there is none within the timeout.
    #[must_use]
    pub fn hear(&self, timeout: Duration) -> Option<Heard> {
        self.heard.recv_timeout(timeout).ok()
    }
}

impl Shared {
    /// Serves one connection. The function keeps the connection open between its calls.
    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let mut reader = Reader::default();
        loop {
            let request = reader.read(&mut stream)?;
            let now = Instant::now();
            if request.line.contains("/invocation/next") {
                self.heard.send(Heard::Asked(now)).ok()?;
                let waiting = self.events.lock().unwrap_or_else(PoisonError::into_inner);
                let event = waiting.recv().ok()?;
                drop(waiting);
                let number = self.handed_over.fetch_add(1, Ordering::SeqCst);
                let headers = format!(
                    "Lambda-Runtime-Aws-Request-Id: {}\r\n{HEADERS}",
                    invocation(number)
                );
                self.heard.send(Heard::HandedOver(Instant::now())).ok()?;
                http::write(&mut stream, 200, &headers, &event).ok()?;
            } else {
                let answer = Answer {
                    is_ok: request.line.contains("/response "),
                    body: String::from_utf8_lossy(&request.body).into_owned(),
                };
                self.heard.send(Heard::Answered(now, answer)).ok()?;
                http::write(&mut stream, 202, JSON, r#"{"status":"OK"}"#).ok()?;
            }
        }
    }
}

/// Returns the id of an invocation; invocations are numbered from zero. The event contains the id
/// in its headers.
#[must_use]
pub fn invocation(number: usize) -> String {
    format!("8476a536-e9f4-11e8-9739-{number:012}")
}

const HEADERS: &str = "Content-Type: application/json\r\n\
    Date: Fri, 02 Jan 2026 03:04:05 GMT\r\n\
    Lambda-Runtime-Deadline-Ms: 99999999999999\r\n\
    Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:eu-central-1:000000000000:function:shop\r\n\
    Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0\r\n";
const JSON: &str = "Content-Type: application/json\r\n";
