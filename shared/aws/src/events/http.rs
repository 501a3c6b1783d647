//! Events of HTTP requests, made safe for `lambda_http`.
//!
//! They come as payload 1.0 from a REST API, as payload 2.0 from an HTTP API or a function URL, or
//! from an Application Load Balancer. `lambda_http` turns each into a request, and unwraps on the
//! way: a path, host, scheme or query that makes no URL, and a body that is no Base64. [`judge`]
//! rewrites an event before `lambda_http` reads it, so that none of that can happen. A request that
//! cannot be ours becomes `GET /`, which no function routes, and gets the not-found answer.

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{HOST, HeaderName, HeaderValue};
use http::uri::Authority;
use http::{Method, Uri};
use serde_json::{Map, Value, json};
use url::Url;

/// Largest number of header values. API Gateway and load balancers allow fewer; a `HeaderMap`
/// panics at 24,576.
const MAX_HEADERS: usize = 1000;

/// Largest length of the host, path and query together, in bytes. A `Uri` holds 65,534, and encoding
/// makes up to three bytes of one.
const MAX_TARGET: usize = 20_000;

/// The header that tells the scheme of the caller's request.
const SCHEME: &str = "x-forwarded-proto";

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Payload {
    /// Payload 1.0: a REST API, or an HTTP API that is set to it.
    V1,
    /// Payload 2.0: an HTTP API, or a function URL.
    V2,
    /// A target group of an Application Load Balancer.
    LoadBalancer,
}

/// Rewrites an event so that `lambda_http` can convert it without a panic.
///
/// An event of another kind becomes `null`, which `lambda_http` refuses with an error.
#[must_use]
pub fn judge(event: &[u8]) -> Bytes {
    let judged = serde_json::from_slice(event)
        .ok()
        .and_then(|mut event: Value| {
            Payload::of(&event)?.judge(&mut event);
            serde_json::to_vec(&event).ok()
        });
    judged.map_or(Bytes::from_static(b"null"), Bytes::from)
}

impl Payload {
    /// Returns the kind of an event whose `requestContext` has the members of that kind.
    fn of(event: &Value) -> Option<Self> {
        let context = event.get("requestContext")?;
        let has = |member| context.get(member).is_some_and(Value::is_object);
        if has("http") {
            Some(Self::V2)
        } else if has("elb") {
            Some(Self::LoadBalancer)
        } else {
            context.get("httpMethod").map(|_| Self::V1)
        }
    }

    fn judge(self, event: &mut Value) {
        let headers = Headers::take(event);
        let query = self.take_query(event);
        let wanted = self.method(event).zip(self.path(event));
        let wanted = wanted.filter(|(_, path)| {
            let length = headers.host().map_or(0, str::len) + path.len() + query.length;
            length <= MAX_TARGET && headers.count <= MAX_HEADERS && makes_uri(headers.host(), path)
        });
        self.only(event);
        match wanted {
            Some((method, path)) => {
                headers.put(event);
                self.put_query(event, query);
                self.put(event, &method, &path);
            }
            None => self.put(event, &Method::GET, "/"),
        }
        judge_body(event);
    }

    /// Returns the method, if it is one.
    fn method(self, event: &Value) -> Option<Method> {
        let method = match self {
            Self::V1 | Self::LoadBalancer => &event["httpMethod"],
            Self::V2 => &event["requestContext"]["http"]["method"],
        };
        Method::from_bytes(method.as_str()?.as_bytes()).ok()
    }

    /// Returns the path without the stage, encoded: the platform may have decoded it.
    fn path(self, event: &Value) -> Option<String> {
        let path = match self {
            Self::V1 | Self::LoadBalancer => &event["path"],
            Self::V2 => &event["rawPath"],
        };
        let path = without_stage(path.as_str()?, &event["requestContext"]);
        path.starts_with('/').then(|| encoded(path, b"/%"))
    }

    /// Removes what could make `lambda_http` take the event for another kind, add a stage to the
    /// path, or take a host from elsewhere than the header.
    fn only(self, event: &mut Value) {
        let context = event["requestContext"].take();
        event["requestContext"] = match self {
            Self::LoadBalancer => json!({ "elb": context["elb"] }),
            Self::V1 | Self::V2 => context,
        };
        if let Some(event) = event.as_object_mut() {
            event.remove("httpMethod");
            event.remove("path");
            event.remove("rawPath");
        }
        if let Some(context) = event["requestContext"].as_object_mut() {
            context.remove("stage");
            context.remove("domainName");
            if self == Self::V1 {
                context.remove("http");
                context.remove("elb");
            }
        }
    }

    /// Writes the request line.
    fn put(self, event: &mut Value, method: &Method, path: &str) {
        let method = json!(method.as_str());
        match self {
            Self::V1 => {
                event["requestContext"]["httpMethod"] = method.clone();
                event["httpMethod"] = method;
                event["path"] = json!(path);
            }
            Self::V2 => {
                event["requestContext"]["http"]["method"] = method;
                event["rawPath"] = json!(path);
            }
            Self::LoadBalancer => {
                event["httpMethod"] = method;
                event["path"] = json!(path);
            }
        }
    }

