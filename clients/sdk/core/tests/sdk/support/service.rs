//! A scripted service with one login, with the real service's rules.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{IdInputs, plain_id, sealed_id};
use countersign_domain::login::{BrowserPublicKey, BrowserToken, Payload};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use countersign_sdk::{Header, Http, NetworkError, Request, Response};
use countersign_sealing::{BrowserPrivateKey, Envelope};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use super::{SERVICE, VirtualClock};

pub(crate) const APP_KEY: &str = "cs_app_0123456789abcdefABCDEF";
pub(crate) const ORIGIN: &str = "https://shop.example";
pub(crate) const CONTEXT: &str = "Pay 20 EUR\nto Bücher GmbH";
pub(crate) const CODE: &str = "42";

/// 2026-01-02T03:04:05.678Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_767_323_045_678);

/// The fate of a request and its answer.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    /// Both arrive.
    Arrives,
    /// The request does not arrive.
    NotSent,
    /// The request takes effect, and its answer is lost.
    Lost,
    /// The request takes effect, and no answer ever arrives.
    Silent,
    /// The request does not arrive, and a retry would not help.
    Hopeless,
    /// The request takes effect, and the answer is longer than the platform reads.
    TooLong,
    /// The request does not arrive, and something else answers it.
    Replaced(u16, Value),
    /// Like `Replaced`, with a wait in seconds.
    Busy(u16, &'static str),
    /// The first answer is returned again.
    Stale,
}

/// A received request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) route: String,
    pub(crate) headers: Vec<Header>,
    pub(crate) body: Vec<u8>,
}

