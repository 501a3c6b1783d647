//! Headers of webhooks and of their answers.

use std::time::{Duration, UNIX_EPOCH};

use countersign_domain::delivery::sender::WebhookRequest;
use countersign_domain::primitives::time::Timestamp;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, InvalidHeaderValue, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Returns the webhook's headers. Fails if a value is not allowed in a header; no signer produces
/// such a value.
pub(super) fn for_request(request: &WebhookRequest) -> Result<HeaderMap, InvalidHeaderValue> {
    let WebhookRequest {
        webhook_id,
        attempted_at,
        signature,
        app_signature,
        ..
    } = request;
    let app_signature = app_signature.as_deref();
    let app_signature = app_signature.map(HeaderValue::from_str).transpose()?;
    let values = [
        ("webhook-id", HeaderValue::from_str(webhook_id.as_str())?),
        (
            "webhook-timestamp",
            HeaderValue::from(attempted_at.as_secs()),
        ),
        (
            "x-signature",
            HeaderValue::from_str(&signature.to_header())?,
        ),
        (
            "x-signature-key-id",
            HeaderValue::from_str(signature.key_id.as_str())?,
        ),
    ];
    Ok(values
        .into_iter()
        .chain(app_signature.map(|value| ("webhook-signature", value)))
        .map(|(name, value)| (HeaderName::from_static(name), value))
        .collect())
}

/// Returns the headers of every webhook, which no caller can change. They decline compression, and
/// the client never decompresses: a small answer cannot become a large one.
pub(super) fn fixed() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers
}

/// Returns the wait that a receiver requests in `Retry-After` (RFC 9110, section 10.2.3), from `now`: a number of
/// seconds, or the time until an HTTP date. Returns `None` if the header is absent or malformed, and zero for a
/// past date. The caller must bound it.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // An overflowing number means a very long wait.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let now = UNIX_EPOCH + Duration::from_millis(now.as_millis());
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, value.parse().ok()?);
        // Sun, 06 Nov 1994 08:49:00 GMT
        retry_after(&headers, Timestamp::from_millis(784_111_740_000))
    }

    #[test]
    fn seconds_are_parsed() {
        assert_eq!(read("0"), Some(Duration::ZERO));
        assert_eq!(read("120"), Some(Duration::from_mins(2)));
        assert_eq!(read(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(
            read("99999999999999999999999"),
            Some(Duration::from_secs(u64::MAX))
        );
    }

    #[test]
    fn dates_in_all_three_forms_are_parsed() {
        for date in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(read(date), Some(Duration::from_secs(37)), "{date}");
        }
        assert_eq!(read("Sun, 06 Nov 1994 08:48:00 GMT"), Some(Duration::ZERO));
    }

    #[test]
    fn malformed_values_are_ignored() {
        for value in ["", "-1", "+5", "1.5", "soon", "12 seconds", "0x10", "１２"] {
            assert_eq!(read(value), None, "{value}");
        }
        assert_eq!(
            retry_after(&HeaderMap::new(), Timestamp::from_millis(0)),
            None
        );
    }
}
