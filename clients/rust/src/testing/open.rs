//! Opens a login as a phone does, and refuses whatever a phone refuses.

use std::fmt;
use std::future::IntoFuture;

use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::{Value, json};

use super::TestPhone;
use super::contexts::is_context;
use super::link::session_id_of;
use super::opened::OpenedLogin;
use crate::error::{Error, PhoneRefusal, PhoneRefused};
use crate::identity;
use crate::options;
use crate::request::{Members, Request, path_of};
use crate::types::time;

/// A link to open. The request is sent when this is awaited.
///
/// Fails with [`Error::PhoneRefused`] if a phone would refuse, and with [`Error::Problem`] if the service does.
#[must_use = "the link is opened when this is awaited"]
pub struct Open<'a> {
    phone: &'a TestPhone,
    link: String,
    user: Option<String>,
    allow_unencrypted: bool,
}

impl<'a> Open<'a> {
    pub(super) fn new(phone: &'a TestPhone, link: &str) -> Self {
        Self {
            phone,
            link: link.to_owned(),
            user: Some(phone.user_id().to_owned()),
            allow_unencrypted: false,
        }
    }

    /// Sends a user id other than the phone's own.
    pub fn as_user(mut self, user: impl Into<String>) -> Self {
        self.user = Some(user.into());
        self
    }

    /// Sends no user id.
    pub fn as_nobody(mut self) -> Self {
        self.user = None;
        self
    }

    /// Also opens logins whose browser has no key.
    pub fn allow_unencrypted(mut self) -> Self {
        self.allow_unencrypted = true;
        self
    }

    async fn open(self) -> Result<OpenedLogin, Error> {
        let refused = |reason| Error::from(PhoneRefused { reason });
        let id = session_id_of(&self.link).map_err(refused)?;
        if id.starts_with("qrp_") && !self.allow_unencrypted {
            return Err(refused(PhoneRefusal::PlainRefused));
        }
        let token = identity::base64url(identity::random::<32>()?);
        let body = match &self.user {
            Some(user) => json!({ "publicUserId": options::text("as_user", user)? }),
            None => json!({}),
        };
        let request =
            Request::post(path_of(&["qr-sessions", &id, "initiate"])?, &body)?.bearer(&token)?;
        let service = &self.phone.0.client.service;
        let answer = service.call(request, service.limits).await?;
        if let Some(reason) = refusal(&id, &self.phone.0.app_key, &answer) {
            if reason != PhoneRefusal::AnswerMalformed {
                self.report(&id, &token).await?;
            }
            return Err(refused(reason));
        }
        Ok(OpenedLogin::new(
            self.phone.clone(),
            id,
            token,
            self.user,
            &answer,
        ))
    }

    /// Reports to the service that this phone refuses because of the service's answer. The service may be the
    /// one that cheats, so its response is ignored.
    async fn report(&self, id: &str, token: &str) -> Result<(), Error> {
        let body = json!({ "payload": "", "reason": "key_mismatch" });
        let request =
            Request::post(path_of(&["qr-sessions", id, "deny"])?, &body)?.bearer(token)?;
        let service = &self.phone.0.client.service;
        let _ = service.exchange(request, service.limits).await?;
        Ok(())
    }
}

impl<'a> IntoFuture for Open<'a> {
    type Output = Result<OpenedLogin, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.open().boxed()
    }
}

impl fmt::Debug for Open<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Open(…)")
    }
}

/// Returns why a phone would not show an answer, or `None` if the answer matches its id.
fn refusal(id: &str, app_key: &str, answer: &Members) -> Option<PhoneRefusal> {
    let member = |name: &str| answer.get(name).filter(|value| !value.is_null());
    let (origin, context, key) = (
        member("origin"),
        member("context"),
        member("browserPublicKey"),
    );
    let whole = || (!is_whole(answer)).then_some(PhoneRefusal::AnswerMalformed);
    if id.starts_with("qrp_") {
        return match (key, context) {
            (Some(_), _) => Some(PhoneRefusal::KeyUnexpected),
            (None, Some(_)) => Some(PhoneRefusal::ContextUnexpected),
            (None, None) => whole(),
        };
    }
    let Some(key) = key else {
        return Some(PhoneRefusal::KeyMissing);
    };
    let shown = context.map(|context| context.as_str().filter(|text| is_context(text)));
    let context = match shown {
        Some(None) => return Some(PhoneRefusal::ContextMalformed),
        Some(Some(text)) => text,
        None => "",
    };
    let point = key
        .as_str()
        .and_then(identity::key_of_point)
        .map(|key| identity::point_of(&key));
    let origin = origin
        .and_then(Value::as_str)
        .filter(|origin| options::origin(origin).is_ok());
    let computed = origin
        .zip(point)
        .map(|(origin, key)| identity::session_id(app_key, origin, context, &key));
    if computed.as_deref() == Some(id) {
        whole()
    } else {
        Some(PhoneRefusal::KeyMismatch)
    }
}

/// Returns whether an answer has all data that a phone shows.
fn is_whole(answer: &Members) -> bool {
    let is_time = |name: &str| {
        answer
            .get(name)
            .and_then(Value::as_str)
            .and_then(time::parse)
            .is_some()
    };
    let is_code = |code: &Value| {
        let is_digits =
            |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        code.is_null() || code.as_str().is_some_and(is_digits)
    };
    let app = answer.get("app").and_then(|app| app.get("name"));
    answer.get("session").is_some_and(Value::is_object)
        && answer.get("origin").is_some_and(Value::is_string)
        && app.is_some_and(Value::is_string)
        && answer.get("checkCode").is_none_or(is_code)
        && is_time("expiresAt")
        && is_time("serverTime")
}
