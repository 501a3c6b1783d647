//! How every function starts, and what happens around each of its invocations.

#[cfg(test)]
mod tests;

use std::env;
use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use countersign_api::viewer::ViewerPolicy;
use countersign_api::{ApiParts, Causes, Logins, RateLimits};
use countersign_domain::login::sighting::NoGeoIp;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::storage::ManagedStorage;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::Times;
use countersign_inbound::InboundSecrets;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use countersign_webhook::client::WebhookClient;
use lambda_runtime::{Diagnostic, LambdaEvent, Runtime, service_fn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::absent::Absent;
use crate::browser_socket::BrowserSocket;
use crate::configuration::{
    Configuration, Endpoint, KeyArn, QueueUrl, SecretSource, SocketUrl, TopicArn,
};
use crate::connections::Connections;
use crate::dispatcher::Dispatcher;
use crate::http_event::HttpHandler;
use crate::inbound_sns::InboundSns;
use crate::logs;
use crate::metrics::EmbeddedMetrics;
use crate::push::SocketPush;
use crate::queue::SqsQueue;
use crate::secrets;
use crate::services::Services;
use crate::settings::Settings;
use crate::signer::KmsSigner;
use crate::store::DynamoStore;

/// The longest that a start may take. Lambda ends one that takes ten seconds, and does not say why.
const START_TIMEOUT: Duration = Duration::from_secs(8);

/// Answers one kind of event.
#[allow(async_fn_in_trait, reason = "functions run on one thread")]
pub trait Handler {
    /// What comes in.
    type Event: DeserializeOwned;
    /// What goes out.
    type Answer: Serialize;
    /// Why there is no answer: Lambda counts it as the function's error.
    type Error: Error;

    /// Answers an event. `invocation` is Lambda's id for it.
    async fn handle(
        &self,
        event: Self::Event,
        invocation: &str,
    ) -> Result<Self::Answer, Self::Error>;
}

/// What every function has from the start.
#[derive(Clone, Debug)]
pub struct Start {
    /// Makes clients.
    pub services: Services,
    /// What is counted.
    pub metrics: Arc<EmbeddedMetrics>,
    /// What is being connected to.
    pub connections: Connections,
}

/// Runs a function: reads its settings, wires it up, and answers events until Lambda ends it.
pub fn run<S, H>(wire: impl AsyncFnOnce(Start, S) -> Result<H, Unavailable>) -> ExitCode
where
    S: Settings,
    H: Handler,
{
    logs::begin(env::var("AWS_LAMBDA_LOG_LEVEL").ok().as_deref());
    // One thread: a function answers one event at a time, and more threads cost time to start.
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let variable = |name: &str| env::var(name).ok();
    let mut configuration = Configuration::new(&variable);
    let services = Services::read(&mut configuration);
    let (deployment, function) = (configuration.deployment(), configuration.function());
    let metrics = deployment.zip(function);
    let settings = S::read(&mut configuration);
    let read = services.zip(metrics).zip(settings);
    let ((services, (deployment, function)), settings) = match configuration.finish(read) {
        Ok(read) => read,
        Err(error) => return failed(&error),
    };
    let metrics = Arc::new(EmbeddedMetrics::new(deployment, function));
    let start = Start {
        services,
        metrics: Arc::clone(&metrics),
        connections: Connections::default(),
    };
    runtime.block_on(async {
        let handler = match begin(start, settings, wire).await {
            Ok(handler) => handler,
            Err(error) => return failed(&Causes(&error)),
        };
        match serve(&handler, &metrics).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error),
        }
    })
}

/// Wires a function up, and waits for its connections, within [`START_TIMEOUT`].
async fn begin<S, H>(
    start: Start,
    settings: S,
    wire: impl AsyncFnOnce(Start, S) -> Result<H, Unavailable>,
) -> Result<H, Unavailable> {
    let connections = start.connections.clone();
    let starting = async {
        let handler = wire(start, settings).await?;
        connections.made().await?;
        Ok(handler)
    };
    timeout(START_TIMEOUT, starting)
        .await
        .map_err(|elapsed| Unavailable::new("start", elapsed))?
}

