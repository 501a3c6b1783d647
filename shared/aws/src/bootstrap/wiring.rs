//! The building blocks from which functions are wired.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use countersign_api::viewer::ViewerPolicy;
use countersign_api::{
    ApiParts, Causes, ClientChannel, InboundParts, Logins, OpenIdParts, RateLimits,
};
use countersign_carrier::{BoundedLookup, DEFAULT_MAX_PER_DAY};
use countersign_domain::confirmation::carrier::CarrierLookup;
use countersign_domain::delivery::due::DueIndex;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::receivers::SlowReceivers;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::login::sighting::NoGeoIp;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::push::Push;
use countersign_domain::primitives::storage::ManagedStorage;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_inbound::Providers;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use countersign_webhook::client::{Limits, WebhookClient};
use countersign_webhook::resolver::SystemLookup;
use countersign_webhook::sns::SnsClient;
use lambda_http::LambdaEvent;
use lambda_runtime::Diagnostic;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tower::Service;

use super::connections::Connections;
use super::unused::UnusedPort;
use crate::carrier::LazyLookup;
use crate::config::{
    CarrierLookupSource, Count, Endpoint, KeyArn, PublicUrl, QueueUrl, SecretName, SocketUrl,
    TableName, TopicArn, WrappedKey,
};
use crate::handlers::{self, BrowserSocket, Dispatcher, InboundSns, OriginCheck, Sweeper};
use crate::key_uses::KeyUseRecorder;
use crate::metrics::EmbeddedMetrics;
use crate::providers::{LiveProviders, ProviderParts};
use crate::push::SocketPush;
use crate::queues::SqsQueue;
use crate::secrets;
use crate::services::Services;
use crate::signer::{KmsSigner, LocalKeys, LocalSigner};
use crate::store::{DueShards, DynamoItems};
use crate::webhook_secrets::LiveMasterSecrets;

/// Time limit for a request to SNS. Shorter than the function's timeout, so that SNS gets an answer
/// that makes it retry.
const SNS_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for connecting to the store after apps could not be listed, so that the startup error
/// names the store if it hangs.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Everything needed to send webhooks.
pub struct DispatcherPorts {
    pub signer: Arc<dyn Signer>,
    /// The secrets from which the apps' webhook secrets are derived.
    pub secrets: LiveMasterSecrets,
    pub sender: WebhookClient,
    /// Looks up carriers that the provider did not report.
    pub carriers: Option<Arc<dyn CarrierLookup>>,
    /// Notifies pages that wait for a verification.
    pub push: Arc<SocketPush>,
}

/// The startup of a function: creates the ports and handlers that its `main` asks for.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    pub(super) times: Times,
    pub(super) due_shards: DueShards,
    pub(super) services: Services,
    pub(super) metrics: Arc<EmbeddedMetrics>,
    pub(super) connections: Connections,
    pub(super) key_uses: KeyUseRecorder,
}

impl Bootstrap {
    /// Creates the store and connects to it, since every request needs it.
    #[must_use]
    pub fn store(&self, table: TableName) -> Arc<Store> {
        self.store_and_due_index(table).0
    }

    /// Creates the store, as [`store`](Self::store) does, and the index of its pending webhooks.
    #[must_use]
    pub fn store_and_due_index(&self, table: TableName) -> (Arc<Store>, Arc<dyn DueIndex>) {
        let (items, store) = self.new_store(table);
        let index = Arc::clone(&items);
        self.connections
            .require(async move { items.connect().await });
        (store, index)
    }

    /// Creates the store for a function that authenticates API keys, and connects by reading the first
    /// apps, so that the first request of each of them needs no read for its key.
    #[must_use]
    pub fn store_with_apps(&self, table: TableName) -> Arc<Store> {
        let (items, store) = self.new_store(table);
        self.key_uses.watch(&store);
        let reading = Arc::clone(&store);
        self.connections.require(async move {
            let Err(cause) = reading.read_first_apps().await else {
                return Ok(());
            };
            // For example, because the IAM permission to list apps is missing; apps are then looked
            // up.
            tracing::warn!(cause = %Causes(&cause), "started without a list of apps");
            let connected = timeout(CONNECT_TIMEOUT, items.connect()).await;
            connected.map_err(|elapsed| Unavailable::new("store: connect", elapsed))?
        });
        store
    }

