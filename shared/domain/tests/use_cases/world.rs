//! The ports of the use cases, controlled by the tests.

mod lookup;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::failing::FailingItems;
use countersign_conformance::samples;
use countersign_domain::app::App;
use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::carrier::CarrierLookup;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::receivers::SlowReceivers;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::login::Login;
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::idempotency::{IdempotencyKey, RequestHash};
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::store::Store;
use countersign_domain::use_cases::start::{IdempotentRequest, Request, StartError, Started};
use countersign_domain::use_cases::sweep::{SweepCursors, SweepLimit, SweepReport};
use countersign_domain::use_cases::{
    Ports, Times, deliver, receive_text, start, sweep, test_webhook,
};
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl};
use futures_util::FutureExt as _;

use lookup::TestLookup;

/// Runs a future that never waits, which is true of all futures over the model store.
pub(crate) fn now_or_never<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing here waits")
}

/// The state behind the ports.
pub(crate) struct World {
    pub(crate) items: Arc<FailingItems>,
    pub(crate) store: Store,
    pub(crate) app: App,
    pub(crate) api_key: PresentedApiKey,
    pub(crate) now: TestClock,
    pub(crate) queue: TestQueue,
    pub(crate) signer: TestSigner,
    pub(crate) receiver: TestReceiver,
    pub(crate) carriers: TestLookup,
    pub(crate) receivers: SlowReceivers,
    pub(crate) pages: TestPages,
    /// The events that were counted, each with its labels.
    pub(crate) counted: Mutex<Vec<(&'static str, OwnedLabels)>>,
    drawn: AtomicU64,
}

/// App, country and provider of an event; empty if it has none.
pub(crate) type OwnedLabels = [String; 3];

/// A clock that the test sets.
#[derive(Clone)]
pub(crate) struct TestClock(Arc<AtomicU64>);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A queue that only records pointers.
#[derive(Default)]
pub(crate) struct TestQueue {
    pub(crate) waiting: Mutex<VecDeque<(DeliveryPointer, Duration)>>,
    pub(crate) broken: AtomicBool,
}

/// A signer whose "signature" is the digest, so that tests can see what was signed.
#[derive(Default)]
pub(crate) struct TestSigner {
    pub(crate) generation: AtomicU64,
    pub(crate) signed: AtomicU64,
    pub(crate) broken: AtomicBool,
}

/// A receiver that returns the prepared answers, then 204.
#[derive(Default)]
pub(crate) struct TestReceiver {
    pub(crate) answers: Mutex<VecDeque<SendOutcome>>,
    pub(crate) arrived: Mutex<Vec<WebhookRequest>>,
}

/// Pages that record their notifications, unless their connection is broken.
#[derive(Default)]
pub(crate) struct TestPages {
    pub(crate) told: Mutex<Vec<WatcherId>>,
    pub(crate) broken: AtomicBool,
}

#[async_trait]
impl Push for TestPages {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(Unavailable::new("push", "broken"));
        }
        self.told.lock().unwrap().push(watcher.clone());
        Ok(NotifyOutcome::Sent)
    }
}

impl World {
    /// Stores the app with changed settings.
    pub(crate) fn set_app(&self, app: &App) {
        let decide = |_| Ok::<_, Infallible>(app.clone());
        now_or_never(self.store.change_app(&app.id, decide)).unwrap();
    }

    pub(crate) fn new() -> Self {
        let items = Arc::<FailingItems>::default();
        let now = TestClock(Arc::new(AtomicU64::new(1_767_323_045_678)));
        let store = Store::new(items.clone(), Arc::new(now.clone()));
        let mut app = samples::app("demo");
        app.default_callback = None;
        now_or_never(store.create_app(app.clone())).unwrap();
        Self {
            items,
            store,
            app,
            api_key: PresentedApiKey::generate(&Zeros),
            now,
            queue: TestQueue::default(),
            signer: TestSigner::default(),
            receiver: TestReceiver::default(),
            carriers: TestLookup::default(),
            receivers: SlowReceivers::default(),
            pages: TestPages::default(),
            counted: Mutex::default(),
            drawn: AtomicU64::new(1),
        }
    }

    pub(crate) fn pass(&self, time: Duration) {
        now_or_never(self.passing(time));
    }

