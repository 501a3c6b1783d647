//! `countersign serve`: everything put together.

mod background;
mod browser_socket;
mod files;
mod greeting;
mod http;
mod listen;
mod signals;
mod supervise;
mod viewers;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use countersign_api::{ApiParts, ApiState, Logins, RateLimits, app_links};
use countersign_domain::app::AppKey;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Clock;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_embedded::push::LocalPush;
use countersign_embedded::queue::{Limits as QueueLimits, LocalQueue};
use countersign_embedded::space::DiskHealth;
use countersign_inbound::{InboundSecret, InboundSecrets};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use countersign_system::guarded::{GuardedClock, SystemBootTime};
use countersign_webhook::client::WebhookClient;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::admin::Running;
use crate::admin::answer::ServerView;
use crate::admin::socket::{self, AdminSocket};
use crate::args::ServeArgs;
use crate::console;
use crate::data_dir::{DataDir, DataLock};
use crate::demo::{self, Demo};
use crate::failure::{Failure, chain};
use crate::metrics::Counters;
use crate::place::Place;
use crate::playground::{self, Playground};
use crate::storage::{Lost, Storage};
use crate::{host_check, inbound_secret, logs, panics, storage};

use background::Background;
use browser_socket::Sockets;
use greeting::Greeting;

/// How many threads run tasks. The store's writer has a thread of its own besides.
const THREADS: usize = 2;

/// How long another process may still hold the data at a start: a small command, or a server that
/// is stopping.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long what cannot be interrupted may hold up the end.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Serves until a signal tells it to stop.
pub(crate) fn run(path: &Path, args: &ServeArgs) -> Result<(), Failure> {
    let counters = Arc::new(Counters::default());
    let _log = logs::begin(args.log_format, Arc::clone(&counters));
    panics::report_to(Arc::clone(&counters));
    let files = files::Shares::of(files::raise_limit(), count(args.max_connections));
    AdminSocket::check_path(path).map_err(|error| failure(&error))?;
    let data = DataDir::create(path).map_err(|error| failure(&error))?;
    let lock = data.lock(PATIENCE).map_err(|error| failure(&error))?;
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
        Lost::BeginNew
    } else {
        Lost::Refused
    };
    let storage = storage::open(data, lock, lost).map_err(|error| failure(&error))?;
    let secret = inbound_secret::read_or_make(data, &OsEntropy).map_err(|error| failure(&error))?;
    let (listener, bound) = listen::listen(args.listen)?;
    let place = Place::of(bound, args.public_url.as_ref());
    if args.no_rate_limits && !place.is_local() {
        return Err(Failure::new(
            "--no-rate-limits is for local mode: listen on a loopback address, and leave out a \
             --public-url elsewhere",
        ));
    }
    if args.no_rate_limits {
        tracing::warn!("no rate limit and no quota applies");
    }
    let socket = AdminSocket::bind(data).map_err(|error| failure(&error))?;
    let demo = demo(data, &storage, &place, &secret).await?;

    let server = Server::assemble(storage, data, &place, &secret, args, counters)?;
    let (stop, stopping) = watch::channel(false);
    let background = Background::start(&server, &stopping);
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
        socket::router(admin, server.storage.clone(), data.clone()),
        server.host(http::Limits::admin(), args),
        stopping.clone(),
    ));
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
    };
    console::say_aside(greeting.to_string());

    let ended = tokio::select! {
        () = signals.first() => Ok(()),
        // Nobody told it to: a server that serves nobody must not look alive.
        _ = listeners.join_next() => Err(Failure::new(
            "a listener ended by itself; the log says where it panicked",
        )),
    };
    tracing::info!("stopping; a second signal stops at once");
    tokio::spawn(signals.exit_at_the_next());
    stop.send_replace(true);
    while listeners.join_next().await.is_some() {}
    background.end().await;
    server.storage.store.close();
    tracing::info!("stopped");
    ended
}

/// The demo app, which local mode alone has.
async fn demo(
    data: &DataDir,
    storage: &Storage,
    place: &Place,
    secret: &InboundSecret,
) -> Result<Option<Demo>, Failure> {
    if !place.is_local() {
        return Ok(None);
    }
    let ports = demo::Ports {
        apps: storage.store.as_ref(),
        clock: &SystemClock,
        entropy: &OsEntropy,
    };
    let demo = demo::prepare(ports, data, place.url(), secret).await;
    demo.map(Some).map_err(|error| failure(&error))
}

