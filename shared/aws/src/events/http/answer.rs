//! Answers to requests, in the form that the kind of their event asks for.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::Payload;

/// Types of content that are sent as text; others are sent in Base64.
const TEXTS: [&str; 5] = [
    "text/",
    "application/json",
    "application/problem+json",
    "application/javascript",
    "application/xml",
];

/// An answer to a request.
#[derive(Debug)]
pub struct HttpAnswer {
    payload: Payload,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl HttpAnswer {
    /// Makes the answer to a request of this kind.
    #[must_use]
    pub fn new(payload: Payload, response: Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            payload,
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    /// Returns the body as text, if its type is text and it is.
    fn text(&self) -> Option<&str> {
        let is_text = match self.headers.get(CONTENT_TYPE) {
            Some(content_type) => TEXTS
                .iter()
                .any(|text| content_type.as_bytes().starts_with(text.as_bytes())),
            None => true,
        };
        let text = std::str::from_utf8(&self.body).ok()?;
        (is_text && !self.headers.contains_key(CONTENT_ENCODING)).then_some(text)
    }
}

impl Serialize for HttpAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("statusCode", &self.status.as_u16())?;
        match self.payload {
            Payload::V1 => map.serialize_entry("multiValueHeaders", &Lists(&self.headers))?,
            Payload::V2 => {
                map.serialize_entry("headers", &Joined(&self.headers, Cookies::Apart))?;
                map.serialize_entry("cookies", &Values(&self.headers, &SET_COOKIE))?;
            }
            // A load balancer reads the member that it is set to, with an error if it is absent.
            Payload::LoadBalancer => {
                let reason = self.status.canonical_reason().unwrap_or_default();
                let description = format!("{} {reason}", self.status.as_u16());
                map.serialize_entry("statusDescription", &description)?;
                map.serialize_entry("headers", &Joined(&self.headers, Cookies::Among))?;
                map.serialize_entry("multiValueHeaders", &Lists(&self.headers))?;
            }
        }
        let text = self.text();
        match text {
            Some(text) => map.serialize_entry("body", text)?,
            None => map.serialize_entry("body", &BASE64_STANDARD.encode(&self.body))?,
        }
        map.serialize_entry("isBase64Encoded", &text.is_none())?;
        map.end()
    }
}

/// Returns the values of a header as one, joined with commas as HTTP allows for all but cookies, of which
/// the last one is taken. A value that is no UTF-8 is made it.
fn joined<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Cow<'a, str> {
    let mut values = headers.get_all(name).iter();
    let as_text = |value: &'a HeaderValue| String::from_utf8_lossy(value.as_bytes());
    if name == SET_COOKIE {
        return values.next_back().map(as_text).unwrap_or_default();
    }
    let first = values.next().map(as_text).unwrap_or_default();
    values.map(as_text).fold(first, |mut joined, value| {
        let all = joined.to_mut();
        all.push_str(", ");
        all.push_str(&value);
        joined
    })
}

/// Where cookies are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cookies {
    /// In a member of their own.
    Apart,
    /// Among the headers.
    Among,
}

/// Headers with one value each.
struct Joined<'a>(&'a HeaderMap, Cookies);

impl Serialize for Joined<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(headers, cookies) = self;
        let names = headers.keys();
        let names = names.filter(|name| *name != SET_COOKIE || *cookies == Cookies::Among);
        serializer.collect_map(names.map(|name| (name.as_str(), joined(headers, name))))
    }
}

/// Headers with a list of values each. All but cookies have one, with the values joined.
struct Lists<'a>(&'a HeaderMap);

impl Serialize for Lists<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(headers) = self;
        let mut map = serializer.serialize_map(None)?;
        for name in headers.keys() {
            if name == SET_COOKIE {
                map.serialize_entry(name.as_str(), &Values(headers, name))?;
            } else {
                map.serialize_entry(name.as_str(), &[joined(headers, name)])?;
            }
        }
        map.end()
    }
}

/// All values of a header.
struct Values<'a>(&'a HeaderMap, &'a HeaderName);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.get_all(self.1).iter();
        let mut list = serializer.serialize_seq(None)?;
        for value in values {
            list.serialize_element(&String::from_utf8_lossy(value.as_bytes()))?;
        }
        list.end()
    }
}
