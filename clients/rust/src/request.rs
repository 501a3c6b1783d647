//! Requests to the service, and the interpretation of its answers. Nothing here performs I/O.

use std::time::Duration;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{ConnectionError, Error, Problem};

/// The members of an answer.
pub(crate) type Members = Map<String, Value>;

/// When a request may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// After any transient failure.
    Safe,
    /// Only if it certainly had no effect.
    IfRefused,
    Never,
}

/// A request. Has no `Debug`, because its headers may contain secrets.
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Value>,
    pub(crate) repeat: Repeat,
    /// True if 204 is a valid answer.
    pub(crate) may_be_empty: bool,
}

impl Request {
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self {
            method,
            path,
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            repeat: Repeat::Safe,
            may_be_empty: false,
        }
    }

    pub(crate) fn get(path: String) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: String, body: &impl Serialize) -> Result<Self, Error> {
        // Fails for metadata that JSON cannot represent, such as a map with keys that are not
        // strings.
        let body =
            serde_json::to_value(body).map_err(|_| Error::invalid("the request is no JSON"))?;
        let mut request = Self::new(Method::POST, path);
        request.body = Some(body);
        Ok(request)
    }

    /// Adds a header. The HTTP library's error would quote an invalid value, which is a secret.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Result<Self, Error> {
        let is_visible =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
        let fits = value.splitn(2, ' ').all(is_visible);
        let value = HeaderValue::from_str(value).ok().filter(|_| fits);
        let mut value = value.ok_or_else(|| {
            Error::invalid(format!(
                "the value for the header {name} has characters that no such value has"
            ))
        })?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }

    pub(crate) fn bearer(self, token: &str) -> Result<Self, Error> {
        self.header("authorization", &format!("Bearer {token}"))
    }
}

/// Returns the path with these parts. Ids come from outside, and must not lead to a different path.
pub(crate) fn path_of(parts: &[&str]) -> Result<String, Error> {
    let is_id = |part: &&str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if !parts.iter().all(is_id) {
        return Err(Error::invalid("an id has letters, digits, - and _ only"));
    }
    Ok(format!("/{}", parts.join("/")))
}

/// An answer, with its JSON if there is any.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Value>,
    /// The wait that the service requests. Set by the caller, which knows the current time.
    pub(crate) retry_after: Option<Duration>,
}

/// No answer arrived.
pub(crate) struct Unanswered {
    pub(crate) reason: &'static str,
    /// True if the request may have reached the service.
    pub(crate) sent: bool,
    pub(crate) source: Option<reqwest::Error>,
}

pub(crate) type Outcome = Result<Answer, Unanswered>;

/// Returns the members of a successful answer, or its error. An empty body counts as no members, if
/// `may_be_empty`.
pub(crate) fn check_answer(
    outcome: Outcome,
    address: &str,
    may_be_empty: bool,
) -> Result<Members, Error> {
    let answer = outcome.map_err(|lost| {
        let message = format!("the service at {address} did not answer: {}", lost.reason);
        ConnectionError::unanswered(message, lost.source)
    })?;
    if answer.status == StatusCode::NO_CONTENT && may_be_empty {
        return Ok(Members::new());
    }
    match answer.body {
        Some(Value::Object(members)) if answer.status.is_success() => Ok(members),
        _ => Err(error_of(&answer, address)),
    }
}

fn error_of(answer: &Answer, address: &str) -> Error {
    let status = answer.status.as_u16();
    let Some(Value::Object(body)) = answer.body.as_ref().filter(|_| status >= 400) else {
        let what = if answer.status.is_redirection() {
            "with a redirect".to_owned()
        } else {
            format!("{status} without JSON")
        };
        let message = format!("the service at {address} answered {what}");
        let error = ConnectionError::answered(status, message);
        return error.retry_after(answer.retry_after).into();
    };
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    Error::Problem(Box::new(Problem {
        status,
        code: text("code").unwrap_or_else(|| format!("http_{status}")),
        title: text("title"),
        detail: text("detail"),
        field: text("field"),
        request_id: text("requestId"),
        retry_after: answer.retry_after,
    }))
}

/// Deserializes an answer. Ignores members that this version does not know.
pub(crate) fn read<T: DeserializeOwned>(members: Members, what: &str) -> Result<T, Error> {
    // Omits the cause, which may quote the answer.
    serde_json::from_value(Value::Object(members)).map_err(|_| {
        ConnectionError::answered(
            200,
            format!("the service's {what} has members of other types"),
        )
        .into()
    })
}

/// Returns a required member that must be a non-empty string.
pub(crate) fn text_member<'a>(members: &'a Members, name: &str) -> Result<&'a str, Error> {
    let text = members.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty())
        .ok_or_else(|| Error::lacking(name))
}

/// Returns the objects of a required member that must be a list.
pub(crate) fn list_member(members: &mut Members, name: &str) -> Result<Vec<Members>, Error> {
    let Some(Value::Array(items)) = members.remove(name) else {
        return Err(Error::lacking(name));
    };
    let objects = items.into_iter().filter_map(|item| match item {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Ok(objects.collect())
}

/// Returns a header's value, if it is valid text.
pub(crate) fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
