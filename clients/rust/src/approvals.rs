//! Approvals: logins that the server opens for one user to approve one text.

use std::collections::HashMap;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::time::SystemTime;

use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use crate::call::limit_setters;
use crate::callback::{FindKey, Once, call_if_given, once};
use crate::error::{BoxError, ConnectionError, Error, LoginRefused};
use crate::identity;
use crate::inner::Inner;
use crate::links::is_link_of;
use crate::logins::Logins;
use crate::options;
use crate::proof::{Expected, KnownKey};
use crate::request::{Members, Request, path_of, read, text_member};
use crate::retry::Limits;
use crate::store::{self, Acceptance, WEBHOOK_TTL};
use crate::types::{CreateLogin, RegisteredKey, time};
use crate::world::seconds_of;

mod result;
mod session;

pub use result::{ApprovalResult, DenialReason, ExpiryReason};
pub use session::{Approval, ApprovalSession};

/// API calls for approvals: texts that a user confirms on the phone, such as a payment.
#[derive(Clone, Copy)]
pub struct Approvals<'a>(pub(crate) &'a Inner);

impl<'a> Approvals<'a> {
    /// Asks a user to approve a text. Pass `session` from the answer to the page, and keep its
    /// `id`.
    ///
    /// `origin` is the page's origin, which the phone shows. `context` is the text, which the library puts into
    /// normalization form C. Only the user with `user_id` can decide.
    pub fn start(self, origin: &str, context: &str, user_id: &str) -> StartApproval<'a> {
        StartApproval {
            client: self.0,
            origin: origin.to_owned(),
            context: context.nfc().collect(),
            user_id: user_id.to_owned(),
            on_started: None,
            limits: self.0.limits(),
        }
    }

    /// Returns the user's decision, with its proof verified; each decision is returned only once.
    ///
    /// Fails with [`Error::UnknownApproval`] if this server did not start this approval.
    pub fn result(self, id: &str) -> ResultOf<'a> {
        ResultOf {
            client: self.0,
            id: id.to_owned(),
            find_key: None,
            on_result: None,
            limits: self.0.limits(),
        }
    }
}

impl fmt::Debug for Approvals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approvals")
    }
}

/// An approval to start. The request is sent when this is awaited.
#[must_use = "an approval is started when this is awaited"]
pub struct StartApproval<'a> {
    client: &'a Inner,
    origin: String,
    context: String,
    user_id: String,
    on_started: Option<Once<'a, Approval>>,
    limits: Limits,
}

impl<'a> StartApproval<'a> {
    /// Writes your record before the call returns and before a webhook is accepted; with a store in SQL, in the
    /// same transaction as the store's own writes.
    pub fn on_started<E, F>(mut self, write: impl FnOnce(Approval) -> F + Send + 'a) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'a,
        E: Into<BoxError>,
    {
        self.on_started = Some(once(write));
        self
    }

    limit_setters!("The client's by default.");

    async fn start(self) -> Result<Approval, Error> {
        let app_key = self.client.require_app_key()?;
        options::origin(&self.origin)?;
        options::text("context", &self.context)?;
        options::text("user_id", &self.user_id)?;
        // The payload is never redeemed, so the private half is not kept.
        let key = identity::point_of(identity::generate_key()?.verifying_key());
        let token = identity::approval_token(&self.client.api_key, &key);
        let body = CreateLogin::new(&self.origin)
            .browser_public_key(identity::base64url(key))
            .context(&self.context)
            .public_user_id(&self.user_id);
        let request = Request::post(path_of(&["qr-sessions"])?, &body)?.bearer(&token)?;
        let answer = self.client.service.call(request, self.limits).await?;
        let id = identity::session_id(app_key, &self.origin, &self.context, &key);
        let is_same = answer.get("sessionId").and_then(Value::as_str) == Some(id.as_str());
        if !is_same || !is_link_of(text_member(&answer, "url")?, &id) {
            return Err(another_session());
        }
        let page_token = identity::page_token(&token).unwrap_or_default();
        let approval = Approval::read(id, page_token, &answer)?;
        let record = identity::approval_record(&approval.id, &self.user_id);
        let act = call_if_given(self.on_started, approval.clone());
        store::remember(&*self.client.store, &record, WEBHOOK_TTL, act).await?;
        Ok(approval)
    }
}

impl<'a> IntoFuture for StartApproval<'a> {
    type Output = Result<Approval, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.start().boxed()
    }
}

