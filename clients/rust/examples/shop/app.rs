//! The shop's routes.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_client::handlers::{LoginHandler, Reply, WebhookHandler};
use countersign_client::limits::{Start, StartLimiter};
use countersign_client::{
    Approval, ApprovalResult, BoxError, ConfirmRequest, Countersign, Error, KnownKey, RecordMissing,
};
use serde::Deserialize;
use serde_json::json;

const CONTEXT: &str = "Pay 20 EUR to Zoë";

/// A session of a browser.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) user_id: String,
    approval: Option<Approval>,
}

impl Session {
    pub(crate) fn new(user_id: &str) -> Self {
        let user_id = user_id.to_owned();
        Self {
            user_id,
            approval: None,
        }
    }
}

/// A real shop keeps these in its database.
#[derive(Clone, Default)]
pub(crate) struct Tables(Arc<Mutex<Rows>>);

#[derive(Default)]
pub(crate) struct Rows {
    /// Sessions by their cookie.
    pub(crate) sessions: HashMap<String, Session>,
    /// Numbers by the id of their confirmation, `None` until it is verified.
    pub(crate) numbers: HashMap<String, Option<String>>,
    /// Keys that phones have handed over while their user was logged in, by key id.
    pub(crate) phone_keys: HashMap<String, KnownKey>,
    /// `waiting`, or the status of the result, by the id of the approval.
    pub(crate) payments: HashMap<String, &'static str>,
}

impl Tables {
    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save_number(&self, id: &str, number: String) -> Result<(), BoxError> {
        let mut rows = self.rows();
        let kept = rows
            .numbers
            .get_mut(id)
            .ok_or_else(|| RecordMissing::new(id))?;
        *kept = Some(number);
        Ok(())
    }

    /// If the status is `approved`, the shop ships here: this runs once.
    fn save_payment(&self, result: &ApprovalResult) -> Result<(), BoxError> {
        let mut rows = self.rows();
        let kept = rows
            .payments
            .get_mut(result.id())
            .ok_or_else(|| RecordMissing::new(result.id()))?;
        *kept = result.status();
        Ok(())
    }

    fn find_key(&self, id: &str) -> Option<KnownKey> {
        self.rows().phone_keys.get(id).cloned()
    }
}

#[derive(Clone)]
struct Shop {
    client: Countersign,
    tables: Tables,
    places: Endpoints,
    login: LoginHandler,
    webhooks: WebhookHandler,
    limiter: Arc<StartLimiter>,
}

/// URLs of the shop and of the service.
#[derive(Clone)]
pub(crate) struct Endpoints {
    /// The origin of the shop's pages.
    pub(crate) origin: String,
    /// The URL at which the service reaches the shop.
    pub(crate) webhook_url: String,
    /// The URL of Countersign.
    pub(crate) service: String,
}

