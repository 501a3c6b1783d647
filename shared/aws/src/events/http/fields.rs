//! The header fields of an event.

use http::header::{COOKIE, HeaderName, HeaderValue};
use http::{HeaderMap, Method};

use super::Payload;
use super::json::Json;

/// Largest number of header values. API Gateway and load balancers allow fewer; a `HeaderMap` panics
/// at 24,576.
const MAX_HEADERS: usize = 1000;

/// Returns the method, if it is one.
pub(super) fn method(payload: Payload, event: &Json<'_>) -> Option<Method> {
    let method = match payload {
        Payload::V1 | Payload::LoadBalancer => event.get("httpMethod"),
        Payload::V2 => event.get("requestContext").get("http").get("method"),
    };
    Method::from_bytes(method.text()?.as_bytes()).ok()
}

/// Returns the headers without those that HTTP does not allow, or `None` if there are too many.
pub(super) fn headers(payload: Payload, event: &Json<'_>) -> Option<HeaderMap> {
    let all = event.get("multiValueHeaders").members();
    let single = event.get("headers").members();
    let mut headers = HeaderMap::with_capacity(all.len().max(single.len()).min(MAX_HEADERS));
    let mut count = 0;
    for (name, values) in all {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            continue;
        };
        for value in values
            .texts()
            .filter_map(|text| HeaderValue::from_str(text).ok())
        {
            count += 1;
            if count > MAX_HEADERS {
                return None;
            }
            headers.append(name.clone(), value);
        }
    }
    // Those with all values count. The others are the last values of the same headers.
    if headers.is_empty() {
        for (name, values) in single {
            let name = HeaderName::from_bytes(name.as_bytes());
            let mut values = values
                .texts()
                .filter_map(|text| HeaderValue::from_str(text).ok());
            if let (Ok(name), Some(value)) = (name, values.next_back()) {
                headers.insert(name, value);
            }
            if headers.len() > MAX_HEADERS {
                return None;
            }
        }
    }
    if payload == Payload::V2 {
        let cookies: Vec<_> = event.get("cookies").texts().collect();
        if let Ok(value) = HeaderValue::from_str(&cookies.join("; "))
            && !cookies.is_empty()
        {
            headers.insert(COOKIE, value);
        }
    }
    Some(headers)
}