    fn new_store(&self, table: TableName) -> (Arc<DynamoItems>, Arc<Store>) {
        let items = Arc::new(DynamoItems::new(
            self.services.dynamodb(),
            table,
            self.due_shards,
        ));
        let store = Store::new(items.clone(), Arc::new(SystemClock));
        (items, Arc::new(store))
    }

    /// Creates a client of both queues, and connects if possible: the sweep finds deliveries that
    /// were not enqueued.
    #[must_use]
    pub fn queues(&self, first_attempts: QueueUrl, retries: QueueUrl) -> Arc<SqsQueue> {
        self.queue(SqsQueue::new(self.services.sqs(), first_attempts, retries))
    }

    /// Creates a client of the queue for first attempts, and connects if possible.
    #[must_use]
    pub fn first_attempts(&self, queue: QueueUrl) -> Arc<SqsQueue> {
        self.queue(SqsQueue::first_attempts(self.services.sqs(), queue))
    }

    /// Creates a client of the queue for first attempts for a function that rarely needs it.
    #[must_use]
    pub fn unconnected_queue(&self, queue: QueueUrl) -> Arc<SqsQueue> {
        Arc::new(SqsQueue::first_attempts(self.services.sqs(), queue))
    }

    fn queue(&self, queue: SqsQueue) -> Arc<SqsQueue> {
        let connect = |queue: Arc<SqsQueue>| async move { queue.connect().await };
        self.attempt("delivery queue: connect", queue, connect)
    }

    /// Shares a port that the first request does not need, and connects it if possible.
    fn attempt<P, C>(
        &self,
        what: &'static str,
        port: P,
        connect: impl FnOnce(Arc<P>) -> C,
    ) -> Arc<P>
    where
        C: Future<Output = Result<(), Unavailable>> + Send + 'static,
    {
        let port = Arc::new(port);
        self.connections.attempt(what, connect(Arc::clone(&port)));
        port
    }

    /// Creates the signer, and connects if possible: an attempt without a signature is retried. If there
    /// is a key with its wrapper, it signs in this process; otherwise KMS signs.
    #[must_use]
    pub fn signer(&self, in_kms: KeyArn, local: Option<(WrappedKey, KeyArn)>) -> Arc<dyn Signer> {
        let Some((encrypted, wrapper)) = local else {
            return self.published_keys(in_kms, Vec::new(), LocalKeys::default());
        };
        let deployment = self.metrics.deployment().to_owned();
        let signer = LocalSigner::new(self.services.kms(), encrypted, wrapper, deployment);
        let connect = |signer: Arc<LocalSigner>| async move { signer.connect().await };
        self.attempt("signer: connect", signer, connect)
    }

    /// Reads the secret from which the webhook secrets of apps are derived.
    ///
    /// # Errors
    /// Fails if the secret cannot be read, or is malformed.
    pub async fn webhook_secrets(
        &self,
        secret: SecretName,
    ) -> Result<LiveMasterSecrets, Unavailable> {
        LiveMasterSecrets::read(self.services.clone(), secret, Arc::new(SystemClock)).await
    }

    /// Creates the signer whose keys are published, and connects if possible.
    #[must_use]
    pub fn published_keys(
        &self,
        signing: KeyArn,
        published: Vec<KeyArn>,
        local: LocalKeys,
    ) -> Arc<dyn Signer> {
        let signer = KmsSigner::new(self.services.kms(), signing, published).with_local(local);
        let connect = |signer: Arc<KmsSigner>| async move { signer.connect().await };
        self.attempt("signer: connect", signer, connect)
    }

