//! A function's process, with the environment that it has on Lambda.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::runtime_api::{Answer, Heard, RuntimeApi};
use crate::services::Services;

/// Timeout of each wait, far longer than any of them takes, so that a measurement cannot hang.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Interval at which the process is checked while it should be running.
const LOOK: Duration = Duration::from_millis(200);

/// A running function.
#[derive(Debug)]
pub struct Function {
    process: Child,
    api: RuntimeApi,
    output: Arc<Mutex<Vec<u8>>>,
    drains: Vec<JoinHandle<()>>,
    started: Instant,
    /// The time from its start to its first request for an event.
    pub init: Duration,
}

/// A function's answer to an event.
#[derive(Clone, Debug)]
pub struct Invoked {
    pub answer: Answer,
    /// Time between handing over the event and receiving the answer.
    pub took: Duration,
}

impl Function {
    /// Starts a function and waits until it asks for an event. The command may be a tool that runs the
    /// function.
    ///
    /// # Panics
    /// If the process ends before that.
    #[must_use]
    pub fn start(mut command: Command, services: &Services) -> Self {
        let api = RuntimeApi::start().expect("a port on loopback is free");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let started = Instant::now();
        let mut process = command
            .env_clear()
            // Lets an interpreter find its programs.
            .env("PATH", path)
            .envs(ENVIRONMENT)
            .envs(services.environment())
            .env("AWS_LAMBDA_RUNTIME_API", api.address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = Arc::new(Mutex::new(Vec::new()));
        let drains = [
            process
                .stdout
                .take()
                .map(|pipe| drain(pipe, Arc::clone(&output))),
            process
                .stderr
                .take()
                .map(|pipe| drain(pipe, Arc::clone(&output))),
        ];
        let mut function = Self {
            process,
            api,
            output,
            drains: drains.into_iter().flatten().collect(),
            started,
            init: Duration::ZERO,
        };
        match function.hear() {
            Heard::Asked(at) => function.init = at - function.started,
            other => panic!("it does not ask for an event: {other:?}"),
        }
        function
    }

    /// Returns the process id, which belongs to the tool if a tool runs the function.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Hands over an event, and waits for the answer and for the request for the next event.
    pub fn invoke(&mut self, event: String) -> Invoked {
        self.api.hand_over(event);
        let mut handed_over = None;
        let mut invoked = None;
        loop {
            match self.hear() {
                Heard::HandedOver(at) => handed_over = Some(at),
                Heard::Answered(at, answer) => {
                    let took = at - handed_over.expect("an answer comes after its event");
                    invoked = Some(Invoked { answer, took });
                }
                Heard::Asked(_) => return invoked.expect("it asks after its answer"),
            }
        }
    }

    /// Sends a signal to a process, and waits until the function's process ends.
    ///
    /// # Panics
    /// If the signal cannot be sent.
    pub fn end(mut self, process: u32, signal: Signal) -> String {
        let id = i32::try_from(process).ok().and_then(Pid::from_raw);
        kill_process(id.expect("the id of a process"), signal).expect("it runs");
        self.process.wait().expect("it is a child");
        for drain in self.drains.drain(..) {
            drain.join().expect("reading does not fail");
        }
        self.output()
    }

    fn output(&self) -> String {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&output).into_owned()
    }

    fn hear(&mut self) -> Heard {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if let Some(heard) = self.api.hear(LOOK) {
                return heard;
            }
            if let Ok(Some(status)) = self.process.try_wait() {
                panic!("it ended: {status}: {}", self.output());
            }
        }
        panic!("it does nothing: {}", self.output());
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads output continuously, so that the function never blocks on a full pipe.
fn drain(mut pipe: impl Read + Send + 'static, into: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut bytes = [0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut bytes) {
            let mut into = into.lock().unwrap_or_else(PoisonError::into_inner);
            into.extend_from_slice(&bytes[..count]);
        }
    })
}

const ENVIRONMENT: [(&str, &str); 22] = [
    ("LANG", "en_US.UTF-8"),
    ("TZ", ":UTC"),
    ("AWS_REGION", "eu-central-1"),
    ("AWS_DEFAULT_REGION", "eu-central-1"),
    ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
    (
        "AWS_SECRET_ACCESS_KEY",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
    ("AWS_LAMBDA_FUNCTION_NAME", "shop-function"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
    ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
    ("AWS_LAMBDA_LOG_LEVEL", "INFO"),
    ("COUNTERSIGN_DEPLOYMENT", "shop"),
    ("COUNTERSIGN_TABLE", "shop"),
    (
        "COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL",
        "https://sqs.example/000000000000/first",
    ),
    (
        "COUNTERSIGN_RETRIES_QUEUE_URL",
        "https://sqs.example/000000000000/retries",
    ),
    ("COUNTERSIGN_INBOUND_SECRETS", "secretsmanager:inbound"),
    ("COUNTERSIGN_PUBLIC_URL", "https://api.example"),
    ("COUNTERSIGN_INBOUND_TOPIC_ARN", crate::samples::TOPIC),
    ("COUNTERSIGN_SIGNING_KEY_ARN", crate::samples::SIGNING_KEY),
    (
        "COUNTERSIGN_PUBLISHED_KEY_ARNS",
        "arn:aws:kms:eu-central-1:000000000000:key/former,arn:aws:kms:eu-central-1:000000000000:key/next",
    ),
    ("COUNTERSIGN_SOCKET_URL", "wss://socket.example/socket"),
    ("COUNTERSIGN_VALIDITY", "5m"),
    ("COUNTERSIGN_RETENTION", "7d"),
];