impl fmt::Debug for StartApproval<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartApproval")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// A request for the outcome of an approval. The request is sent when this is awaited.
#[must_use = "the service is asked when this is awaited"]
pub struct ResultOf<'a> {
    client: &'a Inner,
    id: String,
    find_key: Option<FindKey<'a>>,
    on_result: Option<Once<'a, ApprovalResult>>,
    limits: Limits,
}

impl<'a> ResultOf<'a> {
    /// Finds, by its id, a key that one of your users registered. Without it, the keys registered with the service
    /// are used.
    pub fn find_key<E, F>(mut self, find: impl FnOnce(String) -> F + Send + 'a) -> Self
    where
        F: Future<Output = Result<Option<KnownKey>, E>> + Send + 'a,
        E: Into<BoxError>,
    {
        self.find_key = Some(once(find));
        self
    }

    /// Writes your record of a decision; with a store in SQL, in the same transaction that prevents a second report. If
    /// it fails, the call fails too, and the next call returns the decision again.
    pub fn on_result<E, F>(mut self, write: impl FnOnce(ApprovalResult) -> F + Send + 'a) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'a,
        E: Into<BoxError>,
    {
        self.on_result = Some(once(write));
        self
    }

    limit_setters!("The client's by default.");

    pub(crate) fn callbacks(
        mut self,
        find_key: Option<FindKey<'a>>,
        on_result: Option<Once<'a, ApprovalResult>>,
    ) -> Self {
        self.find_key = find_key;
        self.on_result = on_result;
        self
    }

    async fn read(self) -> Result<ApprovalResult, Error> {
        self.client.require_app_key()?;
        match lookup(self.client, &self.id, self.limits).await? {
            Some(answer) => self.report(&answer).await,
            None => Ok(ApprovalResult::Expired {
                id: self.id,
                reason: ExpiryReason::Expired,
            }),
        }
    }

    /// Does the same for a webhook; the service keeps the login while it sends the webhook.
    pub(crate) async fn read_for_webhook(self) -> Result<ApprovalResult, Error> {
        match lookup(self.client, &self.id, self.limits).await? {
            Some(answer) => self.report(&answer).await,
            None => Err(Error::UnknownApproval { id: self.id }),
        }
    }

    /// Returns a result; a decided one only once.
    async fn report(self, answer: &Members) -> Result<ApprovalResult, Error> {
        let approval = Inspected::recognise(self.client, self.id, answer)?;
        let decided = approval
            .evaluate(self.client, self.find_key, self.limits)
            .await?;
        if matches!(decided, ApprovalResult::Pending { .. }) {
            return Ok(decided);
        }
        let record = identity::approval_record(&approval.id, approval.user_id);
        let act = call_if_given(self.on_result, decided.clone());
        match store::accept(&*self.client.store, &record, act).await? {
            Acceptance::Accepted => Ok(decided),
            Acceptance::Repeated => Ok(ApprovalResult::AlreadyReported { id: approval.id }),
            Acceptance::Unknown => Err(Error::UnknownApproval { id: approval.id }),
        }
    }
}

impl<'a> IntoFuture for ResultOf<'a> {
    type Output = Result<ApprovalResult, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.read().boxed()
    }
}

impl fmt::Debug for ResultOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultOf")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Returns the service's description of a login, or `None` if the service never had it or no longer
/// has it.
async fn lookup(client: &Inner, id: &str, limits: Limits) -> Result<Option<Members>, Error> {
    let request = Request::get(path_of(&["qr-sessions", id])?);
    match client.service.call(request, limits).await {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.code() == Some("session_not_found") => Ok(None),
        Err(error) => Err(error),
    }
}

/// An approval as the service describes it. The id covers the origin and the context.
struct Inspected<'a> {
    id: String,
    user_id: &'a str,
    origin: &'a str,
    context: &'a str,
    answer: &'a Members,
}

impl<'a> Inspected<'a> {
    /// Returns the approval in an answer. Fails if the answer is about a different login.
    fn recognise(client: &Inner, id: String, answer: &'a Members) -> Result<Self, Error> {
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        let Some((user_id, context)) = text("expectedPublicUserId").zip(text("context")) else {
            return Err(Error::UnknownApproval { id });
        };
        let origin = text_member(answer, "origin")?;
        let key = identity::from_base64url(text_member(answer, "browserPublicKey")?);
        let key = key.ok_or_else(another_session)?;
        // The service could return a different context, which the user never saw.
        if identity::session_id(client.require_app_key()?, origin, context, &key) != id {
            return Err(another_session());
        }
        Ok(Self {
            id,
            user_id,
            origin,
            context,
            answer,
        })
    }

