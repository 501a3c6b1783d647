//! A phone for tests: a scripted service, a virtual clock, and stores that outlive a process.

mod clock;
mod service;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use countersign_conformance::ports::SetClock;
use countersign_sdk::memory::{MemoryAnswers, MemoryKeys, MemorySecrets};
use countersign_sdk::{Client, Configuration, Http, Platform, SdkError};
use countersign_system::entropy::OsEntropy;

pub(crate) use clock::VirtualClock;
pub(crate) use service::{APP_KEY, CODE, CONTEXT, Call, Fate, ORIGIN, START, Service};

pub(crate) const SERVICE: &str = "https://api.shop.example";

/// Returns the error for an answer with this status from a different service.
pub(crate) fn not_ours(status: u16) -> SdkError {
    SdkError::Network {
        detail: format!("status {status}, and no answer of a Countersign service"),
    }
}

/// A phone that outlives its processes.
pub(crate) struct World {
    pub(crate) service: Arc<Service>,
    pub(crate) clock: Arc<VirtualClock>,
    /// Storage and ports of the platform.
    pub(crate) platform: Platform,
    pub(crate) configuration: Configuration,
}

impl World {
    /// Creates a phone with a service that answers like the real one.
    pub(crate) fn new() -> Self {
        Self::with(Service::new())
    }

    pub(crate) fn with(service: Service) -> Self {
        let clock = Arc::new(VirtualClock::default());
        let service = Arc::new(service.on(clock.clone()));
        let entropy = Arc::new(OsEntropy);
        let platform = Platform {
            http: service.clone(),
            timer: clock.clone(),
            secrets: Arc::new(MemorySecrets::default()),
            answers: Arc::new(MemoryAnswers::default()),
            keys: Arc::new(MemoryKeys::new(entropy.clone())),
            since_boot: {
                let clock = clock.clone();
                Arc::new(move || clock.since_boot())
            },
            wall_clock: Arc::new(SetClock::at(START)),
            entropy,
        };
        let hosts = ["login.shop.example".to_owned()];
        Self {
            service,
            clock,
            platform,
            configuration: Configuration::new(SERVICE, &hosts)
                .unwrap()
                .show_contexts(true),
        }
    }

    /// Starts a process of the app.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.configuration.clone(), self.platform.clone())
    }

    /// Starts a process that calls a different service.
    pub(crate) fn client_over(&self, http: Arc<dyn Http>) -> Client {
        let platform = Platform {
            http,
            ..self.platform.clone()
        };
        Client::new(self.configuration.clone(), platform)
    }

    /// Runs a process to its end. While the process only waits for time, the clock advances.
    pub(crate) fn run<T>(&self, process: impl Future<Output = T>) -> T {
        self.run_for(usize::MAX, process).unwrap()
    }

    /// Runs a process that dies after this number of polls; `None` if it died.
    pub(crate) fn run_for<T>(&self, polls: usize, process: impl Future<Output = T>) -> Option<T> {
        let mut process = pin!(process);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            if let Poll::Ready(result) = process.as_mut().poll(&mut context) {
                return Some(result);
            }
            self.clock.pass();
        }
        None
    }
}
