#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicU64, Ordering};

use countersign_conformance::ports::SetClock;
use countersign_inbound::InboundProvider;
use countersign_inbound::sns::{CertificateUnavailable, CertificateUrl};
use tokio::time::Instant;

use super::*;

const ONE: &str = r#"{"sinch": {"secrets": "secret-one"}}"#;
const TWO: &str = r#"{"sinch": {"secrets": ["secret-two", "secret-one"]}, "twilio": {"authTokens": "0123456789abcdef0123456789abcdef"}}"#;

/// A fake secret with the settings: a text, nothing, or an error.
#[derive(Default)]
struct FakeSecret {
    answer: Mutex<Option<FakeAnswer>>,
    asked: AtomicU64,
}

enum FakeAnswer {
    Text(&'static str),
    Fails,
    Hangs,
}

impl FakeSecret {
    async fn read(self: Arc<Self>) -> Result<Option<String>, Unavailable> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        match *self.answer.lock().unwrap() {
            Some(FakeAnswer::Text(text)) => return Ok(Some(text.to_owned())),
            Some(FakeAnswer::Fails) => return Err(Unavailable::new("place", "it is closed")),
            None => return Ok(None),
            Some(FakeAnswer::Hangs) => {}
        }
        std::future::pending().await
    }
}

struct NoCertificates;

#[async_trait]
impl CertificateSource for NoCertificates {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        Err(CertificateUnavailable)
    }
}

struct World {
    place: Arc<FakeSecret>,
    clock: Arc<SetClock>,
    metrics: Arc<EmbeddedMetrics>,
}

impl World {
    fn new(answer: Option<FakeAnswer>) -> Self {
        let world = Self {
            place: Arc::default(),
            clock: Arc::default(),
            metrics: Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned())),
        };
        world.answer(answer);
        world
    }

    fn answer(&self, answer: impl Into<Option<FakeAnswer>>) {
        *self.place.answer.lock().unwrap() = answer.into();
    }

    fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    async fn read(&self) -> Result<LiveProviders, Unavailable> {
        LiveProviders::read(ProviderParts {
            read: {
                let place = Arc::clone(&self.place);
                Box::new(move || Box::pin(Arc::clone(&place).read()))
            },
            public_url: "https://text.example.com".parse().unwrap(),
            certificates: Arc::new(NoCertificates),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
        })
        .await
    }

    fn asked(&self) -> u64 {
        self.place.asked.load(Ordering::SeqCst)
    }
}

async fn names(live: &LiveProviders) -> Vec<&'static str> {
    let current = live.current().await;
    current.iter().map(InboundProvider::name).collect()
}

#[tokio::test]
async fn settings_are_read_anew_after_a_minute_and_no_sooner() {
    let world = World::new(Some(FakeAnswer::Text(ONE)));
    let live = world.read().await.unwrap();
    world.answer(FakeAnswer::Text(TWO));
    world.pass(Duration::from_millis(59_999));
    assert_eq!(names(&live).await, ["sinch"]);
    world.pass(Duration::from_millis(1));
    assert_eq!(names(&live).await, ["sinch", "twilio"]);
    assert_eq!(names(&live).await, ["sinch", "twilio"]);
    assert_eq!(world.asked(), 2);
    assert!(REREAD_INTERVAL < Duration::from_mins(5));
}

#[tokio::test(start_paused = true)]
async fn last_settings_stay_while_the_source_is_in_trouble() {
    let world = World::new(Some(FakeAnswer::Text(ONE)));
    let live = world.read().await.unwrap();
    let began = Instant::now();
    let troubles = [
        Some(FakeAnswer::Fails),
        Some(FakeAnswer::Hangs),
        Some(FakeAnswer::Text("{")),
        Some(FakeAnswer::Text(r#"{"sinch": {"secrets": "short"}}"#)),
        None,
    ];
    let count = u64::try_from(troubles.len()).unwrap();
    for trouble in troubles {
        world.answer(trouble);
        world.pass(REREAD_INTERVAL);
        assert_eq!(names(&live).await, ["sinch"]);
    }
    assert_eq!(
        began.elapsed(),
        REREAD_TIMEOUT,
        "only the hanging one waits"
    );
    assert_eq!(world.metrics.counted(PROVIDERS_UNREADABLE), count);
    world.answer(FakeAnswer::Text(TWO));
    world.pass(REREAD_INTERVAL);
    assert_eq!(names(&live).await, ["sinch", "twilio"]);
    assert_eq!(world.metrics.counted(PROVIDERS_UNREADABLE), count);
}

#[tokio::test]
async fn unchanged_settings_keep_their_providers() {
    let world = World::new(Some(FakeAnswer::Text(ONE)));
    let live = world.read().await.unwrap();
    let first = live.current().await;
    world.pass(REREAD_INTERVAL);
    assert!(Arc::ptr_eq(&first, &live.current().await));
    assert_eq!(world.asked(), 2);
}

#[tokio::test]
async fn providers_are_off_until_settings_are_written() {
    let world = World::new(None);
    let live = world.read().await.unwrap();
    assert!(names(&live).await.is_empty());
    world.pass(REREAD_INTERVAL);
    assert!(names(&live).await.is_empty());
    assert_eq!(world.metrics.counted(PROVIDERS_UNREADABLE), 0);
    world.answer(FakeAnswer::Text(ONE));
    world.pass(REREAD_INTERVAL);
    assert_eq!(names(&live).await, ["sinch"]);
    world.answer(FakeAnswer::Text("{}"));
    world.pass(REREAD_INTERVAL);
    assert!(names(&live).await.is_empty());
}

#[tokio::test]
async fn clock_that_was_set_back_makes_the_settings_due() {
    let world = World::new(Some(FakeAnswer::Text(ONE)));
    let live = world.read().await.unwrap();
    world.clock.set(Timestamp::from_millis(1));
    world.answer(FakeAnswer::Text(TWO));
    assert_eq!(names(&live).await, ["sinch", "twilio"]);
}

#[tokio::test]
async fn first_reading_must_succeed_and_its_error_has_no_secret() {
    for answer in [
        FakeAnswer::Fails,
        FakeAnswer::Text("hunter2"),
        FakeAnswer::Text(r#"{"sinch": {"secrets": "hunter2"}}"#),
        FakeAnswer::Text(r#"{"hunter2": {}}"#),
    ] {
        let refused = World::new(Some(answer)).read().await.map(|_| ());
        let refused = refused.unwrap_err();
        let told = format!("{refused:?} {}", Causes(&refused));
        assert!(!told.contains("hunter2"), "{told}");
    }
}
