use super::*;
use crate::admin::request::{Offer, Reading, Request as AdminRequest};
use crate::admin::requests::{Visitor, visit_all};
use crate::admin::settings::AppOptions;

/// The names of all requests, with whether the console offers them.
#[derive(Default)]
struct Offers {
    all: Vec<(&'static str, Offer)>,
    for_assistants: Vec<&'static str>,
    reaching_out: Vec<&'static str>,
}

impl Visitor for Offers {
    fn visit<R: AdminRequest>(&mut self) {
        self.all.push((R::NAME, R::OFFER));
        self.reaching_out.extend(R::REACHES_OUT.then_some(R::NAME));
    }

    fn visit_reading<R: Reading>(&mut self) {
        self.for_assistants.push(R::NAME);
        self.visit::<R>();
    }
}

/// A new request has to be put into one of these lists, and so to be thought about.
#[tokio::test]
async fn each_request_is_offered_to_whom_it_is_meant_for() {
    let (reader, editor) = (run(true), run(false));
    let (of_reader, of_editor) = (reader.open().await, editor.open().await);
    let mut offers = Offers::default();
    visit_all(&mut offers);
    let mut names = [Vec::new(), Vec::new(), Vec::new()];
    for (name, offer) in offers.all {
        // Nothing fits this body, so nothing is executed.
        let body = json!(7);
        let read = reader.ask(&of_reader, name, &body).await.status();
        let edited = editor.ask(&of_editor, name, &body).await.status();
        let (index, expected) = match offer {
            Offer::ToRead => (0, [StatusCode::BAD_REQUEST, StatusCode::BAD_REQUEST]),
            Offer::ToChange => (1, [StatusCode::FORBIDDEN, StatusCode::BAD_REQUEST]),
            Offer::Never => (2, [StatusCode::NOT_FOUND, StatusCode::NOT_FOUND]),
        };
        assert_eq!([read, edited], expected, "{name}");
        names[index].push(name);
    }
    let [read, change, never] = names;
    let mut inside = read.clone();
    inside.retain(|name| !offers.reaching_out.contains(name));
    assert_eq!(inside, offers.for_assistants, "see `visit_reading`");
    assert_eq!(
        read,
        [
            "list_apps",
            "show_app",
            "list_keys",
            "list_client_secrets",
            "list_association_keys",
            "list_phone_registrations",
            "show_phone_registration",
            "list_signing_keys",
            "list_openid_keys",
            "check_link_host",
            "list_providers",
            "show_provider",
            "list_audit",
            "find_confirmations",
            "show_confirmation",
            "show_webhooks",
            "find_logins",
            "show_login",
            "show_history",
            "list_attention",
            "show_system",
            "list_redactions",
            "show_metrics",
            "show_server",
            "show_problem",
        ]
    );
    assert_eq!(
        change,
        [
            "create_app",
            "update_app",
            "delete_app",
            "issue_key",
            "revoke_key",
            "issue_client_secret",
            "revoke_client_secret",
            "add_association_key",
            "revoke_association_key",
            "revoke_user_keys",
            "cancel_phone_registration",
            "rotate_signing_key",
            "rotate_openid_key",
            "test_provider",
            "reveal_number",
            "redeliver_webhook",
            "redeliver_failed",
            "cancel_confirmation",
            "redact_confirmation",
            "cancel_login",
            "repeat_redactions",
            "rotate_webhook_secret",
            "retire_webhook_secret",
            "replace_master_secret",
            "retire_master_secret",
            "test_webhook",
        ]
    );
    assert_eq!(
        never,
        [
            "change_provider",
            "show_webhook_secret",
            "export_metrics",
            "reread_providers",
            "reread_places",
            "explain_text",
            "assistant_read",
        ]
    );
}

#[tokio::test]
async fn read_only_console_changes_nothing() {
    let run = run(true);
    let headers = run.open().await;
    let (status, message) = refusal(
        run.ask(
            &headers,
            "issue_key",
            &json!({ "app": "shop", "test": false }),
        )
        .await,
    )
    .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(message.contains("--read-only"), "{message}");
    let facts = body(run.ask(&headers, "show_console", &json!({})).await).await;
    assert_eq!(facts["readOnly"], true);
    let names = facts["requests"].as_array().unwrap();
    assert!(names.contains(&json!("list_apps")));
    assert!(!names.contains(&json!("issue_key")));
    let audit = run
        .ask(&headers, "list_audit", &json!({ "app": null, "last": 5 }))
        .await;
    assert_eq!(body(audit).await, json!({ "items": [], "left_out": 0 }));
}

#[tokio::test]
async fn malformed_and_unknown_requests_are_refused() {
    let run = run(false);
    let headers = run.open().await;
    for sent in [
        "",
        "{",
        "[]",
        "null",
        "{\"app\":\"../x\"}",
        "{\"app\":7}",
        "\u{0}",
    ] {
        let mut request = own("POST", "/api/show_app", &headers, &json!({}));
        *request.body_mut() = Body::from(sent);
        let (status, message) = refusal(run.send(request).await).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{sent} {message}");
    }
    for path in ["/session", "/api/show_app"] {
        let mut request = own("POST", path, &headers, &json!({}));
        *request.body_mut() = Body::from(vec![b' '; 2 << 20]);
        assert_eq!(
            run.send(request).await.status(),
            StatusCode::PAYLOAD_TOO_LARGE
        );
    }
    let unknown = run.ask(&headers, "no_such_request", &json!({})).await;
    assert_eq!(refusal(unknown).await.0, StatusCode::NOT_FOUND);
    let read = run
        .send(own("GET", "/api/list_apps", &headers, &json!({})))
        .await;
    assert_eq!(refusal(read).await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn stopped_server_answers_and_says_what_it_cannot() {
    let run = run(false);
    let headers = run.open().await;
    let facts = body(run.ask(&headers, "show_console", &json!({})).await).await;
    assert_eq!(facts["target"], "data");
    assert_eq!(facts["running"], false);
    assert_eq!(
        facts["person"],
        crate::admin::user::User::current().to_string()
    );
    let names = facts["requests"].as_array().unwrap();
    assert!(names.contains(&json!("issue_key")));
    assert!(names.contains(&json!("show_metrics")));
    assert!(!names.contains(&json!("show_webhook_secret")));
    let apps = body(run.ask(&headers, "list_apps", &json!({})).await).await;
    assert_eq!(apps, json!({ "items": [], "left_out": 0 }));
    let (status, message) = refusal(
        run.ask(&headers, "show_app", &json!({ "app": "shop" }))
            .await,
    )
    .await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(message.contains("no app called shop"), "{message}");
    let (status, message) = refusal(run.ask(&headers, "show_metrics", &json!({})).await).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(message.contains("no server is running"), "{message}");
}

#[tokio::test]
async fn table_has_no_counters_to_show() {
    let console = Console {
        place: Place::Table("countersign".to_owned()),
        read_only: false,
        session: Session::begin(&OsEntropy),
        operator: OnceCell::new(),
    };
    let on_table = Run {
        console: Arc::new(console),
        _folder: tempfile::tempdir().unwrap(),
    };
    let headers = on_table.open().await;
    let (status, _) = refusal(on_table.ask(&headers, "show_metrics", &json!({})).await).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

/// An offered request must not be one that the table never answers.
#[tokio::test]
async fn table_offers_what_needs_no_server() {
    struct Answered(Vec<&'static str>);
    impl Visitor for Answered {
        fn visit<R: AdminRequest>(&mut self) {
            if !R::ON_TABLE {
                self.0.push(R::NAME);
            }
        }
    }
    let mut missing = Answered(Vec::new());
    visit_all(&mut missing);
    for name in ["list_signing_keys", "rotate_signing_key", "show_metrics"] {
        assert!(missing.0.contains(&name), "{name}");
    }
    for name in ["update_app", "list_association_keys", "find_logins"] {
        assert!(!missing.0.contains(&name), "{name}");
    }
}

#[tokio::test]
async fn change_based_on_other_values_is_refused_with_the_present_ones() {
    let run = run(false);
    let headers = run.open().await;
    let ask = async |name: &str, request: Value| {
        let response = run.ask(&headers, name, &request).await;
        (response.status(), body(response).await)
    };
    let options = serde_json::to_value(AppOptions::default()).unwrap();
    let with = |name: &str, value: Value| {
        let mut options = options.clone();
        options[name] = value;
        options
    };
    let senders = with("senders", json!(["+12025550199"]));
    let create = json!({ "app": "shop", "settings": senders });
    let (status, app) = ask("create_app", create).await;
    assert_eq!(
        (status, &app["webhookSecrets"]),
        (StatusCode::OK, &json!(1))
    );
    let update = |prefix: &str, seen: &str| {
        json!({
            "app": "shop",
            "settings": with("code_prefix", json!(prefix)),
            "seen": { "codePrefix": seen, "login.linkHost": null },
        })
    };
    let (status, app) = ask("update_app", update("FIRST", "CS")).await;
    assert_eq!(
        (status, &app["codePrefix"]),
        (StatusCode::OK, &json!("FIRST"))
    );
    let (status, refused) = ask("update_app", update("SECOND", "CS")).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(refused["now"], json!({ "codePrefix": "FIRST" }));
    assert!(refused["message"].as_str().unwrap().contains("codePrefix"));
    let (_, app) = ask("show_app", json!({ "app": "shop" })).await;
    assert_eq!(app["codePrefix"], "FIRST");
    let (_, audit) = ask("list_audit", json!({ "last": 1, "action": "update_app" })).await;
    assert_eq!(audit["items"][0]["result"], "refused");
    assert_eq!(
        audit["items"][0]["details"],
        json!({ "code_prefix": "SECOND" })
    );
}