    /// Returns a future during which time passes.
    pub(crate) fn passing(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        let now = self.now.clone();
        let millis = u64::try_from(time.as_millis()).unwrap();
        async move {
            now.0.fetch_add(millis, Ordering::SeqCst);
        }
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.counted
            .lock()
            .unwrap()
            .iter()
            .filter(|(counted, _)| *counted == name)
            .count()
    }

    /// Returns the labels of each occurrence of an event.
    pub(crate) fn labels(&self, name: &str) -> Vec<OwnedLabels> {
        let counted = self.counted.lock().unwrap();
        let named = counted.iter().filter(|(counted, _)| *counted == name);
        named.map(|(_, labels)| labels.clone()).collect()
    }

    pub(crate) fn url(text: &str) -> CallbackUrl {
        CallbackUrl::parse(text, &CallbackPolicy::deployed()).unwrap()
    }

    /// Returns a request for an acquisition.
    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            app: &self.app,
            mode: KeyMode::Live,
            phone_number: None,
            country: None,
            language: None,
            callback: Some(Self::url("https://shop.example/hook")),
            metadata: CanonicalObject::empty(),
            client_channel: false,
            idempotency: None,
            allowance: Allowance::Unlimited,
        }
    }

    /// Returns the same request with an `Idempotency-Key`.
    pub(crate) fn idempotent(&self, key: &str, body: &[u8]) -> Request<'_> {
        let idempotency = Some(IdempotentRequest {
            api_key: &self.api_key,
            key: key.parse::<IdempotencyKey>().unwrap(),
            hash: RequestHash::new("/acquire-phone-number", body),
        });
        Request {
            idempotency,
            ..self.request()
        }
    }

    pub(crate) fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &self.queue,
            clock: self,
            entropy: self,
            metrics: self,
        }
    }

    pub(crate) fn start(&self, request: Request<'_>) -> Result<Started, StartError> {
        now_or_never(start::start(self.ports(), Times::default(), request))
    }

    /// Receives a text to the app's number.
    pub(crate) fn text(&self, id: &str, from: &str, text: &str) -> receive_text::TextOutcome {
        let to = self
            .app
            .senders
            .choose(None, &ConfirmationId::from_bytes([0; 16]))
            .number()
            .to_string();
        self.text_to(id, from, &to, text).unwrap()
    }

    pub(crate) fn text_to(
        &self,
        id: &str,
        from: &str,
        to: &str,
        text: &str,
    ) -> Result<receive_text::TextOutcome, Unavailable> {
        self.text_through(Channel::Sms, id, [from, to], text)
    }

    pub(crate) fn text_through(
        &self,
        channel: Channel,
        id: &str,
        [from, to]: [&str; 2],
        text: &str,
    ) -> Result<receive_text::TextOutcome, Unavailable> {
        let message = InboundMessage {
            provider: "generic",
            channel,
            message_id: id.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            text: text.to_owned(),
            carrier: None,
        };
        let (received, sender) = now_or_never(receive_text::receive_text(
            self.ports(),
            Some(&self.pages),
            Times::default(),
            &message,
        ))?;
        assert_eq!(sender, message.sender().ok());
        Ok(received)
    }

    /// Starts a confirmation, completes it by a text and returns its id.
    pub(crate) fn verified(&self) -> ConfirmationId {
        let started = self.start(self.request()).unwrap();
        self.text("text-1", "+12025550100", &started.message);
        started.confirmation.id
    }

    pub(crate) fn deliver(
        &self,
        pointer: DeliveryPointer,
    ) -> Result<deliver::Outcome, Unavailable> {
        let ports = Ports {
            entropy: &Zeros,
            ..self.ports()
        };
        let sending = deliver::DeliveryPorts {
            signer: &self.signer,
            secrets: &samples::MASTER_SECRET,
            sender: &self.receiver,
            carriers: self
                .carriers
                .is_on()
                .then_some(&self.carriers as &dyn CarrierLookup),
            push: Some(&self.pages),
            receivers: Some(&self.receivers),
        };
        now_or_never(deliver::deliver(ports, sending, Times::default(), pointer))
    }

    pub(crate) fn sweep(&self) -> Result<usize, Unavailable> {
        let swept = self.sweep_on(&mut SweepCursors::default(), 1000);
        swept.failure.map_or(Ok(swept.found), Err)
    }

    /// Sweeps from these positions.
    pub(crate) fn sweep_on(&self, places: &mut SweepCursors, deliveries: usize) -> SweepReport {
        let limit = SweepLimit {
            deliveries,
            until: self.now(),
        };
        now_or_never(sweep::sweep(self.ports(), &*self.items, places, limit))
    }

    pub(crate) fn send_test(
        &self,
        app: &App,
        url: Option<CallbackUrl>,
    ) -> Result<test_webhook::TestSent, test_webhook::TestWebhookError> {
        let ports = test_webhook::TestPorts {
            signer: &self.signer,
            secrets: &samples::MASTER_SECRET,
            sender: &self.receiver,
            clock: self,
            entropy: self,
        };
        now_or_never(test_webhook::send(ports, app, url))
    }

    pub(crate) fn find(&self, id: ConfirmationId) -> Confirmation {
        now_or_never(self.store.find(id, self.now()))
            .unwrap()
            .expect("the confirmation exists")
    }

    pub(crate) fn login(&self, id: LoginId) -> Login {
        now_or_never(self.store.find(id, self.now()))
            .unwrap()
            .expect("the login exists")
    }

    /// Returns every confirmation.
    pub(crate) fn confirmations(&self) -> Vec<Confirmation> {
        self.items.items.every()
    }

    /// Returns the next pointer in the queue and lets its delay pass.
    pub(crate) fn next_pointer(&self) -> Option<DeliveryPointer> {
        let (pointer, delay) = self.queue.waiting.lock().unwrap().pop_front()?;
        self.pass(delay);
        Some(pointer)
    }
}

