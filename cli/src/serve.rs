//! `countersign serve`: assembles and runs the server.

mod background;
mod browser_socket;
mod data_watch;
mod files;
mod greeting;
pub(crate) mod http;
pub(crate) mod listen;
pub(crate) mod signals;
mod supervise;
mod viewers;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use countersign_api::{
    ApiParts, ApiState, ClientChannel, InboundParts, Logins, OpenIdParts, RateLimits,
};
use countersign_carrier::BoundedLookup;
use countersign_domain::app::AppKey;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::event::{Event, Labels, Metrics as _};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_domain::use_cases::Times;
use countersign_embedded::places::LiveCityDatabases;
use countersign_embedded::push::LocalPush;
use countersign_embedded::queue::{Limits as QueueLimits, LocalQueue};
use countersign_embedded::space::DiskHealth;
use countersign_inbound::RecentCalls;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use countersign_system::guarded::GuardedClock;
use countersign_webhook::client::WebhookClient;
use countersign_webhook::sns::SnsClient;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::admin::running::RunningServer;
use crate::admin::socket::{self, AdminSocket};
use crate::admin::{Admin, Running};
use crate::args::ServeArgs;
use crate::data_dir::{DataDir, DataLock, INBOUND_SECRET, PROVIDERS};
use crate::demo::{self, Demo};
use crate::failure::Failure;
use crate::metrics::Counters;
use crate::playground::{self, Playground};
use crate::providers::LiveProviders;
use crate::server_address::{ServerAddress, link_hosts};
use crate::storage::{IfMissing, Storage};
use crate::terminal;
use crate::{carriers, host_check, inbound_secret, logs, panics, providers, storage};

use background::Background;
use browser_socket::Sockets;
use data_watch::DataWatch;
use greeting::Greeting;

/// Number of worker threads for tasks. The store's writer has a separate thread.
const THREADS: usize = 2;