/// Returns the shop.
pub(crate) fn shop(
    client: &Countersign,
    places: &Endpoints,
    tables: &Tables,
) -> Result<Router, Error> {
    let keys = tables.clone();
    let login = LoginHandler::builder(client, &places.origin).find_key(move |id| {
        let found = keys.find_key(&id);
        async { Ok::<_, BoxError>(found) }
    })?;
    let (numbers, payments, keys) = (tables.clone(), tables.clone(), tables.clone());
    let webhooks = WebhookHandler::builder(client)
        .on_verified(move |event| {
            let saved = numbers.save_number(&event.confirmation_id, event.phone_number);
            async { saved }
        })
        .on_approval(move |result| {
            let saved = payments.save_payment(&result);
            async { saved }
        })
        .find_key(move |id| {
            let found = keys.find_key(&id);
            async { Ok::<_, BoxError>(found) }
        })
        .build()?;
    let shop = Shop {
        client: client.clone(),
        tables: tables.clone(),
        places: places.clone(),
        login,
        webhooks,
        limiter: Arc::new(StartLimiter::new()),
    };
    Ok(Router::new()
        .route("/number", post(number))
        .route("/login", post(log_in))
        .route("/checkout", get(checkout))
        .route("/pay", post(pay))
        .route("/paid", post(paid))
        .route("/webhook", post(webhook))
        .with_state(shop))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Typed {
    phone_number: String,
    country: Option<String>,
}

/// The number: `<countersign-phone start="/number">`.
async fn number(
    visitor: SignedIn,
    State(shop): State<Shop>,
    Json(typed): Json<Typed>,
) -> Result<Response, Failure> {
    let start = Start::new(&visitor.cookie, visitor.address.ip()).phone_number(&typed.phone_number);
    limit(&shop, &start)?;
    let mut request = ConfirmRequest::new(&typed.phone_number)
        .callback_url(&shop.places.webhook_url)
        .client_channel();
    if let Some(country) = typed.country {
        request = request.country(country);
    }
    let started = shop
        .client
        .confirmations()
        .confirm(request)
        .on_started(|started| async {
            shop.tables
                .rows()
                .numbers
                .insert(started.confirmation_id, None);
            Ok::<_, BoxError>(())
        });
    Ok(Json(started.await?).into_response())
}

/// The login: the data that the page posts after the event `confirmed` of `<countersign-login
/// app-key="…">`.
async fn log_in(
    State(shop): State<Shop>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Reply> {
    let answer = shop
        .login
        .answer(&method, &headers, &body, |login| async move {
            let mut cookie = [0; 32];
            getrandom::fill(&mut cookie).map_err(|_| "no random numbers")?;
            let cookie = BASE64_URL_SAFE_NO_PAD.encode(cookie);
            shop.tables
                .rows()
                .sessions
                .insert(cookie.clone(), Session::new(&login.user_id));
            // Over https, also add `Secure`.
            let header = format!("session={cookie}; HttpOnly; SameSite=Lax; Path=/");
            Ok::<_, BoxError>(([("set-cookie", header)], "logged in").into_response())
        });
    answer.await
}

/// The approval: `session` of `<countersign-login>`. A reloaded page continues with its approval.
async fn pay(visitor: SignedIn, State(shop): State<Shop>) -> Result<Response, Failure> {
    if let Some(approval) = &visitor.session.approval {
        let result = result_of(&shop, &approval.id).await?;
        if matches!(result, ApprovalResult::Pending { .. }) {
            return Ok(Json(&approval.session).into_response());
        }
    }
    limit(&shop, &Start::new(&visitor.cookie, visitor.address.ip()))?;
    let user_id = &visitor.session.user_id;
    let approval = shop
        .client
        .approvals()
        .start(&shop.places.origin, CONTEXT, user_id)
        .on_started(|approval| async {
            shop.tables.rows().payments.insert(approval.id, "waiting");
            Ok::<_, BoxError>(())
        });
    let approval = approval.await?;
    let answer = Json(&approval.session).into_response();
    if let Some(session) = shop.tables.rows().sessions.get_mut(&visitor.cookie) {
        session.approval = Some(approval);
    }
    Ok(answer)
}

/// The data that the page posts after its event `confirmed`.
async fn paid(visitor: SignedIn, State(shop): State<Shop>) -> Result<Response, Failure> {
    // Never use an id from the page.
    let Some(approval) = &visitor.session.approval else {
        return Ok(StatusCode::NOT_FOUND.into_response());
    };
    result_of(&shop, &approval.id).await?;
    let status = shop.tables.rows().payments.get(&approval.id).copied();
    Ok(Json(json!({ "status": status })).into_response())
}

async fn result_of(shop: &Shop, id: &str) -> Result<ApprovalResult, Error> {
    let question = shop.client.approvals().result(id);
    let question =
        question.find_key(|id| async move { Ok::<_, BoxError>(shop.tables.find_key(&id)) });
    question
        .on_result(|result| async move { shop.tables.save_payment(&result) })
        .await
}

/// Handles webhooks about numbers, and about approvals whose page was closed.
async fn webhook(
    State(shop): State<Shop>,
    RawRequest {
        method,
        headers,
        body,
    }: RawRequest,
) -> Reply {
    shop.webhooks.answer(&method, &headers, &body).await
}

async fn checkout(State(shop): State<Shop>) -> Html<String> {
    Html(CHECKOUT.replace("SERVICE", &shop.places.service))
}

/// Extracts the signed data: the raw body, with no more bytes than a handler needs to refuse it.
struct RawRequest {
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for RawRequest {
    type Rejection = StatusCode;

    async fn from_request(request: Request, _: &S) -> Result<Self, StatusCode> {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, countersign_client::handlers::MAX_BODY).await;
        Ok(Self {
            method: parts.method,
            headers: parts.headers,
            body: body.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?,
        })
    }
}

/// Extracts the session of a logged-in browser from a request by the shop's own page. Otherwise another site could
/// start something here on behalf of its visitors.
struct SignedIn {
    cookie: String,
    session: Session,
    address: SocketAddr,
}

impl FromRequestParts<Shop> for SignedIn {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, shop: &Shop) -> Result<Self, StatusCode> {
        let header = |name| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let mut cookies = header("cookie").unwrap_or_default().split("; ");
        let cookie = cookies
            .find_map(|cookie| cookie.strip_prefix("session="))
            .unwrap_or_default();
        let session = shop.tables.rows().sessions.get(cookie).cloned();
        let session = session.filter(|_| header("origin") == Some(shop.places.origin.as_str()));
        let ConnectInfo(address) = parts
            .extensions
            .get()
            .copied()
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)?;
        Ok(Self {
            cookie: cookie.to_owned(),
            session: session.ok_or(StatusCode::FORBIDDEN)?,
            address,
        })
    }
}

fn limit(shop: &Shop, start: &Start<'_>) -> Result<(), Failure> {
    match shop.limiter.take(start)? {
        None => Ok(()),
        Some(refusal) => Err(Failure::Wait(refusal.retry_after.as_secs())),
    }
}

enum Failure {
    /// Too many start requests; the wait in seconds.
    Wait(u64),
    Service(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::Wait(seconds) => (
                StatusCode::TOO_MANY_REQUESTS,
                [("retry-after", seconds.to_string())],
            )
                .into_response(),
            // An error of the visitor, such as a number that does not exist. A real shop reports to the page
            // which error it is.
            Self::Service(Error::Problem(problem)) if problem.status == 422 => {
                (StatusCode::UNPROCESSABLE_ENTITY, problem.code).into_response()
            }
            Self::Service(error) => {
                tracing::error!(%error, "the service cannot be used");
                StatusCode::BAD_GATEWAY.into_response()
            }
        }
    }
}

const CHECKOUT: &str = r#"<!DOCTYPE html>
<html lang="en">
<title>Checkout</title>
<script type="module" src="SERVICE/widget.js"></script>
<countersign-login></countersign-login>
<script type="module">
  const approval = document.querySelector('countersign-login')
  const post = async (path) => (await fetch(path, { method: 'POST' })).json()
  const start = async () => { approval.session = await post('/pay') }
  approval.addEventListener('renew', start) // The user wants a new code.
  approval.addEventListener('confirmed', async (event) => {
    event.preventDefault() // The element shows the outcome once the server has decided.
    const { status } = await post('/paid')
    if (status === 'approved') approval.accept()
    else approval.reject('The payment was not approved.')
  })
  await start()
</script>
</html>
"#;
