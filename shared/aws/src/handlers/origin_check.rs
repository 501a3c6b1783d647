//! Refuses requests to the API that did not come through CloudFront. API Gateway calls this authorizer
//! before it invokes a function, and caches the answer for each presented secret.
//!
//! Source: "Control access to HTTP APIs with AWS Lambda authorizers", API Gateway Developer Guide (format 2.0,
//! simple responses).

use std::collections::HashMap;
use std::convert::Infallible;

use countersign_api::viewer::{ORIGIN_SECRET, OriginSecret};
use serde::{Deserialize, Serialize};

use super::Handler;

/// Checks the origin secret.
#[derive(Debug)]
pub struct OriginCheck(pub OriginSecret);

/// A request, as described by API Gateway.
#[derive(Debug, Deserialize)]
pub struct CheckedRequest {
    /// The names are in lower case.
    #[serde(default)]
    headers: HashMap<String, String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    is_authorized: bool,
}

impl Handler for OriginCheck {
    type Event = CheckedRequest;
    type Response = Verdict;
    type Error = Infallible;

    async fn handle(&self, arriving: CheckedRequest, _: &str) -> Result<Verdict, Infallible> {
        let presented = arriving.headers.get(ORIGIN_SECRET);
        let is_authorized = presented.is_some_and(|secret| self.0.matches(secret.as_bytes()));
        Ok(Verdict { is_authorized })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::{prop_assert, proptest};
    use serde_json::{Value, json};

    use super::*;

    const SECRET: &str = "0123456789abcdef";

    async fn verdict(headers: Value) -> Value {
        let check = OriginCheck(SECRET.parse().unwrap());
        let event = json!({ "version": "2.0", "type": "REQUEST", "headers": headers });
        let arriving = serde_json::from_value(event).unwrap();
        let verdict = check.handle(arriving, "invocation").await.unwrap();
        serde_json::to_value(verdict).unwrap()
    }

    #[tokio::test]
    async fn only_the_secret_opens() {
        let with = |secret: &str| json!({ "host": "api.example", ORIGIN_SECRET: secret });
        assert_eq!(verdict(with(SECRET)).await, json!({ "isAuthorized": true }));
        for other in [
            json!({}),
            with(""),
            with("0123456789abcdeF"),
            with("0123456789abcdef,0123456789abcdef"),
        ] {
            assert_eq!(verdict(other).await, json!({ "isAuthorized": false }));
        }
    }

    proptest! {
        #[test]
        fn requests_with_any_headers_are_read(headers in btree_map(".{0,12}", ".{0,20}", 0..6)) {
            let event = json!({ "version": "2.0", "type": "REQUEST", "headers": headers });
            let read = serde_json::from_value::<CheckedRequest>(event);
            prop_assert!(read.is_ok(), "{read:?}");
        }
    }
}