impl Call {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let header = headers.find(|header| header.name == name);
        header.map(|header| header.value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[derive(Default)]
struct State {
    phone: Option<(String, Vec<u8>)>,
    decision: Option<(String, Vec<u8>)>,
    calls: Vec<Call>,
    first_answer: Option<(u16, Value)>,
    fates: VecDeque<Fate>,
}

pub(crate) struct Service {
    pub(crate) id: LoginId,
    browser: BrowserPrivateKey,
    /// The answer to a phone that opens the login, without its times.
    pub(crate) answer: Value,
    /// Number of polls before each request arrives, and before its answer is back.
    pub(crate) pauses: usize,
    clock: Arc<VirtualClock>,
    state: Mutex<State>,
}

impl Service {
    /// Creates a login whose id covers a key.
    pub(crate) fn new() -> Self {
        Self::with_context(None)
    }

    pub(crate) fn with_context(context: Option<&str>) -> Self {
        let browser = BrowserPrivateKey::generate(&OsEntropy);
        let key = browser.public_key().unwrap();
        let mut service = Self::with_key(&key, context);
        service.browser = browser;
        service
    }

    /// Creates a login of a browser that sent this key.
    pub(crate) fn with_key(key: &BrowserPublicKey, context: Option<&str>) -> Self {
        let inputs = IdInputs {
            app_key: &APP_KEY.parse::<AppKey>().unwrap(),
            origin: &ORIGIN.parse::<WebOrigin>().unwrap(),
            context: context.unwrap_or_default(),
        };
        let mut service = Self::plain();
        service.id = sealed_id(inputs, key);
        service.answer["browserPublicKey"] = key.to_string().into();
        if let Some(context) = context {
            service.answer["context"] = context.into();
        }
        service
    }

    /// Creates a login of a browser without a key.
    pub(crate) fn plain() -> Self {
        Self {
            id: plain_id(&BrowserToken::generate(&OsEntropy)),
            browser: BrowserPrivateKey::generate(&OsEntropy),
            answer: answer(),
            pauses: 0,
            clock: Arc::default(),
            state: Mutex::default(),
        }
    }

    pub(super) fn on(mut self, clock: Arc<VirtualClock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the fates of the next requests. Later requests arrive.
    pub(crate) fn fates(&self, fates: impl IntoIterator<Item = Fate>) {
        self.state.lock().unwrap().fates.extend(fates);
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.state.lock().unwrap().calls.clone()
    }

    pub(crate) fn routes(&self) -> Vec<String> {
        self.calls().into_iter().map(|call| call.route).collect()
    }

    /// Returns the route and the body that decided the login.
    pub(crate) fn decision(&self) -> Option<(String, Value)> {
        let decision = self.state.lock().unwrap().decision.clone()?;
        Some((decision.0, serde_json::from_slice(&decision.1).unwrap()))
    }

    /// Ends the login in a different way, such as `session_cancelled`.
    pub(crate) fn end(&self, code: &str) {
        self.state.lock().unwrap().decision = Some((code.to_owned(), b"{}".to_vec()));
    }

    /// Decrypts the payload that confirmed the login.
    pub(crate) fn opened(&self) -> Envelope {
        let (route, body) = self.decision().unwrap();
        assert_eq!(route, "confirm");
        let payload = Payload::encrypted(body["payload"].as_str().unwrap().to_owned()).unwrap();
        let origin = ORIGIN.parse::<WebOrigin>().unwrap();
        self.browser.open(self.id, &origin, &payload).unwrap()
    }

    pub(crate) fn now(&self) -> Timestamp {
        START.plus(self.clock.since_boot())
    }

    fn answer_to(&self, route: &str, call: &Call) -> (u16, Value) {
        let mut state = self.state.lock().unwrap();
        let token = call.header("authorization").unwrap().to_owned();
        state.calls.push(call.clone());
        let answer = match route {
            "initiate" => self.initiate(&mut state, token, call),
            _ if state.phone.as_ref().is_none_or(|phone| phone.0 != token) => {
                problem(404, "session_not_found")
            }
            route => decide(&mut state, route, &call.body),
        };
        state.first_answer.get_or_insert_with(|| answer.clone());
        answer
    }

    fn initiate(&self, state: &mut State, token: String, call: &Call) -> (u16, Value) {
        assert_eq!(call.header("x-app-key"), Some(APP_KEY));
        if state.decision.is_some() {
            return problem(409, "session_ended");
        }
        match &state.phone {
            Some((known, _)) if *known != token => return problem(409, "second_phone"),
            Some((_, body)) if *body != call.body => {
                return problem(409, "session_initiated_differently");
            }
            _ => state.phone = Some((token, call.body.clone())),
        }
        let mut answer = self.answer.clone();
        answer["serverTime"] = self.now().to_string().into();
        answer["expiresAt"] = START.plus(Duration::from_mins(3)).to_string().into();
        (200, answer)
    }

    async fn pause(&self) {
        let mut left = self.pauses;
        std::future::poll_fn(|_| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            self.clock.moved();
            Poll::Pending
        })
        .await;
    }
}

fn decide(state: &mut State, route: &str, body: &[u8]) -> (u16, Value) {
    match &state.decision {
        None => {
            state.decision = Some((route.to_owned(), body.to_vec()));
            (200, true.into())
        }
        Some((known, first)) if known == route && (route == "deny" || *first == body) => {
            (200, true.into())
        }
        Some((known, _)) => problem(
            409,
            match known.as_str() {
                "confirm" => "session_confirmed",
                "deny" => "session_denied",
                other => other,
            },
        ),
    }
}

pub(crate) fn problem(status: u16, code: &str) -> (u16, Value) {
    (
        status,
        json!({ "title": "No", "detail": "Why.", "code": code }),
    )
}

#[async_trait]
impl Http for Service {
    async fn send(&self, request: Request) -> Result<Response, NetworkError> {
        let start = format!("{SERVICE}/qr-sessions/{}/", self.id);
        let route = request
            .url
            .strip_prefix(&start)
            .expect(&request.url)
            .to_owned();
        let call = Call {
            route: route.clone(),
            headers: request.headers,
            body: request.body,
        };
        self.pause().await;
        let fate = self.state.lock().unwrap().fates.pop_front();
        let temporary = || NetworkError::Temporary {
            detail: "cut off".to_owned(),
        };
        let mut headers = Vec::new();
        let (status, body) = match fate.unwrap_or(Fate::Arrives) {
            Fate::Arrives => self.answer_to(&route, &call),
            Fate::NotSent => return Err(temporary()),
            Fate::Lost => {
                self.answer_to(&route, &call);
                self.pause().await;
                return Err(temporary());
            }
            Fate::Silent => {
                self.answer_to(&route, &call);
                pending().await
            }
            Fate::Hopeless => {
                let detail = "a bad certificate".to_owned();
                return Err(NetworkError::Permanent { detail });
            }
            Fate::TooLong => {
                self.answer_to(&route, &call);
                return Err(NetworkError::AnswerTooLong);
            }
            Fate::Replaced(status, body) => {
                self.state.lock().unwrap().calls.push(call);
                (status, body)
            }
            Fate::Busy(status, seconds) => {
                self.state.lock().unwrap().calls.push(call);
                headers.push(Header {
                    name: "Retry-After".to_owned(),
                    value: seconds.to_owned(),
                });
                problem(status, "service_unavailable")
            }
            Fate::Stale => {
                let first = self.state.lock().unwrap().first_answer.clone();
                self.answer_to(&route, &call);
                first.unwrap()
            }
        };
        self.pause().await;
        Ok(Response {
            status,
            headers,
            body: body.to_string().into_bytes(),
        })
    }
}

fn answer() -> Value {
    json!({
        "session": {
            "iPAddressMobile": "198.51.100.9",
            "iPAddressWidget": "203.0.113.7",
            "riskAnalytics": {
                "riskStatus": "warn",
                "riskFlagString": "The browser is in another country than this phone.",
                "geoData": {
                    "mobile": { "city": "Köln", "country_code": "DE" },
                    "browser": { "country_code": "FR" },
                },
            },
            "mobileTemplateResponse": {
                "title": "Log in to shop.example?",
                "message": "Firefox on Linux in France wants to log in.",
                "widget": { "location": "FR", "issue": "In another country." },
                "mobile": { "location": "Köln, DE" },
                "userAgent": { "name": "Firefox on Linux" },
                "flags": [{
                    "code": "countries_differ",
                    "severity": "warn",
                    "text": "The browser is in another country than this phone.",
                }],
            },
        },
        "app": { "name": "shop" },
        "origin": ORIGIN,
    })
}
