//! Logins on a phone's screen.

use std::fmt;

use serde_json::{Value, json};

use super::TestPhone;
use super::seal::seal;
use crate::error::Error;
use crate::identity::{self, framed};
use crate::logins::LoginDetail;
use crate::proof::{BrowserEvidence, Claims, LIFETIME, pay_of};
use crate::request::{Members, Request, check_answer, path_of};

/// A login on the phone's screen, waiting for a decision. `Debug` hides its token.
pub struct OpenedLogin {
    phone: TestPhone,
    id: String,
    token: String,
    named: Option<String>,
    origin: String,
    context: Option<String>,
    /// The browser's key, as an uncompressed point.
    browser_key: Option<Vec<u8>>,
    check_code: Option<String>,
    session: Value,
}

impl OpenedLogin {
    /// Creates a login from a checked answer.
    pub(super) fn new(
        phone: TestPhone,
        id: String,
        token: String,
        named: Option<String>,
        answer: &Members,
    ) -> Self {
        let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            phone,
            id,
            token,
            named,
            origin: text("origin").unwrap_or_default(),
            context: text("context"),
            browser_key: text("browserPublicKey").and_then(|key| identity::from_base64url(&key)),
            check_code: text("checkCode"),
            session: answer.get("session").cloned().unwrap_or_default(),
        }
    }

    /// Returns the login's id.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.id
    }

    /// Returns the page's origin, which the id covers.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the text to approve, or `None` for a login without one.
    #[must_use]
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// Returns the two digits to type in the browser, if the login requires them.
    #[must_use]
    pub fn check_code(&self) -> Option<&str> {
        self.check_code.as_deref()
    }

    /// Returns the Session object of the mobile SDK, with the texts that the phone shows.
    #[must_use]
    pub fn session(&self) -> &Value {
        &self.session
    }

    /// Confirms, and returns the data that the page gets, for a test that posts it to your login
    /// route.
    ///
    /// # Errors
    ///
    /// Fails if the service refuses it.
    pub async fn confirm(&self, payload: &str) -> Result<LoginDetail, Error> {
        self.confirm_signed_with(payload, &self.phone).await
    }

    /// Confirms with a proof by another phone's key, which your server must not accept.
    ///
    /// # Errors
    ///
    /// Fails if the service refuses it.
    pub async fn confirm_signed_with(
        &self,
        payload: &str,
        phone: &TestPhone,
    ) -> Result<LoginDetail, Error> {
        let salt = identity::base64url(identity::random::<16>()?);
        let pay = pay_of(&BrowserEvidence {
            payload,
            salt: &salt,
        })?;
        let proof = phone.0.prove(&self.claims(pay))?;
        let plain = json!({ "payload": payload, "salt": salt });
        let body = match &self.browser_key {
            Some(key) => {
                let info = framed(&[
                    b"countersign/qr/2",
                    self.id.as_bytes(),
                    self.origin.as_bytes(),
                ]);
                let sealed = seal(plain.to_string().as_bytes(), key, &info)?;
                json!({ "payload": identity::base64url(sealed), "encrypted": true, "proof": proof })
            }
            None => json!({ "payload": payload, "salt": salt, "proof": proof }),
        };
        self.decide("confirm", &body).await?;
        Ok(LoginDetail {
            session_id: self.id.clone(),
            payload: Some(payload.to_owned()),
            salt: Some(salt),
            proof: Some(proof),
        })
    }

    /// Denies. Your server gets the payload; the service can read it.
    ///
    /// # Errors
    ///
    /// Fails if the service refuses it.
    pub async fn deny(&self, payload: &str) -> Result<(), Error> {
        self.decide("deny", &json!({ "payload": payload })).await
    }

    /// Makes the login expire and then confirms, like a user who decides too late.
    ///
    /// # Errors
    ///
    /// Fails with the service's problem `session_expired`, as intended.
    pub async fn confirm_late(&self, payload: &str) -> Result<(), Error> {
        let service = &self.phone.0.client.service;
        let path = path_of(&["qr-sessions", &self.id, "expire"])?;
        let mut request = Request::new(http::Method::POST, path);
        request.may_be_empty = true;
        service.call(request, service.limits).await?;
        self.confirm(payload).await.map(|_| ())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the service's time is in this millennium"
    )]
    fn claims(&self, pay: String) -> Claims {
        let phone = &self.phone.0;
        let now = phone.client.service.clock.now() as i64;
        let digest = |context: &String| identity::digest("ctx", context.as_bytes());
        Claims {
            act: "confirm".to_owned(),
            app: phone.app_key.clone(),
            aud: self.origin.clone(),
            ctx: self.context.as_ref().map(digest),
            exp: now + LIFETIME,
            iat: now,
            jti: self.id.clone(),
            pay,
            sub: self.named.clone(),
        }
    }

    async fn decide(&self, action: &str, body: &Value) -> Result<(), Error> {
        let service = &self.phone.0.client.service;
        let request = Request::post(path_of(&["qr-sessions", &self.id, action])?, body)?;
        // The phone's token identifies who decides, so the API key is not sent.
        let outcome = service
            .exchange(request.bearer(&self.token)?, service.limits)
            .await?;
        let is_done = outcome.as_ref().is_ok_and(|answer| {
            answer.status == http::StatusCode::OK && answer.body == Some(Value::Bool(true))
        });
        if is_done {
            return Ok(());
        }
        check_answer(outcome, &service.transport.address, false)?;
        Err(Error::lacking("decision"))
    }
}

impl fmt::Debug for OpenedLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedLogin")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
