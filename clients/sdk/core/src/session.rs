//! A login that this phone has opened.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::login::{
    Context, DenialPayload, Encryption, Payload, PhonePayload, Proof, ReturnLink, Salt,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::ProofClaims;
use countersign_sealing::{Envelope, SealError, seal};
use serde_json::{Value, json};

use crate::decision::Decision;
use crate::details::{MobileTemplateResponse, RiskAnalytics};
use crate::error::SdkError;
use crate::key_ring::KeyRing;
use crate::opened::OpenedLogin;
use crate::phone::Phone;
use crate::stored_answer::StoredAnswer;

/// A login that this phone has opened, for the user to decide. Its id covers the app, the page, the
/// context and the browser's key. Clones are the same login.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    phone: Phone,
    opened: OpenedLogin,
    /// Time since boot of the service's answer.
    opened_at: Duration,
}

/// A confirmation that the service accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// True if it included a proof by one of the user's association keys.
    pub proven: bool,
}

impl Session {
    pub(crate) fn new(phone: Phone, opened: OpenedLogin, opened_at: Duration) -> Self {
        Self(Arc::new(Inner {
            phone,
            opened,
            opened_at,
        }))
    }

    /// Returns the session id.
    #[must_use]
    pub fn id(&self) -> String {
        self.0.phone.id.to_string()
    }

    /// Returns the phone's address, as seen by the service (`iPAddressMobile`).
    #[must_use]
    pub fn ip_address_mobile(&self) -> Option<&str> {
        self.0.opened.details.ip_address_mobile.as_deref()
    }

    /// Returns the browser's address, as seen by the service (`iPAddressWidget`).
    #[must_use]
    pub fn ip_address_widget(&self) -> Option<&str> {
        self.0.opened.details.ip_address_widget.as_deref()
    }

    /// Returns the risk, if the service assessed it.
    #[must_use]
    pub fn risk_analytics(&self) -> Option<&RiskAnalytics> {
        self.0.opened.details.risk_analytics.as_ref()
    }

    /// Returns the texts of the confirmation screen.
    #[must_use]
    pub fn mobile_template_response(&self) -> &MobileTemplateResponse {
        &self.0.opened.details.mobile_template_response
    }