async fn serve<H: Handler>(
    handler: &H,
    metrics: &EmbeddedMetrics,
) -> Result<(), lambda_runtime::Error> {
    let service = service_fn(async |event: LambdaEvent<H::Event>| {
        let invocation = event.context.request_id;
        let answer = handler.handle(event.payload, &invocation).await;
        metrics.flush(SystemClock.now());
        answer.map_err(|error| {
            let cause = Causes(&error);
            tracing::error!(invocation, %cause, "failed");
            Diagnostic {
                error_type: "Failed".to_owned(),
                error_message: error.to_string(),
            }
        })
    });
    Runtime::new(service).run().await
}

impl Start {
    /// The store. No request can do without it.
    #[must_use]
    pub fn store(&self, table: String) -> Arc<DynamoStore> {
        let store = Arc::new(DynamoStore::new(self.services.dynamodb(), table));
        let connecting = Arc::clone(&store);
        self.connections
            .require(async move { connecting.connect().await });
        store
    }

    /// Both queues. What cannot be enqueued, the sweep finds.
    #[must_use]
    pub fn queues(&self, first_attempts: QueueUrl, retries: QueueUrl) -> Arc<SqsQueue> {
        self.queue(SqsQueue::new(self.services.sqs(), first_attempts, retries))
    }

    /// The queue of first attempts. What cannot be enqueued, the sweep finds.
    #[must_use]
    pub fn first_attempts(&self, queue: QueueUrl) -> Arc<SqsQueue> {
        self.queue(SqsQueue::first_attempts(self.services.sqs(), queue))
    }

    fn queue(&self, queue: SqsQueue) -> Arc<SqsQueue> {
        let queue = Arc::new(queue);
        let connecting = Arc::clone(&queue);
        let connect = async move { connecting.connect().await };
        self.connections.attempt("delivery queue: connect", connect);
        queue
    }

    /// The signer. What cannot be signed, is signed at the next attempt; what need not be, is
    /// answered.
    #[must_use]
    pub fn signer(&self, signing: KeyArn, published: Vec<KeyArn>) -> Arc<KmsSigner> {
        let signer = Arc::new(KmsSigner::new(self.services.kms(), signing, published));
        let connecting = Arc::clone(&signer);
        let connect = async move { connecting.connect().await };
        self.connections.attempt("signer: connect", connect);
        signer
    }

    /// What stands behind the API's routes, where they use neither queue, signer, providers'
    /// secrets nor logins. A function that does puts its own in their place.
    #[must_use]
    pub fn api(&self, store: &Arc<DynamoStore>, times: Times) -> ApiParts {
        ApiParts {
            confirmations: store.clone(),
            apps: store.clone(),
            storage: Arc::new(ManagedStorage),
            queue: Arc::new(Absent),
            signer: Arc::new(Absent),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(OsEntropy),
            metrics: self.metrics.clone(),
            times,
            callback_policy: self.services.callback_policy(),
            inbound: InboundSecrets::default(),
            logins: None,
            rate_limits: RateLimits::Enforced,
        }
    }

    /// The same for routes of logins, which are open and kept as long as the domain says.
    #[must_use]
    pub fn login_api(&self, store: &Arc<DynamoStore>) -> ApiParts {
        self.api(store, Times::default())
    }

    /// Answers HTTP requests with these routes.
    #[must_use]
    pub fn http(&self, router: Router) -> HttpHandler {
        HttpHandler::new(router, Arc::clone(&self.metrics))
    }

    /// The providers' secrets.
    pub async fn inbound_secrets(
        &self,
        source: &SecretSource,
    ) -> Result<InboundSecrets, Unavailable> {
        secrets::inbound(&self.services, source).await
    }

