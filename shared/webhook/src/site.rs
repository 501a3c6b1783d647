//! Looks at a host as a phone does: its addresses, its certificate and its files, under the rules of webhooks.

mod certificate;

use std::net::IpAddr;
use std::sync::Arc;

use countersign_domain::primitives::time::Clock;
use countersign_domain::web::callback_url::{CallbackHost, CallbackPolicy, CallbackUrl};
use rustls::RootCertStore;

use crate::client::{ClientError, Failure, Limits, SeenFile, WebhookClient, tls};
use crate::resolver::{GuardedResolver, SystemLookup};

pub use certificate::{Certificate, CertificateFault};

/// Looks at hosts.
pub struct SiteProbe {
    policy: CallbackPolicy,
    client: WebhookClient,
    resolver: GuardedResolver,
    roots: Arc<RootCertStore>,
    limits: Limits,
}

impl SiteProbe {
    /// Creates a probe with the machine's name servers and the limits of webhooks.
    ///
    /// # Errors
    /// Fails if the built-in TLS configuration is invalid.
    pub fn new(policy: CallbackPolicy, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        let limits = Limits::default();
        let lookup = Arc::new(SystemLookup::new());
        let resolver = GuardedResolver::new(lookup, &policy, limits.dns);
        let roots = tls::public_roots();
        let tls = tls::trusting(roots.clone())?;
        Ok(Self {
            client: WebhookClient::assemble(
                policy.clone(),
                clock,
                limits.clone(),
                &resolver,
                &tls,
            )?,
            resolver,
            roots: Arc::new(roots),
            limits,
            policy,
        })
    }

    /// Returns the public addresses of a URL's host.
    ///
    /// # Errors
    /// Fails if the URL is refused, or the name has no address or one that is not public.
    pub async fn addresses(&self, url: &CallbackUrl) -> Result<Vec<IpAddr>, Failure> {
        url.check(&self.policy).map_err(Failure::RefusedUrl)?;
        match url.host() {
            CallbackHost::Address(address) => Ok(vec![address]),
            CallbackHost::Name(name) => Ok(self.resolver.vetted(name).await?),
        }
    }

    /// Returns the certificate of a URL's host, if phones accept it.
    ///
    /// # Errors
    /// Fails if the host has no public address, or phones do not accept the certificate.
    pub async fn certificate(&self, url: &CallbackUrl) -> Result<Certificate, CertificateFault> {
        let addresses = self.addresses(url).await;
        let addresses = addresses.map_err(CertificateFault::NotResolved)?;
        let name = url.as_url().host_str().unwrap_or_default();
        let roots = Arc::clone(&self.roots);
        certificate::read(name, &addresses, url.port(), roots, self.limits.connect).await
    }

    /// Asks for a file of at most `max` bytes. Follows no redirect.
    ///
    /// # Errors
    /// Fails if the URL or an address is refused, or the answer does not arrive in time.
    pub async fn file(&self, url: &CallbackUrl, max: usize) -> Result<SeenFile, Failure> {
        self.client.look(url, max).await
    }
}

#[cfg(test)]
mod tests;
