//! Options of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;

use crate::call::limit_setters;
use crate::client::Countersign;
use crate::clock::Clock;
use crate::error::Error;
use crate::inner::Inner;
use crate::key_set::KeySet;
use crate::memory_store::MemoryStore;
use crate::options;
use crate::retry::Limits;
use crate::service::Service;
use crate::store::Store;
use crate::transport::{Configure, Transport};
use crate::verification::Verification;
use crate::world::World;

/// Options of a client. `Debug` hides them.
#[must_use = "`build` returns the client"]
pub struct Builder {
    url: String,
    api_key: String,
    app_key: Option<String>,
    webhook_secrets: Option<Vec<String>>,
    published_keys: bool,
    store: Option<Arc<dyn Store>>,
    limits: Limits,
    http_client: Option<Configure>,
    allow_unencrypted_http: bool,
    key_refetch: Duration,
    world: World,
}

impl Countersign {
    /// Returns a builder for a client of the service at `url`. `url` must use https, or refer to
    /// localhost.
    pub fn builder(url: impl Into<String>, api_key: impl Into<String>) -> Builder {
        Builder::new(url.into(), api_key.into())
    }
}

impl Builder {
    pub(crate) fn new(url: String, api_key: String) -> Self {
        Self {
            url,
            api_key,
            app_key: None,
            webhook_secrets: None,
            published_keys: false,
            store: None,
            limits: Limits::default(),
            http_client: None,
            allow_unencrypted_http: false,
            key_refetch: Duration::from_secs(10),
            world: World::real(),
        }
    }

    /// Sets the app's public key, `cs_app_…`, which logins and approvals need.
    pub fn app_key(mut self, key: impl Into<String>) -> Self {
        self.app_key = Some(key.into());
        self
    }

    /// Verifies webhooks with the app's secret, `whsec_…`, so that only webhooks for your app are
    /// accepted.
    pub fn webhook_secret(self, secret: impl Into<String>) -> Self {
        self.webhook_secrets([secret])
    }

    /// Verifies webhooks with any of several secrets, during a rotation.
    pub fn webhook_secrets<S: Into<String>>(
        mut self,
        secrets: impl IntoIterator<Item = S>,
    ) -> Self {
        self.webhook_secrets = Some(secrets.into_iter().map(Into::into).collect());
        self
    }

    /// Verifies webhooks with the service's published keys. **The service signs the webhooks of all its apps
    /// with them.**
    pub fn published_webhook_keys(mut self) -> Self {
        self.published_keys = true;
        self
    }

    /// Sets the store that remembers confirmations and logins. **By default, this is the memory of this
    /// process: with several processes, use a shared store.**
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    limit_setters!("30 seconds by default.", "Twice by default.");

    /// Configures the HTTP client, such as for a proxy or your own certificates. The client never follows
    /// redirects, whatever you configure: they would send the API key elsewhere.
    pub fn http_client(
        mut self,
        configure: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send + 'static,
    ) -> Self {
        self.http_client = Some(Box::new(configure));
        self
    }

    /// Allows plain http to a private host, such as `http://countersign:8080` between containers. **Everyone on that
    /// network can then read the API key, and answer with other keys**, so that forged webhooks and logins pass.
    pub fn allow_unencrypted_http(mut self) -> Self {
        self.allow_unencrypted_http = true;
        self
    }

    /// Sets the minimum interval between two fetches of the published keys; ten seconds by default.
    pub fn key_refetch(mut self, least: Duration) -> Self {
        self.key_refetch = least;
        self
    }

    #[cfg(test)]
    pub(crate) fn world(mut self, world: World) -> Self {
        self.world = world;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// Fails if an option is empty or malformed, if two options exclude each other, or if TLS cannot be
    /// set up.
    pub fn build(self) -> Result<Countersign, Error> {
        let url = options::base_url(&self.url, self.allow_unencrypted_http)?;
        let secret = options::key("api_key", &self.api_key)?;
        let app_key = self
            .app_key
            .map(|key| options::key("app_key", &key))
            .transpose()?;
        let verification = Verification::new(self.webhook_secrets, self.published_keys)?;
        let world = Arc::new(self.world);
        let mut header =
            HeaderValue::from_str(&secret).map_err(|_| Error::invalid("api_key is malformed"))?;
        header.set_sensitive(true);
        let service = Arc::new(Service {
            transport: Transport::new(&url, self.http_client)?,
            clock: Clock::new(Arc::clone(&world)),
            world: Arc::clone(&world),
            limits: self.limits.check()?,
            api_key: header,
        });
        let memory =
            || Arc::new(MemoryStore::with_clock(move || (world.monotonic)())) as Arc<dyn Store>;
        let inner = Inner {
            keys: Arc::new(KeySet::new(Arc::clone(&service), self.key_refetch)),
            service,
            store: self.store.unwrap_or_else(memory),
            api_key: secret,
            app_key,
            verification,
        };
        Ok(Countersign {
            inner: Arc::new(inner),
        })
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Builder(…)")
    }
}
