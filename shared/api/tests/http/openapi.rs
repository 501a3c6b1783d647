//! The API description.

use std::collections::BTreeSet;
use strum::VariantArray as _;

use countersign_api::ProblemCode;
use countersign_api::openapi;
use serde_json::Value;

fn description() -> Value {
    serde_json::from_str(openapi::json()).unwrap()
}

/// Returns every operation, webhooks included, with its method and path.
fn operations(description: &Value) -> Vec<(String, &Value)> {
    let mut operations = Vec::new();
    for section in ["paths", "webhooks"] {
        for (path, item) in description[section].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                operations.push((format!("{method} {path}"), operation));
            }
        }
    }
    operations
}

#[test]
fn committed_description_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == openapi::json(),
        "docs/openapi.json is stale: run `make openapi`, and look at what changed"
    );
}

#[test]
fn description_is_3_1_and_has_every_route() {
    let description = description();
    assert_eq!(description["openapi"], "3.1.0");
    assert_eq!(description["info"]["title"], "Countersign");
    let names: BTreeSet<_> = operations(&description)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let expected = [
        "delete /association-keys/{keyId}",
        "delete /confirmations/{id}",
        "delete /phone-registrations/{id}",
        "delete /qr-sessions/{id}",
        "get /.well-known/apple-app-site-association",
        "get /.well-known/assetlinks.json",
        "get /.well-known/jwks.json",
        "get /association-keys",
        "get /confirmation-status/{id}",
        "get /confirmations",
        "get /confirmations/{id}",
        "get /healthz",
        "get /inbound-sms/{provider}",
        "get /openapi.json",
        "get /phone-registrations/{id}",
        "get /problems/{code}",
        "get /public-key",
        "get /qr-sessions",
        "get /qr-sessions/{id}",
        "get /qr-socket",
        "get /reference",
        "get /widget.js",
        "post /acquire-phone-number",
        "post /association-keys",
        "post /confirmations/{id}/redact",
        "post /confirmations/{id}/redeliver",
        "post /inbound-sms/generic",
        "post /inbound-sms/{provider}",
        "post /make-confirmation",
        "post /passkeys/identify",
        "post /phone-registrations",
        "post /phone-registrations/{id}/digits",
        "post /phone-registrations/{id}/open",
        "post /phone-registrations/{id}/sign",
        "post /qr-sessions",
        "post /qr-sessions/{id}/check-code",
        "post /qr-sessions/{id}/confirm",
        "post /qr-sessions/{id}/deny",
        "post /qr-sessions/{id}/expire",
        "post /qr-sessions/{id}/initiate",
        "post /qr-sessions/{id}/redeem",
        "post /simulated-texts",
        "post confirmationVerified",
        "post loginDecided",
        "post phoneRegistered",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
}

#[test]
fn everything_is_described() {
    let description = description();
    let mut ids = BTreeSet::new();
    for (name, operation) in operations(&description) {
        assert!(operation["summary"].is_string(), "{name}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()));
        for (status, response) in operation["responses"].as_object().unwrap() {
            let words = response["description"].as_str().unwrap_or_default();
            assert!(!words.is_empty(), "{name} {status}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{name} {parameter}");
        }
    }
    for (name, schema) in description["components"]["schemas"].as_object().unwrap() {
        assert!(schema["description"].is_string(), "{name}");
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            let words = &schema["description"];
            assert!(
                words.is_string() || schema.get("$ref").is_some(),
                "{name}.{field}"
            );
        }
    }
}

/// A body is optional if an absent one counts as `{}`.
#[test]
fn body_is_required_if_an_empty_one_is_refused() {
    let description = description();
    for (path, expected) in [
        ("/acquire-phone-number", false),
        ("/make-confirmation", true),
        ("/inbound-sms/generic", true),
        ("/qr-sessions", false),
        ("/qr-sessions/{id}/initiate", false),
        ("/qr-sessions/{id}/confirm", true),
        ("/qr-sessions/{id}/deny", true),
        ("/qr-sessions/{id}/redeem", true),
    ] {
        let body = &description["paths"][path]["post"]["requestBody"];
        assert_eq!(body["required"] == true, expected, "{path}");
    }
}

#[test]
fn references_resolve() {
    fn visit(value: &Value, root: &Value) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(to)) = members.get("$ref") {
                    let to = to.strip_prefix('#').unwrap();
                    assert!(root.pointer(to).is_some(), "{to}");
                }
                members.values().for_each(|value| visit(value, root));
            }
            Value::Array(items) => items.iter().for_each(|value| visit(value, root)),
            _ => {}
        }
    }
    let description = description();
    visit(&description, &description);
}

#[test]
fn operations_of_an_app_require_its_key() {
    let description = description();
    let scheme = &description["components"]["securitySchemes"]["apiKey"];
    assert_eq!(scheme["in"], "header");
    assert_eq!(scheme["name"], "x-api-key");
    for (name, operation) in operations(&description) {
        let tag = &operation["tags"][0];
        let is_of_server =
            ["get /qr-sessions", "post /qr-sessions/{id}/expire"].contains(&name.as_str());
        let is_page = name == "get /confirmation-status/{id}";
        let is_of_a_phone = [
            "post /passkeys/identify",
            "post /phone-registrations/{id}/open",
            "post /phone-registrations/{id}/sign",
            "post /phone-registrations/{id}/digits",
        ];
        let is_phone_setup =
            tag == "phone registrations" && !is_of_a_phone.contains(&name.as_str());
        let of_an_app = (tag == "confirmations" && !is_page)
            || tag == "association keys"
            || is_phone_setup
            || is_of_server;
        assert_eq!(
            operation["security"][0].get("apiKey").is_some(),
            of_an_app,
            "{name}"
        );
    }
}

