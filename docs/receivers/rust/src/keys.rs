//! The service's public keys.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::ecdsa::VerifyingKey;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::answer::Refusal;

const MAX_AGE: Duration = Duration::from_mins(5);

/// The service's public keys by key id, kept as long as its `Cache-Control` allows.
pub(crate) struct KeyRing {
    http: reqwest::Client,
    url: String,
    refetch: Duration,
    loaded: RwLock<Option<Loaded>>,
    tried_at: Mutex<Option<Instant>>,
}

struct Loaded {
    keys: HashMap<String, VerifyingKey>,
    at: Instant,
}

impl KeyRing {
    /// Creates a key ring without keys. It fetches them for the first webhook.
    pub(crate) fn new(http: reqwest::Client, base_url: &str, refetch: Duration) -> Self {
        Self {
            http,
            url: format!("{base_url}/.well-known/jwks.json"),
            refetch,
            loaded: RwLock::default(),
            tried_at: Mutex::default(),
        }
    }

    /// Returns the key, or `None` if the service has no such key.
    ///
    /// # Errors
    ///
    /// Fails if the keys cannot be fetched.
    pub(crate) async fn find(self: &Arc<Self>, kid: &str) -> Result<Option<VerifyingKey>, Refusal> {
        if let Some(key) = self.known(kid) {
            return Ok(Some(key));
        }
        // In a separate task: if this caller hangs up, the fetch goes on for the others.
        let (ring, kid) = (Arc::clone(self), kid.to_owned());
        let task = tokio::spawn(async move { ring.find_anew(&kid).await });
        task.await.unwrap_or(Err(Refusal::CannotVerify))
    }

    async fn find_anew(&self, kid: &str) -> Result<Option<VerifyingKey>, Refusal> {
        let mut tried_at = self.tried_at.lock().await;
        // Another request may have fetched while we waited.
        if let Some(key) = self.known(kid) {
            return Ok(Some(key));
        }
        // Strangers can send us invented key ids, so we do not fetch for each unknown one.
        if tried_at.is_some_and(|at| at.elapsed() < self.refetch) {
            return Err(Refusal::CannotVerify);
        }
        *tried_at = Some(Instant::now());
        let Some(keys) = self.fetch().await else {
            eprintln!("no keys from {}", self.url);
            return Err(Refusal::CannotVerify);
        };
        let loaded = Loaded {
            keys,
            at: Instant::now(),
        };
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = Some(loaded);
        Ok(self.known(kid))
    }

    fn known(&self, kid: &str) -> Option<VerifyingKey> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        let fresh = loaded
            .as_ref()
            .filter(|loaded| loaded.at.elapsed() < MAX_AGE)?;
        fresh.keys.get(kid).copied()
    }

    async fn fetch(&self) -> Option<HashMap<String, VerifyingKey>> {
        let response = self.http.get(&self.url).send().await.ok()?;
        if response.status() != reqwest::StatusCode::OK {
            return None;
        }
        let document: Value = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
        let is_p256 = |jwk: &&Value| jwk["kty"] == "EC" && jwk["crv"] == "P-256";
        document["keys"]
            .as_array()?
            .iter()
            .filter(is_p256)
            .map(|jwk| Some((jwk["kid"].as_str()?.to_owned(), key_from_jwk(jwk)?)))
            .collect()
    }
}

fn key_from_jwk(jwk: &Value) -> Option<VerifyingKey> {
    let number = |name: &str| BASE64_URL_SAFE_NO_PAD.decode(jwk[name].as_str()?).ok();
    let point = [vec![4], number("x")?, number("y")?].concat();
    VerifyingKey::from_sec1_bytes(&point).ok()
}