/// Timeout at startup for another process to release the data: a short command, or a server that is
/// stopping.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout at shutdown for tasks that cannot be interrupted.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Runs the server until a signal stops it.
pub(crate) fn run(path: &Path, args: &ServeArgs) -> Result<(), Failure> {
    let counters = Counters::new().map_err(|error| Failure::because("cannot count", &error))?;
    let counters = Arc::new(counters);
    let _log = logs::begin(args.log_format, &counters);
    panics::report_to(Arc::clone(&counters));
    let files = files::Shares::new(files::raise_limit(), count(args.max_connections));
    AdminSocket::check_path(path)?;
    let data = DataDir::create(path)?;
    let lock = data.lock(LOCK_TIMEOUT)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(|error| Failure::because("cannot start", &error))?;
    let served = runtime.block_on(serve(&data, &lock, args, files, counters));
    runtime.shutdown_timeout(LAST_WAIT);
    served
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

async fn serve(
    data: &DataDir,
    lock: &DataLock,
    args: &ServeArgs,
    files: files::Shares,
    counters: Arc<Counters>,
) -> Result<(), Failure> {
    let mut signals = signals::Signals::listen()?;
    let lost = if args.new_store {
        IfMissing::BeginNew
    } else {
        IfMissing::Refused
    };
    let guard = Arc::new(GuardedClock::new());
    let storage = storage::open(data, lock, lost, guard.clone());
    let storage = storage?;
    let secret = inbound_secret(data, &storage)?;
    let (listener, bound) = listen::listen(args.listen, "--listen")?;
    let scraped = args
        .metrics
        .map(|address| listen::listen(address, "--metrics"));
    let scraped = scraped.transpose()?;
    let place = ServerAddress::new(bound, args.public_url.as_ref(), &args.local_host);
    if !args.local_host.is_empty() {
        if !place.is_local() {
            return Err(Failure::new(
                "--local-host is for local mode: leave out a --public-url elsewhere",
            ));
        }
        tracing::warn!("whoever reaches this server can use its playground and its demo app");
    }
    if args.no_rate_limits && !place.is_local() {
        return Err(Failure::new(
            "--no-rate-limits is for local mode: listen on a loopback address, and leave out a \
             --public-url elsewhere",
        ));
    }
    if args.no_rate_limits {
        tracing::warn!("rate limits and quotas are off");
    }
    let socket = AdminSocket::bind(data)?;
    let demo = demo(data, &storage, &place, &secret).await?;

    storage.remember_files(data).await?;
    let server = Server::assemble(storage, guard, data, &place, args, counters)?;
    let counters = server.counters.clone();
    let on_damage = move || counters.count(&Event::StoreDamaged, Labels::default());
    server.storage.items.on_damage(on_damage);
    let (stop, stopping) = watch::channel(false);
    let background = Background::start(&server, &stopping);
    DataWatch::new(data, lock, &server).start(stopping.clone());
    let admin = Arc::new(server.administration(&place));
    let sockets = server.sockets(files.sockets, &stopping);
    let router = server.router(data, &place, demo.as_ref(), &secret, sockets)?;
    PhoneNumber::warm_up();

    let AdminSocket {
        listener: admin_listener,
        file: _socket_file,
    } = socket;
    let per_address = args.max_connections_per_address.map(count);
    let mut listeners = JoinSet::new();
    listeners.spawn(http::serve(
        admin_listener,
        socket::router(Arc::clone(&admin)),
        server.host(http::Limits::admin(), args),
        stopping.clone(),
    ));
    if let Some((listener, bound)) = scraped {
        tracing::info!(address = %bound, "answering GET /metrics");
        let mut router = socket::metrics_router(admin);
        router = host_check::guard_metrics(router, args.metrics_host.clone());
        listeners.spawn(http::serve(
            listener,
            countersign_api::with_middleware(router, Arc::clone(&server.entropy)),
            server.host(http::Limits::admin(), args),
            stopping.clone(),
        ));
    }
    listeners.spawn(http::serve(
        listener,
        router,
        server.host(http::Limits::public(files.connections, per_address), args),
        stopping,
    ));
    let greeting = Greeting {
        place: &place,
        bound,
        data,
        demo: demo.as_ref(),
        knows_places: server.is_told_places || server.places.is_on(),
    };
    terminal::print_aside(greeting.to_string());

    let ended = tokio::select! {
        () = signals.first() => Ok(()),
        // A listener ended without a signal: a server that accepts no connections must not keep
        // running.
        _ = listeners.join_next() => Err(Failure::new(
            "a listener stopped unexpectedly; the log says where it panicked",
        )),
    };
    tracing::info!("stopping; a second signal stops immediately");
    tokio::spawn(signals.exit_at_the_next());
    stop.send_replace(true);
    while listeners.join_next().await.is_some() {}
    background.end().await;
    server.storage.items.close();
    tracing::info!("stopped");
    ended
}

/// Reads the generic provider's secret. Fails if the providers' settings are missing although they
/// existed.
fn inbound_secret(data: &DataDir, storage: &Storage) -> Result<WebhookSecret, Failure> {
    if storage.companions.contains(PROVIDERS) {
        providers::check_present(data)?;
    }
    let is_companion = storage.companions.contains(INBOUND_SECRET);
    let secret = inbound_secret::read_or_make(data, is_companion, &OsEntropy)?;
    Ok(secret)
}

/// Prepares the demo app in local mode.
async fn demo(
    data: &DataDir,
    storage: &Storage,
    place: &ServerAddress,
    secret: &WebhookSecret,
) -> Result<Option<Demo>, Failure> {
    if !place.is_local() {
        return Ok(None);
    }
    let ports = demo::DemoPorts {
        store: storage.store.as_ref(),
        clock: &SystemClock,
        entropy: &OsEntropy,
    };
    let demo = demo::prepare(ports, data, &place.pages(), secret).await;
    demo.map(Some).map_err(Failure::from)
}

/// The parts of a running server.
struct Server {
    storage: Storage,
    clock: Arc<dyn Clock>,
    guard: Arc<GuardedClock>,
    entropy: Arc<dyn Entropy>,
    counters: Arc<Counters>,
    queue: LocalQueue,
    push: LocalPush,
    sender: Arc<dyn WebhookSender>,
    carriers: Option<BoundedLookup>,
    times: Times,
    providers: Arc<LiveProviders>,
    /// The last calls of providers.
    calls: Arc<RecentCalls>,
    places: Arc<LiveCityDatabases>,
    /// True if a trusted proxy provides the places of callers.
    is_told_places: bool,
    api: ApiState,
}

impl Server {
    fn assemble(
        storage: Storage,
        guard: Arc<GuardedClock>,
        data: &DataDir,
        place: &ServerAddress,
        args: &ServeArgs,
        counters: Arc<Counters>,
    ) -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::clone(&guard) as _;
        let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy);
        let queue = LocalQueue::new(
            QueueLimits::with_waiting(args.webhook_queue),
            Arc::clone(&clock),
        );
        let callbacks = place.callback_policy();
        let sender = WebhookClient::new(callbacks.clone(), Arc::clone(&clock))?;
        let carriers = carriers::lookup(data, &sender, &OsEntropy);
        let carriers = carriers?;
        let times = Times {
            validity: args.validity,
            retention: args.retention,
        };
        let sns = Arc::new(SnsClient(sender.clone()));
        let providers = LiveProviders::read(data, place.url(), sns.clone());
        let providers = Arc::new(providers?);
        let calls = Arc::<RecentCalls>::default();
        let push = LocalPush::default();
        let places = viewers::places(&args.places, data)?;
        let logins = Logins {
            push: Arc::new(push.clone()),
            geo: places.clone(),
            socket_url: place.socket_url(browser_socket::PATH),
            viewers: viewers::policy(args)?,
        };
        let api = ApiState::from(ApiParts {
            store: storage.store.clone(),
            storage: Arc::new(DiskHealth::new(
                storage.items.clone(),
                data.files().clone(),
                args.min_free_space,
            )),
            queue: Arc::new(queue.clone()),
            signer: storage.signer.clone(),
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            metrics: counters.clone(),
            times,
            callback_policy: callbacks,
            inbound: InboundParts {
                providers: providers.clone(),
                confirm_subscription: Some(Arc::new(move |url| {
                    let sns = Arc::clone(&sns);
                    Box::pin(async move { sns.confirm_subscription(&url).await })
                })),
                pages: Some(Arc::new(push.clone())),
                calls: Some(Arc::clone(&calls)),
            },
            client_channel: Some(ClientChannel {
                service_url: place.url().to_owned(),
                socket_url: logins.socket_url.clone(),
            }),
            logins: Some(logins),
            openid: Some(OpenIdParts {
                issuer: place.url().to_owned(),
                signer: storage.openid.clone(),
                secret: storage.openid.secret(),
            }),
            rate_limits: if args.no_rate_limits {
                RateLimits::Lifted
            } else {
                RateLimits::Enforced
            },
        });
        let sender = Arc::new(sender);
        Ok(Self {
            storage,
            clock,
            guard,
            entropy,
            counters,
            queue,
            push,
            sender,
            carriers,
            times,
            providers,
            calls,
            places,
            is_told_places: args.origin_secret_file.is_some(),
            api,
        })
    }

    /// Returns the settings for a listener.
    fn host(&self, limits: http::Limits, args: &ServeArgs) -> http::Host {
        http::Host {
            limits,
            trusted_proxies: args.trusted_proxy.clone(),
            counters: Arc::clone(&self.counters),
            entropy: Arc::clone(&self.entropy),
        }
    }

    fn administration(&self, place: &ServerAddress) -> Admin {
        let server = RunningServer {
            url: place.url().to_owned(),
            nearby_url: place.nearby_url().to_owned(),
            local: place.is_local(),
            knows_places: self.is_told_places,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: self.clock.now().to_string(),
        };
        let running = Running {
            clock: Arc::clone(&self.clock),
            items: self.storage.items.clone(),
            queue: Arc::new(self.queue.clone()),
            times: self.times,
            push: Arc::new(self.push.clone()),
            sender: self.sender.clone(),
            counters: self.counters.clone(),
            providers: self.providers.clone(),
            calls: Arc::clone(&self.calls),
            places: self.places.clone(),
            server,
        };
        Admin {
            callbacks: place.callback_policy(),
            link_hosts: link_hosts(&place.pages()),
            ..Admin::of_storage(&self.storage, place.is_local(), Some(running))
        }
    }

    /// Returns the state of the browsers' sockets, with at most `max_open` of them.
    fn sockets(&self, max_open: usize, stopping: &watch::Receiver<bool>) -> Sockets {
        Sockets {
            api: self.api.clone(),
            push: self.push.clone(),
            entropy: Arc::clone(&self.entropy),
            stopping: stopping.clone(),
            max_open,
        }
    }

    /// Returns the API; in local mode with the playground and the check of `Host`.
    fn router(
        &self,
        data: &DataDir,
        place: &ServerAddress,
        demo: Option<&Demo>,
        secret: &WebhookSecret,
        sockets: Sockets,
    ) -> Result<Router, Failure> {
        let mut router = countersign_api::routes(&self.api);
        let landing = countersign_api::landing_routes().with_state(self.api.clone());
        router = match demo {
            Some(Demo::Ready { api_key, file, .. }) => {
                router.merge(playground::router(Playground {
                    names: place.local_names().cloned(),
                    api: countersign_api::router(&self.api),
                    landing,
                    socket_url: place.socket_url(browser_socket::PATH),
                    demo: playground::Demo {
                        url: place.url().to_owned(),
                        nearby_url: place.nearby_url().to_owned(),
                        api_key: api_key.clone(),
                        app_key: file.app_key.parse::<AppKey>()?,
                        command: terminal::command(data.path()),
                        inbound_secret: secret.clone(),
                    },
                    clock: Arc::clone(&self.clock),
                    entropy: Arc::clone(&self.entropy),
                    stopping: sockets.stopping.clone(),
                }))
            }
            Some(Demo::NoKey { .. }) | None => router.merge(landing),
        };
        router = router.merge(browser_socket::router(sockets));
        if let Some(names) = place.local_names() {
            router = host_check::guard(router, names.clone(), browser_socket::PATH);
        }
        Ok(countersign_api::with_middleware_of(router, &self.api))
    }
}