    async fn evaluate(
        &self,
        client: &Inner,
        find_key: Option<FindKey<'_>>,
        limits: Limits,
    ) -> Result<ApprovalResult, Error> {
        let id = || self.id.clone();
        let denied = |reason| Ok(ApprovalResult::Denied { id: id(), reason });
        let expired = |reason| Ok(ApprovalResult::Expired { id: id(), reason });
        let state = self.answer.get("state").and_then(Value::as_str);
        match state.ok_or_else(|| Error::lacking("state"))? {
            "created" | "scanned" => self.pending(),
            "confirmed" => match self.answer.get("checkCodeRequired") {
                Some(Value::Bool(true)) => self.pending(),
                Some(Value::Bool(false)) => self.verify(client, find_key, limits).await,
                // Without this member, the digits may still be missing.
                _ => Err(Error::lacking("checkCodeRequired")),
            },
            "consumed" => self.verify(client, find_key, limits).await,
            "denied" => denied(DenialReason::Denied),
            "blocked" => denied(DenialReason::Blocked),
            "expired" => expired(ExpiryReason::Expired),
            "cancelled" => expired(ExpiryReason::Cancelled),
            _ => Err(Error::lacking("state")),
        }
    }

    fn pending(&self) -> Result<ApprovalResult, Error> {
        Ok(ApprovalResult::Pending {
            id: self.id.clone(),
            expires_in: session::seconds(self.answer, "expiresIn")?,
        })
    }

    async fn verify(
        &self,
        client: &Inner,
        find_key: Option<FindKey<'_>>,
        limits: Limits,
    ) -> Result<ApprovalResult, Error> {
        match self.proven(client, find_key, limits).await {
            Ok(key_id) => Ok(ApprovalResult::Approved {
                id: self.id.clone(),
                user_id: self.user_id.to_owned(),
                key_id,
                context: self.context.to_owned(),
                origin: self.origin.to_owned(),
            }),
            Err(Error::Login(refused)) => {
                let (id, reason) = (&self.id, &refused.reason);
                tracing::warn!(target: "countersign", %id, %reason, "an approval is not verified");
                Ok(ApprovalResult::Denied {
                    id: self.id.clone(),
                    reason: DenialReason::Unverified,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the id of the key that signed the proof.
    async fn proven(
        &self,
        client: &Inner,
        find_key: Option<FindKey<'_>>,
        limits: Limits,
    ) -> Result<String, Error> {
        let proof = self.answer.get("proof").and_then(Value::as_str);
        let proof = proof.ok_or_else(|| LoginRefused::because("there is no proof"))?;
        let find_key = match find_key {
            Some(find) => find,
            None => registered_keys(client, self.user_id, limits).await?,
        };
        // A proof is valid for five minutes, and its result is read or delivered later than that.
        let confirmed_at = text_member(self.answer, "confirmedAt")
            .ok()
            .and_then(time::parse);
        let confirmed_at = confirmed_at.ok_or_else(|| Error::lacking("confirmedAt"))?;
        let expected = Expected {
            app_key: client.require_app_key()?,
            origin: self.origin,
            session_id: &self.id,
            context: Some(self.context),
        };
        let at = Some(seconds_of(confirmed_at));
        let login = Logins(client)
            .prove(proof, None, find_key, &expected, at)
            .await?;
        if login.user_id != self.user_id {
            return Err(LoginRefused::because("the key belongs to another user").into());
        }
        Ok(login.key_id)
    }
}

/// Returns a function that finds a user's keys registered with the service.
async fn registered_keys<'k>(
    client: &Inner,
    user_id: &str,
    limits: Limits,
) -> Result<FindKey<'k>, Error> {
    let keys = crate::association_keys::AssociationKeys(client);
    let mut found = HashMap::new();
    for entry in keys.entries(user_id.to_owned(), limits).await? {
        if entry.get("publicKey").and_then(Value::as_str).is_none() {
            let message = "the service does not tell public keys: give find_key".to_owned();
            return Err(ConnectionError::answered(200, message).into());
        }
        let id = text_member(&entry, "keyId")?.to_owned();
        let key = read::<RegisteredKey>(entry, "key")?;
        found.insert(id, KnownKey::registered(&key, user_id));
    }
    Ok(once(move |id: String| async move {
        Ok::<_, BoxError>(found.remove(&id))
    }))
}

fn another_session() -> Error {
    let message = "the service answered with another session than this one".to_owned();
    ConnectionError::answered(200, message).into()
}

/// Returns a required time from an answer.
fn time_member(answer: &Members, name: &str) -> Result<SystemTime, Error> {
    let text = answer.get(name).and_then(Value::as_str);
    text.and_then(time::parse)
        .ok_or_else(|| Error::lacking(name))
}