#[test]
fn operations_without_authentication_say_so() {
    let description = description();
    for (name, operation) in operations(&description) {
        let security = &operation["security"];
        let is_webhook = !name.contains('/');
        assert!(security.is_array() || is_webhook, "{name}: {security}");
    }
    for (path, method) in [("/healthz", "get"), ("/inbound-sms/generic", "post")] {
        let security = &description["paths"][path][method]["security"];
        assert_eq!(*security, serde_json::json!([]), "{path}");
    }
}

#[test]
fn operations_of_logins_require_their_tokens() {
    let description = description();
    let schemes = &description["components"]["securitySchemes"];
    assert_eq!(schemes["appKey"]["name"], "x-app-key");
    for name in ["browserToken", "mobileToken", "pageToken"] {
        assert_eq!(schemes[name]["type"], "http");
        assert_eq!(schemes[name]["scheme"], "bearer");
    }
    let any = serde_json::json!([
        {"browserToken": []},
        {"mobileToken": []},
        {"pageToken": []},
        {"apiKey": []},
    ]);
    let page = serde_json::json!([{"pageToken": []}]);
    let browser = serde_json::json!([{"browserToken": []}]);
    let canceller = serde_json::json!([{"browserToken": []}, {"apiKey": []}]);
    let phone = serde_json::json!([{"mobileToken": []}]);
    for (path, method, expected) in [
        ("", "get", &any),
        ("/check-code", "post", &page),
        ("", "delete", &canceller),
        ("/redeem", "post", &browser),
        ("/confirm", "post", &phone),
        ("/deny", "post", &phone),
        (
            "/initiate",
            "post",
            &serde_json::json!([
                {"appKey": [], "mobileToken": []},
                {"apiKey": [], "mobileToken": []},
            ]),
        ),
    ] {
        let path = format!("/qr-sessions/{{id}}{path}");
        let security = &description["paths"][&path][method]["security"];
        assert_eq!(security, expected, "{method} {path}");
    }
    let create = &description["paths"]["/qr-sessions"]["post"]["security"];
    assert_eq!(
        *create,
        serde_json::json!([
            {"appKey": [], "browserToken": []},
            {"apiKey": [], "browserToken": []},
        ])
    );
}

fn words<T: Copy + Into<&'static str>>(variants: &[T]) -> Vec<&'static str> {
    variants.iter().map(|variant| (*variant).into()).collect()
}

#[test]
fn enums_are_the_domains_tables() {
    use countersign_domain::confirmation::Status as ConfirmationStatus;
    use countersign_domain::delivery::FailureReason;
    use countersign_domain::login::Status as LoginStatus;
    use countersign_domain::login::risk::RiskStatus;
    let description = description();
    for (name, expected) in [
        ("ConfirmationStatus", words(ConfirmationStatus::VARIANTS)),
        ("AttemptFailure", words(FailureReason::VARIANTS)),
        ("SessionState", words(LoginStatus::VARIANTS)),
        ("RiskStatus", words(RiskStatus::VARIANTS)),
    ] {
        let words = &description["components"]["schemas"][name]["enum"];
        assert_eq!(*words, serde_json::json!(expected), "{name}");
    }
}

/// Generators drop a schema without content, and invent a name for one without a name.
#[test]
fn every_schema_has_a_type_and_every_object_a_name() {
    fn visit(schema: &Value, at: &str, named: bool) {
        if schema.get("$ref").is_some() {
            return;
        }
        let alternatives = schema["oneOf"].as_array();
        assert!(
            schema.get("type").is_some() || alternatives.is_some(),
            "{at}"
        );
        if schema["type"] == "object" {
            assert!(named, "{at} has no name");
            let free = schema["additionalProperties"] == true;
            assert!(schema.get("properties").is_some() || free, "{at} is empty");
        }
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            visit(member, &format!("{at}.{name}"), false);
        }
        if schema["type"] == "array" {
            visit(&schema["items"], &format!("{at}[]"), false);
        }
        for alternative in alternatives.into_iter().flatten() {
            visit(alternative, &format!("{at}|"), false);
        }
    }
    let description = description();
    for (name, schema) in description["components"]["schemas"].as_object().unwrap() {
        visit(schema, name, true);
    }
    for (name, operation) in operations(&description) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            visit(&parameter["schema"], &name, false);
        }
        let bodies = operation["responses"].as_object().unwrap().values();
        for body in bodies.chain(operation.get("requestBody")) {
            for content in body["content"].as_object().into_iter().flatten() {
                visit(&content.1["schema"], &name, false);
            }
        }
    }
}

/// Every problem except those that no operation has: refusals by certain hosts.
#[test]
fn every_problem_is_described() {
    let description = description();
    let mut described = BTreeSet::new();
    for (_, operation) in operations(&description) {
        for response in operation["responses"].as_object().unwrap().values() {
            let examples = &response["content"]["application/problem+json"]["examples"];
            described.extend(
                examples
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(code, _)| code.as_str()),
            );
        }
    }
    let elsewhere = [
        ProblemCode::MalformedRequest,
        ProblemCode::MisdirectedRequest,
        ProblemCode::OriginForbidden,
        // The description leaves out the routes of the OpenID provider.
        ProblemCode::OpenIdRequestInvalid,
        ProblemCode::OpenIdNotVerified,
        ProblemCode::OpenIdPhoneUnknown,
        ProblemCode::OpenIdAnswered,
    ];
    let expected: BTreeSet<_> = ProblemCode::ALL
        .iter()
        .filter(|code| !elsewhere.contains(code))
        .map(|code| code.as_str())
        .collect();
    assert_eq!(described, expected);
}