/// What a server is made of.
struct Server {
    storage: Storage,
    clock: Arc<dyn Clock>,
    guard: Arc<background::Guard>,
    entropy: Arc<dyn Entropy>,
    counters: Arc<Counters>,
    queue: LocalQueue,
    push: LocalPush,
    sender: Arc<dyn WebhookSender>,
    times: Times,
    api: ApiState,
}

impl Server {
    fn assemble(
        storage: Storage,
        data: &DataDir,
        place: &Place,
        secret: &InboundSecret,
        args: &ServeArgs,
        counters: Arc<Counters>,
    ) -> Result<Self, Failure> {
        let guard = Arc::new(GuardedClock::new(SystemClock, SystemBootTime));
        let clock: Arc<dyn Clock> = Arc::clone(&guard) as _;
        let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy);
        let queue = LocalQueue::new(QueueLimits::with_waiting(args.webhook_queue));
        let callbacks = if place.is_local() {
            CallbackPolicy::local()
        } else {
            CallbackPolicy::deployed()
        };
        let sender = WebhookClient::new(callbacks.clone(), Arc::clone(&clock))
            .map_err(|error| failure(&error))?;
        let times = Times {
            validity: args.validity,
            retention: args.retention,
        };
        let push = LocalPush::default();
        let logins = Logins {
            sessions: storage.store.clone(),
            history: storage.store.clone(),
            push: Arc::new(push.clone()),
            geo: viewers::places(&args.places)?,
            socket_url: place.socket_url(browser_socket::PATH),
            viewers: viewers::policy(args)?,
        };
        let api = ApiState::from(ApiParts {
            confirmations: storage.store.clone(),
            apps: storage.store.clone(),
            storage: Arc::new(DiskHealth::new(
                storage.store.clone(),
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
            inbound: InboundSecrets {
                generic: Some(secret.clone()),
            },
            logins: Some(logins),
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
            times,
            api,
        })
    }

    /// What a listener is served with.
    fn host(&self, limits: http::Limits, args: &ServeArgs) -> http::Host {
        http::Host {
            limits,
            trusted_proxies: args.trusted_proxy.clone(),
            counters: Arc::clone(&self.counters),
            entropy: Arc::clone(&self.entropy),
        }
    }

    fn administration(&self, place: &Place) -> crate::admin::Admin {
        let server = ServerView {
            url: place.url().to_owned(),
            nearby_url: place.nearby_url().to_owned(),
            local: place.is_local(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let running = Running {
            clock: Arc::clone(&self.clock),
            store: self.storage.store.clone(),
            queue: self.queue.clone(),
            sender: self.sender.clone(),
            counters: self.counters.clone(),
            server,
        };
        self.storage.administration(place.is_local(), Some(running))
    }

    /// What the sockets of browsers share, of which there may be `max_open`.
    fn sockets(&self, max_open: usize, stopping: &watch::Receiver<bool>) -> Sockets {
        Sockets {
            api: self.api.clone(),
            push: self.push.clone(),
            entropy: Arc::clone(&self.entropy),
            stopping: stopping.clone(),
            max_open,
        }
    }

    /// The API, and in local mode the playground and the check of `Host`.
    fn router(
        &self,
        data: &DataDir,
        place: &Place,
        demo: Option<&Demo>,
        secret: &InboundSecret,
        sockets: Sockets,
    ) -> Result<Router, Failure> {
        let mut router = countersign_api::routes().with_state(self.api.clone());
        let landing = app_links::landing_routes().with_state(self.api.clone());
        router = match demo {
            Some(Demo::Ready { api_key, file, .. }) => {
                router.merge(playground::router(Playground {
                    api: countersign_api::router(self.api.clone()),
                    landing,
                    socket_url: place.socket_url(browser_socket::PATH),
                    demo: playground::Demo {
                        url: place.url().to_owned(),
                        api_key: api_key.clone(),
                        app_key: file
                            .app_key
                            .parse::<AppKey>()
                            .map_err(|error| failure(&error))?,
                        command: console::command(data.path()),
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
            router = host_check::guard(router, names.clone());
        }
        Ok(countersign_api::framed(router, &self.api))
    }
}

fn failure(error: &dyn std::error::Error) -> Failure {
    Failure::new(chain(error))
}
