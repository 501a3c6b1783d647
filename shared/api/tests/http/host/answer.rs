use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use countersign_api::openapi;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::send_to;

/// An answer whose body was read completely.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Sends a request to a router, and checks that the answer is documented and has everything that
    /// all answers have.
    pub(crate) async fn from_router(router: Router, request: Request<Body>) -> Self {
        let method = request.method().as_str().to_lowercase();
        let path = request.uri().path().to_owned();
        let response = send_to(router, request).await;
        let (parts, body) = response.into_parts();
        let answer = Self {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        };
        answer.is_whole(&method, &path);
        answer.is_described(&method, &path);
        answer
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Parses the body as JSON, and removes the members that depend on the time.
    pub(crate) fn lasting(&self) -> Value {
        let mut body = self.json();
        let now = ["expiresIn", "serverTime"].map(|name| body[name].take());
        assert!(now[0].is_u64() && now[1].is_string(), "{body}");
        body
    }

    /// Returns a header, which must not be repeated.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?;
        assert!(values.next().is_none(), "{name} is there twice");
        Some(value.to_str().unwrap())
    }

    /// Returns the problem's code.
    pub(crate) fn code(&self) -> String {
        let code = &self.json()["code"];
        code.as_str()
            .unwrap_or_else(|| panic!("no problem: {self:?}"))
            .to_owned()
    }

    /// Returns the problem's code and field.
    pub(crate) fn code_at(&self) -> (String, Option<String>) {
        let field = self.json()["field"].as_str().map(str::to_owned);
        (self.code(), field)
    }

    /// Checks the headers that every answer has, and the members that every problem has.
    fn is_whole(&self, method: &str, path: &str) {
        let id = self.header("x-request-id").expect("x-request-id");
        assert!(id.starts_with("req_"), "{id}");
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert!(self.header("cache-control").is_some());
        let is_problem = self.header("content-type") == Some("application/problem+json");
        let failed = self.status.is_client_error() || self.status.is_server_error();
        // Providers get answers in their own format.
        let is_for_provider = path.starts_with("/inbound-sms/") && path != "/inbound-sms/generic";
        // Clients of the OpenID provider get the errors of OAuth, and people get pages.
        let is_oauth = ["/token", "/userinfo", "/authorize", "/end-session"].contains(&path);
        let has_own_errors = is_for_provider || is_oauth;
        assert!(is_problem == failed || has_own_errors, "{self:?}");
        if failed {
            assert_eq!(self.header("cache-control"), Some("no-store"));
        }
        if !is_problem || method == "head" {
            return;
        }
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        assert_eq!(problem["requestId"], id);
        let code = problem["code"].as_str().unwrap();
        assert_eq!(problem["type"], format!("/problems/{code}"));
        let mut members: Vec<_> = problem.as_object().unwrap().keys().collect();
        let tries = problem.get("triesLeft").is_some();
        assert_eq!(tries, code == "check_code_wrong");
        members.retain(|name| *name != "triesLeft");
        let known = [
            "code",
            "detail",
            "field",
            "requestId",
            "status",
            "title",
            "type",
        ];
        assert!(members.iter().all(|name| known.contains(&name.as_str())));
        if self.status.is_server_error() {
            // Only the health check shows details of internal errors, for the operator.
            members.retain(|name| path != "/healthz" || *name != "detail");
            assert_eq!(members, ["code", "requestId", "status", "title", "type"]);
        }
    }

    /// Checks that the API description contains the status and the code.
    fn is_described(&self, method: &str, path: &str) {
        static DESCRIPTION: LazyLock<Value> =
            LazyLock::new(|| serde_json::from_str(openapi::json()).unwrap());
        let Some(item) = DESCRIPTION["paths"].get(template(path)) else {
            // The path is the host's own or unknown.
            return;
        };
        let Some(operation) = item.get(method) else {
            let code = self.status.as_u16();
            let by_itself = ["head", "options"].contains(&method);
            assert!([404, 405].contains(&code) || by_itself, "{self:?}");
            return;
        };
        let response = &operation["responses"][self.status.as_str()];
        assert!(response.is_object(), "{method} {path}: {self:?}");
        if [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&self.status) {
            assert!(self.body.is_empty() && self.header("content-type").is_none());
            return;
        }
        // The API description has media types without parameters.
        let content_type = self.header("content-type").unwrap();
        let content_type = content_type.split(';').next().unwrap();
        let content = &response["content"][content_type];
        assert!(content.is_object(), "{method} {path}: {self:?}");
        if content_type == "application/problem+json" {
            let code = self.code();
            assert!(content["examples"][&code].is_object(), "{path}: {code}");
        }
    }
}

/// Returns the path's template in the API description.
fn template(path: &str) -> String {
    let segments: Vec<_> = path.split('/').collect();
    match segments.as_slice() {
        ["", kind @ ("confirmations" | "qr-sessions"), id] if !id.is_empty() => {
            format!("/{kind}/{{id}}")
        }
        ["", kind @ ("confirmations" | "qr-sessions"), id, action] if !id.is_empty() => {
            format!("/{kind}/{{id}}/{action}")
        }
        _ => path.to_owned(),
    }
}
