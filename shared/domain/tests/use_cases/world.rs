//! The ports of the use cases, controlled by the tests.

mod lookup;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::failing::FailingItems;
pub(crate) use countersign_conformance::ports::status;
use countersign_conformance::ports::{
    CountedEntropy, DigestSigner, FixedEntropy, KeptMetrics, KeptPush, KeptQueue, PreparedReceiver,
    SetClock,
};
use countersign_conformance::samples;
use countersign_domain::app::App;
use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::carrier::CarrierLookup;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::receivers::SlowReceivers;
use countersign_domain::login::Login;
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::{IdempotencyKey, RequestHash};
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::{Clock as _, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
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
    pub(crate) clock: Arc<SetClock>,
    pub(crate) queue: KeptQueue,
    pub(crate) signer: DigestSigner,
    pub(crate) receiver: PreparedReceiver,
    pub(crate) carriers: TestLookup,
    pub(crate) receivers: SlowReceivers,
    pub(crate) pages: KeptPush,
    pub(crate) metrics: KeptMetrics,
    pub(crate) entropy: CountedEntropy,
}

impl World {
    /// Stores the app with changed settings.
    pub(crate) fn set_app(&self, app: &App) {
        let decide = |_| Ok::<_, Infallible>(app.clone());
        now_or_never(self.store.change_app(&app.id, decide)).unwrap();
    }

    pub(crate) fn new() -> Self {
        let items = Arc::<FailingItems>::default();
        let clock = Arc::<SetClock>::default();
        let store = Store::new(items.clone(), clock.clone());
        let mut app = samples::app("demo");
        app.default_callback = None;
        now_or_never(store.create_app(app.clone())).unwrap();
        Self {
            items,
            store,
            app,
            api_key: PresentedApiKey::generate(&FixedEntropy(0)),
            clock,
            queue: KeptQueue::default(),
            signer: DigestSigner::default(),
            receiver: PreparedReceiver::default(),
            carriers: TestLookup::default(),
            receivers: SlowReceivers::default(),
            pages: KeptPush::default(),
            metrics: KeptMetrics::default(),
            entropy: CountedEntropy::default(),
        }
    }

    pub(crate) fn pass(&self, time: Duration) {
        now_or_never(self.passing(time));
    }

    /// Returns a future during which time passes.
    pub(crate) fn passing(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        let clock = self.clock.clone();
        async move { clock.advance(time) }
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.metrics.labels(name).len()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
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
            clock: &*self.clock,
            entropy: &self.entropy,
            metrics: &self.metrics,
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
            entropy: &FixedEntropy(0),
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
            clock: &*self.clock,
            entropy: &self.entropy,
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