    /// Creates the ports of routes that use neither queue, signer, providers' secrets nor logins. A
    /// function that uses one of them replaces that port.
    #[must_use]
    pub fn api(&self, store: &Arc<Store>) -> ApiParts {
        ApiParts {
            store: store.clone(),
            storage: Arc::new(ManagedStorage),
            queue: Arc::new(UnusedPort),
            signer: Arc::new(UnusedPort),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(OsEntropy),
            metrics: self.metrics.clone(),
            times: self.times,
            callback_policy: self.services.callback_policy(),
            inbound: InboundParts::fixed(Providers::default()),
            client_channel: None,
            logins: None,
            openid: None,
            rate_limits: RateLimits::Enforced,
        }
    }

    /// Creates the ports of routes that start confirmations.
    #[must_use]
    pub fn confirmation_api(
        &self,
        store: &Arc<Store>,
        public_url: &PublicUrl,
        socket_url: &SocketUrl,
    ) -> ApiParts {
        ApiParts {
            client_channel: Some(ClientChannel {
                service_url: public_url.to_string(),
                socket_url: socket_url.to_string(),
            }),
            ..self.api(store)
        }
    }

    /// Creates the parts of the `OpenID` provider, and connects its signer if possible.
    ///
    /// # Errors
    /// Fails if the provider's secret cannot be read, or is malformed.
    pub async fn openid(
        &self,
        issuer: &PublicUrl,
        signing: KeyArn,
        published: Vec<KeyArn>,
        secret: &SecretName,
    ) -> Result<OpenIdParts, Unavailable> {
        Ok(OpenIdParts {
            issuer: issuer.to_string(),
            signer: self.published_keys(signing, published, LocalKeys::default()),
            secret: Arc::new(secrets::openid(&self.services, secret).await?),
        })
    }

    /// Creates the ports of the routes of the `OpenID` provider. They open logins and read them, and notify no browser.
    #[must_use]
    pub fn openid_api(
        &self,
        store: &Arc<Store>,
        openid: OpenIdParts,
        socket_url: &SocketUrl,
        viewers: ViewerPolicy,
    ) -> ApiParts {
        ApiParts {
            client_channel: Some(ClientChannel {
                service_url: openid.issuer.clone(),
                socket_url: socket_url.to_string(),
            }),
            logins: Some(Logins {
                socket_url: socket_url.to_string(),
                viewers,
                ..watched(Arc::new(UnusedPort))
            }),
            openid: Some(openid),
            ..self.api(store)
        }
    }

    /// Creates the ports of routes for association keys and phone registrations. They notify no browser.
    #[must_use]
    pub fn association_key_api(
        &self,
        store: &Arc<Store>,
        queue: Arc<SqsQueue>,
        viewers: ViewerPolicy,
    ) -> ApiParts {
        ApiParts {
            queue,
            logins: Some(Logins {
                viewers,
                ..watched(Arc::new(UnusedPort))
            }),
            ..self.api(store)
        }
    }

    /// Creates the service that answers HTTP requests with these routes.
    #[must_use]
    pub fn http(
        &self,
        router: Router,
    ) -> impl Service<
        LambdaEvent<Box<RawValue>>,
        Response = impl Serialize + use<>,
        Error = Diagnostic,
    > + use<> {
        handlers::http(router, Arc::clone(&self.metrics))
    }

    /// Creates the ports of the route for texts, and reads the settings of SMS providers.
    ///
    /// # Errors
    /// Fails if the settings cannot be read or are malformed, or the HTTP client cannot be built.
    pub async fn inbound(
        &self,
        secret: SecretName,
        public_url: PublicUrl,
    ) -> Result<InboundParts, Unavailable> {
        let sns = Arc::new(self.sns()?);
        let (services, secret) = (self.services.clone(), Arc::new(secret));
        let providers = LiveProviders::read(ProviderParts {
            read: Box::new(move || {
                let (services, secret) = (services.clone(), Arc::clone(&secret));
                Box::pin(async move { secrets::providers(&services, &secret).await })
            }),
            public_url,
            certificates: sns.clone(),
            clock: Arc::new(SystemClock),
            metrics: Arc::clone(&self.metrics),
        });
        Ok(InboundParts {
            providers: Arc::new(providers.await?),
            confirm_subscription: Some(Arc::new(move |url| {
                let sns = Arc::clone(&sns);
                Box::pin(async move { sns.confirm_subscription(&url).await })
            })),
            pages: None,
            // The memory of a function is no place to ask: the logs have the calls.
            calls: None,
        })
    }