pub(crate) fn number(text: &str) -> PhoneNumber {
    PhoneNumber::parse_international(text).unwrap()
}

impl Clock for World {
    fn now(&self) -> Timestamp {
        self.now.now()
    }
}

/// Yields different bytes on each call, but the same in each test run.
impl Entropy for World {
    fn fill(&self, buffer: &mut [u8]) {
        let drawn = self.drawn.fetch_add(1, Ordering::SeqCst).to_be_bytes();
        buffer.fill(0x5a);
        for (byte, drawn) in buffer.iter_mut().zip(drawn.iter().rev()) {
            *byte ^= drawn;
        }
    }
}

/// Entropy that is always zero, which means no jitter.
pub(crate) struct Zeros;

impl Entropy for Zeros {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }
}

impl Metrics for World {
    fn count(&self, event: &Event, labels: Labels<'_>) {
        let owned = [
            labels.app.map(ToString::to_string),
            labels.country.map(|country| country.to_string()),
            labels.provider.map(str::to_owned),
        ];
        let counted = (event.name(), owned.map(Option::unwrap_or_default));
        self.counted.lock().unwrap().push(counted);
    }
}

#[async_trait]
impl DeliveryQueue for TestQueue {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(Unavailable::new("queue", "broken"));
        }
        self.waiting.lock().unwrap().push_back((pointer, delay));
        Ok(Enqueued::Waiting)
    }
}

impl TestSigner {
    fn key(&self) -> PublicKey {
        let mut der = vec![
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
            0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ];
        der.extend([u8::try_from(self.generation.load(Ordering::SeqCst)).unwrap(); 64]);
        PublicKey::from_spki_der(&der).unwrap()
    }
}

#[async_trait]
impl Signer for TestSigner {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(Unavailable::new("signer", "broken"));
        }
        self.signed.fetch_add(1, Ordering::SeqCst);
        Ok(Signature {
            der: digest.to_vec(),
            key_id: self.key().key_id(),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(vec![self.key()])
    }
}

#[async_trait]
impl WebhookSender for TestReceiver {
    async fn send(&self, _: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        self.arrived.lock().unwrap().push(request.clone());
        let told = self.answers.lock().unwrap().pop_front();
        told.unwrap_or(SendOutcome::Answered {
            status: 204,
            retry_after: None,
            beginning: String::new(),
        })
    }
}

impl TestReceiver {
    /// Prepares the next answers.
    pub(crate) fn will_answer(&self, answers: impl IntoIterator<Item = SendOutcome>) {
        self.answers.lock().unwrap().extend(answers);
    }

    pub(crate) fn arrived(&self) -> Vec<WebhookRequest> {
        self.arrived.lock().unwrap().clone()
    }
}

/// Returns an answer with this status.
pub(crate) fn status(status: u16) -> SendOutcome {
    SendOutcome::Answered {
        status,
        retry_after: None,
        beginning: String::new(),
    }
}