    /// Takes the query out of an event: text in payload 2.0, lists of values otherwise.
    fn take_query(self, event: &mut Value) -> Query {
        let single = take_map(event, "queryStringParameters");
        let multiple = take_map(event, "multiValueQueryStringParameters");
        if self == Self::V2 {
            let raw = event["rawQueryString"].take();
            let raw = encoded(raw.as_str().unwrap_or_default(), b"/%?");
            return Query {
                length: raw.len(),
                raw,
                values: Map::new(),
            };
        }
        let values = if multiple.is_empty() {
            single
        } else {
            multiple
        };
        // `lambda_http` panics at a name without a value.
        let values: Map<_, _> = values
            .into_iter()
            .map(|(name, values)| (name, texts(values)))
            .filter(|(_, values)| !values.is_empty())
            .map(|(name, values)| (name, json!(values)))
            .collect();
        let pairs = values.iter().flat_map(|(name, values)| {
            let values = values.as_array().into_iter().flatten();
            values.map(|value| name.len() + value.as_str().map_or(0, str::len) + "=&".len())
        });
        Query {
            length: pairs.sum(),
            raw: String::new(),
            values,
        }
    }

    fn put_query(self, event: &mut Value, query: Query) {
        if self == Self::V2 {
            event["rawQueryString"] = json!(query.raw);
        } else {
            event["multiValueQueryStringParameters"] = Value::Object(query.values);
        }
    }
}

/// The query of an event.
struct Query {
    /// The encoded text, in payload 2.0.
    raw: String,
    /// The values of each name, in other payloads.
    values: Map<String, Value>,
    /// The length in bytes, before `lambda_http` encodes values.
    length: usize,
}

/// The headers of an event, without those that HTTP does not allow.
struct Headers {
    single: Map<String, Value>,
    multiple: Map<String, Value>,
    /// How many values there are.
    count: usize,
}

impl Headers {
    /// Takes the headers out of an event. If it has them twice, those with all values count:
    /// `lambda_http` would keep the last value of each.
    fn take(event: &mut Value) -> Self {
        let mut single = valid(take_map(event, "headers"));
        let multiple = valid(take_map(event, "multiValueHeaders"));
        if multiple.is_empty() {
            for values in single.values_mut() {
                *values = values.as_array_mut().and_then(Vec::pop).unwrap_or_default();
            }
        } else {
            single.clear();
        }
        // Only these two make a URL that may be none.
        single.retain(|name, value| {
            !name.eq_ignore_ascii_case(SCHEME) || matches!(value.as_str(), Some("http" | "https"))
        });
        let values = multiple.values().filter_map(Value::as_array);
        let count = single.len() + values.map(Vec::len).sum::<usize>();
        Self {
            single,
            multiple,
            count,
        }
    }

    /// Returns the host. `lambda_http` makes a URL with it, if it is in the single-valued headers.
    fn host(&self) -> Option<&str> {
        let mut headers = self.single.iter().chain(&self.multiple);
        let (_, host) = headers.find(|(name, _)| name.eq_ignore_ascii_case(HOST.as_str()))?;
        host.get(0).unwrap_or(host).as_str()
    }

    fn put(self, event: &mut Value) {
        event["headers"] = Value::Object(self.single);
        event["multiValueHeaders"] = Value::Object(self.multiple);
    }
}

/// Returns headers that HTTP allows, each with a list of values.
fn valid(headers: Map<String, Value>) -> Map<String, Value> {
    headers
        .into_iter()
        .filter(|(name, _)| HeaderName::from_bytes(name.as_bytes()).is_ok())
        .map(|(name, values)| {
            let mut values = texts(values);
            values.retain(|value| HeaderValue::from_str(value).is_ok());
            (name, values)
        })
        .filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| (name, json!(values)))
        .collect()
}

/// Returns a text, or the texts of a list.
fn texts(value: Value) -> Vec<String> {
    let values = match value {
        Value::Array(values) => values,
        value => vec![value],
    };
    let texts = values.into_iter().filter_map(|value| match value {
        Value::String(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

fn take_map(event: &mut Value, name: &str) -> Map<String, Value> {
    let member = event.as_object_mut().and_then(|event| event.remove(name));
    match member {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Removes a stage that the path begins with.
///
/// Payload 2.0 always has it there. Payload 1.0 has it in `requestContext.path`; if the two paths
/// differ, the path has none.
fn without_stage<'a>(path: &'a str, context: &Value) -> &'a str {
    let whole = context["path"].as_str().unwrap_or(path);
    let Some(stage) = context["stage"].as_str().filter(|_| whole == path) else {
        return path;
    };
    let rest = path
        .strip_prefix('/')
        .and_then(|path| path.strip_prefix(stage));
    match rest {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// Encodes what a path cannot hold, and keeps `more` as it is.
fn encoded(text: &str, more: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric()
            || b"-._~!$&'()*+,;=:@".contains(&byte)
            || more.contains(&byte)
        {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns whether the host and the path make a URI that still has this path. `/a/../b` does not,
/// and no route is written like that.
fn makes_uri(host: Option<&str>, path: &str) -> bool {
    let host = host.unwrap_or("localhost");
    Authority::try_from(host).is_ok()
        && Url::parse(&format!("https://{host}{path}"))
            .is_ok_and(|url| url.path() == path && Uri::try_from(url.as_str()).is_ok())
}

/// Takes a body that is not the Base64 that it is said to be as text, which the route refuses.
fn judge_body(event: &mut Value) {
    let decodes = |body: &str| BASE64_STANDARD.decode(body).is_ok();
    let is_encoded = event["isBase64Encoded"] == true && event["body"].as_str().is_none_or(decodes);
    event["isBase64Encoded"] = json!(is_encoded);
}