    /// Creates the client for requests to SNS. A function outside a VPC can reach every public
    /// address.
    fn sns(&self) -> Result<SnsClient, Unavailable> {
        let limits = Limits {
            total: SNS_TIMEOUT,
            ..Limits::default()
        };
        let lookup = Arc::new(SystemLookup::new());
        let policy = self.services.callback_policy();
        let client = WebhookClient::with(policy, Arc::new(SystemClock), limits, lookup);
        let client = client.map_err(|error| Unavailable::new("client for SNS", error))?;
        Ok(SnsClient(client))
    }

    /// Creates the port that notifies browsers, and connects if possible: browsers poll without it.
    #[must_use]
    pub fn push(&self, endpoint: &Endpoint) -> Arc<SocketPush> {
        let push = Arc::new(self.services.sockets(endpoint));
        let connecting = Arc::clone(&push);
        let connect = async move { connecting.connect().await };
        self.connections.attempt("push: connect", connect);
        push
    }

    /// Creates the authorizer that refuses requests that did not come through CloudFront.
    ///
    /// # Errors
    /// Fails if the secret cannot be read, or is malformed.
    pub async fn origin_check(&self, secret: &SecretName) -> Result<OriginCheck, Unavailable> {
        secrets::origin(&self.services, secret)
            .await
            .map(OriginCheck)
    }

    /// Creates the policy that decides which headers are trusted for a caller's address:
    /// CloudFront's, if there is an origin secret.
    ///
    /// # Errors
    /// Fails if the secret cannot be read, or is malformed.
    pub async fn viewers(&self, secret: Option<&SecretName>) -> Result<ViewerPolicy, Unavailable> {
        let origin_secret = match secret {
            Some(secret) => Some(secrets::origin(&self.services, secret).await?),
            None => None,
        };
        Ok(ViewerPolicy {
            origin_secret,
            trusted_proxies: Vec::new(),
        })
    }

    /// Creates the ports of logins. A caller's place comes from CloudFront's headers, and is unknown
    /// without them.
    #[must_use]
    pub fn logins(
        &self,
        push: Arc<SocketPush>,
        socket_url: &SocketUrl,
        viewers: ViewerPolicy,
    ) -> Logins {
        Logins {
            socket_url: socket_url.to_string(),
            viewers,
            ..watched(push)
        }
    }

    /// Creates the handler that subscribes browsers to changes over the WebSocket API.
    #[must_use]
    pub fn browser_socket(&self, store: &Arc<Store>, push: Arc<SocketPush>) -> BrowserSocket {
        let api = ApiParts {
            logins: Some(watched(push.clone())),
            ..self.api(store)
        };
        BrowserSocket {
            api: api.into(),
            push,
            metrics: Arc::clone(&self.metrics),
        }
    }

    /// Creates the handler of texts from the topic.
    #[must_use]
    pub fn inbound_sns(
        &self,
        store: Arc<Store>,
        queue: Arc<SqsQueue>,
        topic: TopicArn,
    ) -> InboundSns {
        InboundSns {
            store,
            pages: queue.clone(),
            queue,
            clock: Arc::new(SystemClock),
            entropy: self.entropy(),
            metrics: Arc::clone(&self.metrics),
            times: self.times,
            topic,
        }
    }

    /// Creates the client that sends webhooks.
    ///
    /// # Errors
    /// Fails if the client cannot be built.
    pub fn sender(&self) -> Result<WebhookClient, Unavailable> {
        WebhookClient::new(self.services.callback_policy(), Arc::new(SystemClock))
            .map_err(|error| Unavailable::new("webhook client", error))
    }