    /// What pokes watching browsers. Logins work without it: browsers ask by themselves.
    #[must_use]
    pub fn push(&self, endpoint: &Endpoint) -> Arc<SocketPush> {
        let push = Arc::new(self.services.sockets(endpoint));
        let connecting = Arc::clone(&push);
        let connect = async move { connecting.connect().await };
        self.connections.attempt("push: connect", connect);
        push
    }

    /// Who is believed on where a request came from: CloudFront, where it has a secret.
    pub async fn viewers(
        &self,
        secret: Option<&SecretSource>,
    ) -> Result<ViewerPolicy, Unavailable> {
        let origin_secret = match secret {
            Some(source) => Some(secrets::origin(&self.services, source).await?),
            None => None,
        };
        Ok(ViewerPolicy {
            origin_secret,
            trusted_proxies: Vec::new(),
        })
    }

    /// What logins need besides. Places come with the request, or not at all.
    #[must_use]
    pub fn logins(
        &self,
        store: &Arc<DynamoStore>,
        push: Arc<SocketPush>,
        socket_url: &SocketUrl,
        viewers: ViewerPolicy,
    ) -> Logins {
        Logins {
            socket_url: socket_url.as_str().to_owned(),
            viewers,
            ..watched(store, push)
        }
    }

    /// Has browsers told of changes over the WebSocket API.
    #[must_use]
    pub fn browser_socket(&self, store: &Arc<DynamoStore>, push: Arc<SocketPush>) -> BrowserSocket {
        let api = ApiParts {
            logins: Some(watched(store, push.clone())),
            ..self.login_api(store)
        };
        BrowserSocket {
            api: api.into(),
            push,
            metrics: Arc::clone(&self.metrics),
        }
    }

    /// Takes texts from the topic.
    #[must_use]
    pub fn inbound_sns(
        &self,
        store: Arc<DynamoStore>,
        queue: Arc<SqsQueue>,
        times: Times,
        topic: TopicArn,
    ) -> InboundSns {
        InboundSns {
            confirmations: store.clone(),
            apps: store,
            queue,
            clock: Arc::new(SystemClock),
            metrics: Arc::clone(&self.metrics),
            times,
            topic,
        }
    }

    /// Makes attempts to deliver, and sweeps.
    pub fn dispatcher(
        &self,
        store: Arc<DynamoStore>,
        queue: Arc<SqsQueue>,
        signer: Arc<KmsSigner>,
        times: Times,
    ) -> Result<Dispatcher, Unavailable> {
        let sender = WebhookClient::new(self.services.callback_policy(), Arc::new(SystemClock))
            .map_err(|error| Unavailable::new("webhook client", error))?;
        Ok(Dispatcher {
            deliveries: store,
            queue,
            signer,
            sender: Arc::new(sender),
            clock: Arc::new(SystemClock),
            entropy: self.entropy(),
            metrics: Arc::clone(&self.metrics),
            times,
        })
    }

    /// The operating system's chance.
    #[must_use]
    pub fn entropy(&self) -> Arc<dyn Entropy> {
        Arc::new(OsEntropy)
    }

    /// Reads the tables of phone numbers now, while nobody waits.
    pub fn knows_phone_numbers(&self) {
        PhoneNumber::warm_up();
    }
}

/// What watching a session needs, and nobody being asked for where the socket is or who calls.
fn watched(store: &Arc<DynamoStore>, push: Arc<SocketPush>) -> Logins {
    Logins {
        sessions: store.clone(),
        history: store.clone(),
        push,
        geo: Arc::new(NoGeoIp),
        socket_url: String::new(),
        viewers: ViewerPolicy::default(),
    }
}

fn failed(cause: &dyn Display) -> ExitCode {
    tracing::error!(%cause, "cannot start");
    ExitCode::FAILURE
}
