//! The signing key, which is the same for a day.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use aws_credential_types::Credentials;
use ring::hmac::{HMAC_SHA256, Key, Tag, sign};

use super::stamp::Stamp;

/// What a signing key depends on.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    pub(super) credentials: &'a Credentials,
    pub(super) stamp: Stamp,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
}

impl Scope<'_> {
    /// Returns the credential scope, which signatures name.
    pub(super) fn text(&self) -> String {
        let date = self.stamp.date();
        format!("{date}/{}/{}/aws4_request", self.region, self.service)
    }

    /// Derives the signing key.
    fn key(&self) -> Key {
        let secret = format!("AWS4{}", self.credentials.secret_access_key());
        let mut key = Key::new(HMAC_SHA256, secret.as_bytes());
        for part in [self.stamp.date(), self.region, self.service, "aws4_request"] {
            key = Key::new(HMAC_SHA256, sign(&key, part.as_bytes()).as_ref());
        }
        key
    }
}

/// The signing key of the last call, for the next one.
#[derive(Default)]
pub(super) struct KeptKey(Mutex<Option<Kept>>);

struct Kept {
    credentials: Credentials,
    date: String,
    region: String,
    service: String,
    key: Key,
}

impl Kept {
    fn of(scope: &Scope<'_>) -> Self {
        Self {
            credentials: scope.credentials.clone(),
            date: scope.stamp.date().to_owned(),
            region: scope.region.to_owned(),
            service: scope.service.to_owned(),
            key: scope.key(),
        }
    }

    fn is_of(&self, scope: &Scope<'_>) -> bool {
        self.date == scope.stamp.date()
            && self.region == scope.region
            && self.service == scope.service
            && self.credentials.access_key_id() == scope.credentials.access_key_id()
            && self.credentials.secret_access_key() == scope.credentials.secret_access_key()
    }
}

impl KeptKey {
    /// Signs, and derives the key first unless it is kept.
    pub(super) fn sign(&self, scope: &Scope<'_>, text: &[u8]) -> Tag {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_some_and(|kept| !kept.is_of(scope)) {
            *kept = None;
        }
        sign(&kept.get_or_insert_with(|| Kept::of(scope)).key, text)
    }
}

#[cfg(test)]
impl KeptKey {
    /// Returns whether no call was signed with it.
    pub(super) fn is_empty(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }
}

impl fmt::Debug for KeptKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptKey")
    }
}