    /// Creates the carrier lookup port, which sends its requests with the webhook client; `None` if
    /// lookups are disabled. If its settings cannot be read, webhooks are sent all the same, and
    /// each lookup tries to read the settings again.
    pub async fn carriers(
        &self,
        source: Option<&CarrierLookupSource>,
        max_per_day: Option<Count>,
        client: &WebhookClient,
    ) -> Option<Arc<dyn CarrierLookup>> {
        let max_per_day = max_per_day.map(|Count(max)| max);
        match source? {
            CarrierLookupSource::EndUserMessaging => {
                let clock = Arc::new(SystemClock);
                let source = self.services.end_user_messaging(client.clone(), clock);
                let max_per_day = max_per_day.unwrap_or(DEFAULT_MAX_PER_DAY);
                let lookup = BoundedLookup::new(Arc::new(source), max_per_day, &OsEntropy);
                Some(Arc::new(lookup))
            }
            CarrierLookupSource::Twilio(secret) => {
                let parts = Arc::new((self.services.clone(), secret.clone(), client.clone()));
                let read = move || {
                    let parts = Arc::clone(&parts);
                    async move {
                        let (services, secret, client) = &*parts;
                        let settings = secrets::carrier_lookup(services, secret).await?;
                        Ok(settings.lookup(client.clone(), max_per_day, &OsEntropy))
                    }
                };
                Some(match read().await {
                    Ok(lookup) => Arc::new(lookup),
                    Err(error) => {
                        let cause = Causes(&error);
                        tracing::error!(%cause, "started without lookups of carriers");
                        Arc::new(LazyLookup::new(read))
                    }
                })
            }
        }
    }

    /// Creates the handler that delivers webhooks.
    #[must_use]
    pub fn dispatcher(
        &self,
        store: Arc<Store>,
        queues: Arc<SqsQueue>,
        outgoing: DispatcherPorts,
    ) -> Dispatcher {
        let DispatcherPorts {
            signer,
            secrets,
            sender,
            carriers,
            push,
        } = outgoing;
        Dispatcher {
            store,
            carriers,
            queue: Arc::clone(&queues) as Arc<dyn DeliveryQueue>,
            queues,
            slow: SlowReceivers::default(),
            signer,
            secrets,
            sender: Arc::new(sender),
            push,
            clock: Arc::new(SystemClock),
            entropy: self.entropy(),
            metrics: Arc::clone(&self.metrics),
            times: self.times,
        }
    }

    /// Creates the handler that finds deliveries whose pointers were lost.
    #[must_use]
    pub fn sweeper(
        &self,
        (store, due): (Arc<Store>, Arc<dyn DueIndex>),
        first_attempts: QueueUrl,
        retries: QueueUrl,
    ) -> Sweeper {
        let late = SqsQueue::new(self.services.sqs(), retries.clone(), retries.clone());
        Sweeper {
            store,
            due,
            queue: Arc::new(late),
            queues: self.queues(first_attempts, retries),
            clock: Arc::new(SystemClock),
            entropy: self.entropy(),
            places: Mutex::default(),
            metrics: Arc::clone(&self.metrics),
        }
    }

    /// Returns the operating system's random number generator.
    #[must_use]
    pub fn entropy(&self) -> Arc<dyn Entropy> {
        Arc::new(OsEntropy)
    }

    /// Loads the phone number tables now, before the first request needs them.
    pub fn load_phone_numbers(&self) {
        PhoneNumber::warm_up();
    }
}

/// Creates the ports needed to watch a login. These ports need neither the socket's URL nor the
/// caller's address.
fn watched(push: Arc<dyn Push>) -> Logins {
    Logins {
        push,
        geo: Arc::new(NoGeoIp),
        socket_url: String::new(),
        viewers: ViewerPolicy::default(),
    }
}