    /// Returns the Session object as JSON, as the service sent it. The texts in it are unchecked.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.0.opened.json
    }

    /// Returns the app's name at the service.
    #[must_use]
    pub fn app_name(&self) -> &str {
        &self.0.opened.app_name
    }

    /// Returns the origin of the page that the user logs in to, such as `https://shop.example`.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.0.opened.origin.as_str()
    }

    /// Returns the text that the user approves: up to 12 lines. A screen must show all of it.
    #[must_use]
    pub fn context(&self) -> Option<&str> {
        self.0.opened.context.as_ref().map(Context::as_str)
    }

    /// Returns the two digits that the user types in the browser after confirming, if the app
    /// requires them.
    #[must_use]
    pub fn check_code(&self) -> Option<&str> {
        self.0.opened.check_code.as_deref()
    }

    /// Returns the page from which the link was opened on this phone. Open it in the phone's browser once the user has
    /// confirmed: the login only ends there.
    #[must_use]
    pub fn return_url(&self) -> Option<&ReturnLink> {
        self.0.opened.return_url.as_ref()
    }

    /// Returns the payload that a default screen sends with a denial, from [the
    /// configuration](crate::Configuration::denial_payload).
    #[must_use]
    pub fn denial_payload(&self) -> &str {
        self.0.phone.parts.configuration.denial().as_str()
    }

    /// Returns whether only the browser can read the payload of a confirmation.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.0.opened.encryption.key().is_some()
    }

    /// Returns the time until which the user can decide, by the service's clock.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.0.opened.expires_at
    }

    /// Returns the service's time: the time of its answer plus the time elapsed since. It corrects
    /// the phone's wall clock by at most a day: a login is not opened if the service's time differs
    /// by more.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let Inner {
            phone,
            opened,
            opened_at,
        } = &*self.0;
        let elapsed = phone.since_boot().saturating_sub(*opened_at);
        opened.server_time.plus(elapsed)
    }

    /// Returns the time that the user has left to decide; zero once the login has expired.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        self.expires_at().since(self.now())
    }

    /// Confirms the login, and sends the payload to the page: encrypted if its browser has a key, and
    /// with a proof if the phone has a key of the user.
    ///
    /// The answer is stored before it is sent. Confirming again sends the same bytes, whatever the
    /// payload, until the login has ended or the service has refused them permanently.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be sent, if the service does not answer, or if it refuses. If the user
    /// denied before, sends the denial again, and fails with [`SdkError::AlreadyAnswered`] unless the
    /// service had received a confirmation first.
    pub async fn confirm(&self, payload: &str) -> Result<Confirmed, SdkError> {
        let answer = self.confirmation(payload)?;
        let proven = answer.proven;
        let sent = match answer.decision {
            Decision::Confirm => self.send(&answer).await,
            Decision::Deny => Err(SdkError::DENIED),
        };
        match sent {
            Ok(()) => Ok(Confirmed { proven }),
            Err(SdkError::AlreadyAnswered {
                decision: Decision::Deny,
                ..
            }) => Err(self.denied_before().await),
            Err(error) => Err(error),
        }
    }

    /// Returns the outcome of a login that the user had denied before confirming it: an earlier
    /// confirmation may have arrived before the denial.
    async fn denied_before(&self) -> SdkError {
        match self.deny("").await {
            Err(error) if error.is_refusal() => error,
            _ => SdkError::DENIED,
        }
    }

    /// Denies the login. The payload is for the app's server, and readable to the service: it must not
    /// be a confirmation's payload, and is usually empty.
    ///
    /// A denial replaces a confirmation that the service may not have received yet, and is final.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be sent, if the service does not answer, or if it refuses; it refuses
    /// with [`SdkError::Ended`] if it received a confirmation before.
    pub async fn deny(&self, payload: &str) -> Result<(), SdkError> {
        loop {
            let answer = self.denial(payload)?;
            match self.send(&answer).await {
                // The service refused a denial of another call, and a later confirmation replaced it: the login's
                // outcome at the service is not known yet.
                Err(SdkError::AlreadyAnswered { .. }) => {}
                sent => return sent,
            }
        }
    }

    async fn send(&self, answer: &StoredAnswer) -> Result<(), SdkError> {
        let deadline = self.0.phone.since_boot() + self.time_left();
        let sent = self.0.phone.send(answer, deadline).await;
        match sent {
            Err(SdkError::Network { .. }) if self.time_left().is_zero() => {
                Err(SdkError::Expired(None))
            }
            sent => sent,
        }
    }

    /// Returns the stored answer, or creates and stores a confirmation.
    fn confirmation(&self, payload: &str) -> Result<StoredAnswer, SdkError> {
        let answers = self.0.phone.answers();
        match answers.load()? {
            Some(former) => Ok(former),
            None => answers.keep_first(self.new_confirmation(payload)?),
        }
    }

    /// Returns the stored denial, or creates and stores one, replacing any other answer.
    fn denial(&self, payload: &str) -> Result<StoredAnswer, SdkError> {
        let answers = self.0.phone.answers();
        let payload = DenialPayload::new(payload.to_owned());
        let payload = payload.map_err(|_| SdkError::PayloadTooLong)?;
        let body = json!({ "payload": payload.as_str() }).to_string();
        let new = StoredAnswer::denial(body, self.expires_at());
        let stored = answers.keep_first(new.clone())?;
        match stored.decision {
            Decision::Deny => Ok(stored),
            Decision::Confirm => answers.replace(&new).map(|()| new),
        }
    }

    fn new_confirmation(&self, payload: &str) -> Result<StoredAnswer, SdkError> {
        let entropy = self.0.phone.parts.platform.entropy.as_ref();
        let mut salt = [0; 16];
        entropy.fill(&mut salt);
        let said = Envelope {
            payload: payload.to_owned(),
            salt: Salt::from_bytes(salt),
        };
        let proof = self.prove(&said)?;
        let proven = proof.is_some();
        let said = self.prepare(said, proof)?;
        let body = body(&said).to_string();
        let (page, expires) = (self.return_url().cloned(), self.expires_at());
        Ok(StoredAnswer::confirmation(body, proven, page, expires))
    }

    fn prove(&self, said: &Envelope) -> Result<Option<Proof>, SdkError> {
        let Inner { phone, opened, .. } = &*self.0;
        let keys = KeyRing::new(phone.parts.platform.keys.clone());
        keys.prove(&ProofClaims {
            app: &phone.app,
            origin: &opened.origin,
            login: phone.id,
            user: phone.user.as_ref(),
            context: self.context(),
            payload: &said.payload,
            salt: said.salt.as_bytes(),
            at: self.now(),
        })
    }

    /// Encrypts payload and salt if the browser has a key. If encryption fails, nothing may be sent.
    fn prepare(&self, said: Envelope, proof: Option<Proof>) -> Result<PhonePayload, SdkError> {
        let Inner { phone, opened, .. } = &*self.0;
        let entropy = phone.parts.platform.entropy.as_ref();
        let (payload, salt) = match &opened.encryption {
            Encryption::Sealed(key) => {
                let sealed = seal(key, phone.id, &opened.origin, &said, entropy);
                (sealed.map_err(unsealed)?, None)
            }
            Encryption::Plain => {
                let salt = proof.is_some().then_some(said.salt);
                let clear = Payload::clear(said.payload);
                (clear.map_err(|_| SdkError::PayloadTooLong)?, salt)
            }
        };
        let joined = PhonePayload::new(payload, salt, proof);
        joined.map_err(|error| SdkError::Internal {
            detail: error.to_string(),
        })
    }
}

/// Returns the body of a confirmation.
fn body(said: &PhonePayload) -> Value {
    let mut body = json!({ "payload": said.payload().as_str() });
    if said.is_encrypted() {
        body["encrypted"] = true.into();
    }
    if let Some(salt) = said.salt() {
        body["salt"] = salt.to_string().into();
    }
    if let Some(proof) = said.proof() {
        body["proof"] = proof.as_str().into();
    }
    body
}

fn unsealed(error: SealError) -> SdkError {
    match error {
        SealError::TooLong => SdkError::PayloadTooLong,
        SealError::NotOnCurve => SdkError::UnusableBrowserKey,
        SealError::Failed => SdkError::Internal {
            detail: error.to_string(),
        },
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.0.phone.id)
            .finish_non_exhaustive()
    }
}
