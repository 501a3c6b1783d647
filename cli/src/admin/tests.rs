mod association_keys;
mod audit;
mod confirmations;
mod login;
mod logins;
mod master_secret;
mod openid;
mod openid_keys;
mod overview;
mod phone_registrations;
mod providers;
mod quota;
mod two_administrators;
mod webhooks;

use std::sync::Arc;

use axum::http::StatusCode;
use clap::Parser as _;
use countersign_domain::app::CallbackRefusal;
use countersign_domain::app::client_secret::PresentedClientSecret;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::KeyLookup;
use countersign_domain::web::callback_url::CallbackPolicy;
use serde_json::{Value, json};

use super::apps::{CreateApp, ListApps};
use super::request::{Answer as _, Needs, Request};
use super::running::{ShowMetrics, ShowServer};
use super::settings::AppOptions;
use super::socket::AdminSocket;
use super::user::User;
use super::webhook_secrets::{RotateWebhookSecret, ShowWebhookSecret};
use super::{Admin, AdminError, client};
use crate::args::{
    AppCommand, AssociationKeyCommand, Cli, KeyCommand, MasterSecretCommand, OpenIdCommand,
    PhoneRegistrationCommand, SigningKeyCommand, Subcommand,
};
use crate::data_dir::DataDir;
use crate::storage::{self, IfMissing, Storage};
use std::time::Duration;
use tempfile::TempDir;

/// An opened data directory for one test.
struct Data {
    storage: Storage,
    dir: DataDir,
    _folder: TempDir,
}

fn data() -> Data {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::create(folder.path()).unwrap();
    let lock = dir.lock(Duration::ZERO).unwrap();
    Data {
        storage: storage::open(
            &dir,
            &lock,
            IfMissing::Refused,
            std::sync::Arc::new(countersign_system::clock::SystemClock),
        )
        .unwrap(),
        dir,
        _folder: folder,
    }
}

/// Executes the request of a command line, and returns the output with `--json` and the
/// human-readable output.
async fn answers(admin: &Admin, line: &str) -> Result<(Value, String), AdminError> {
    let words = std::iter::once("countersign").chain(line.split(' '));
    match Cli::try_parse_from(words).unwrap().command {
        Subcommand::App(args) => match args.command {
            AppCommand::Create(request) => execute(admin, request).await,
            AppCommand::List(request) => execute(admin, request).await,
            AppCommand::Show(request) => execute(admin, request).await,
            AppCommand::Update(request) => execute(admin, request).await,
            AppCommand::CheckLink(request) => execute(admin, request).await,
            AppCommand::Delete(request) => execute(admin, request).await,
            AppCommand::WebhookSecret(args) if args.rotate => {
                execute(admin, RotateWebhookSecret { app: args.app }).await
            }
            AppCommand::WebhookSecret(args) => {
                execute(admin, ShowWebhookSecret { app: args.app }).await
            }
            AppCommand::Keys(AssociationKeyCommand::Add(request)) => execute(admin, request).await,
            AppCommand::Keys(AssociationKeyCommand::List(request)) => execute(admin, request).await,
            AppCommand::Keys(AssociationKeyCommand::Revoke(request)) => {
                execute(admin, request).await
            }
            AppCommand::Keys(AssociationKeyCommand::RevokeAll(request)) => {
                execute(admin, request).await
            }
            AppCommand::PhoneRegistrations(command) => match command {
                PhoneRegistrationCommand::List(request) => execute(admin, request).await,
                PhoneRegistrationCommand::Show(request) => execute(admin, request).await,
                PhoneRegistrationCommand::Cancel(request) => execute(admin, request).await,
            },
        },
        Subcommand::Key(args) => match args.command {
            KeyCommand::Issue(request) => execute(admin, request).await,
            KeyCommand::List(request) => execute(admin, request).await,
            KeyCommand::Revoke(request) => execute(admin, request).await,
        },
        Subcommand::OpenId(args) => match args.command {
            OpenIdCommand::IssueSecret(request) => execute(admin, request).await,
            OpenIdCommand::ListSecrets(request) => execute(admin, request).await,
            OpenIdCommand::RevokeSecret(request) => execute(admin, request).await,
            OpenIdCommand::ListKeys(request) => execute(admin, request).await,
            OpenIdCommand::RotateKey(request) => execute(admin, request).await,
        },
        Subcommand::SigningKey(args) => match args.command {
            SigningKeyCommand::List(request) => execute(admin, request).await,
            SigningKeyCommand::Rotate(request) => execute(admin, request).await,
        },
        Subcommand::WebhookSecret(args) => match args.command {
            MasterSecretCommand::Replace(request) => execute(admin, request).await,
            MasterSecretCommand::Retire(request) => execute(admin, request).await,
        },
        Subcommand::Audit(args) => execute(admin, args.request).await,
        Subcommand::Attention(args) => execute(admin, args.request).await,
        Subcommand::History(args) => execute(admin, args.request).await,
        Subcommand::System(args) => execute(admin, args.request).await,
        other => panic!("{other:?}"),
    }
}

async fn execute<R: Request>(admin: &Admin, request: R) -> Result<(Value, String), AdminError> {
    let answer = admin.execute(request, "anna").await?;
    let json = serde_json::from_str(&answer.json().unwrap()).unwrap();
    Ok((json, answer.text()))
}

async fn ask(admin: &Admin, line: &str) -> Result<Value, AdminError> {
    answers(admin, line).await.map(|(json, _)| json)
}

/// Returns the human-readable lines, without the spaces that align them.
async fn read(admin: &Admin, line: &str) -> Vec<String> {
    let (_, text) = answers(admin, line).await.unwrap();
    let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(squeeze).collect()
}

#[tokio::test]
async fn new_app_has_a_working_key() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    let made = ask(&admin, "app create shop --sender +12025550199")
        .await
        .unwrap();
    assert_eq!(made["app"], "shop");
    assert_eq!(made["callbackUrl"], Value::Null);
    assert_eq!(made["messageTemplate"], "{code}");
    let key = made["apiKey"].as_str().unwrap();
    let key = key
        .parse::<countersign_domain::app::api_key::PresentedApiKey>()
        .unwrap();
    let found = admin.store.lookup_key(&key.hash()).await.unwrap();
    assert!(matches!(found, KeyLookup::Active(app) if app.id.as_str() == "shop"));

    let again = ask(&admin, "app create shop --sender +12025550199").await;
    assert!(matches!(again, Err(AdminError::NameTaken(_))), "{again:?}");
}

#[tokio::test]
async fn deleted_app_is_gone_for_good() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    let deleted = ask(&admin, "app delete shop --yes").await.unwrap();
    assert_eq!(deleted, json!({ "app": "shop" }));
    assert_eq!(ask(&admin, "app list").await.unwrap(), json!([]));
    let again = ask(&admin, "app delete shop --yes").await;
    assert!(matches!(again, Err(AdminError::UnknownApp(_))), "{again:?}");
    let new = ask(&admin, "app create shop").await;
    assert!(matches!(new, Err(AdminError::NameOfDeleted(_))), "{new:?}");
}

#[tokio::test]
async fn sender_may_be_omitted_in_local_mode_only() {
    let data = data();
    let deployed = ask(
        &Admin::of_storage(&data.storage, false, None),
        "app create shop",
    )
    .await;
    assert!(
        matches!(deployed, Err(AdminError::NoSender)),
        "{deployed:?}"
    );
    let local = ask(
        &Admin::of_storage(&data.storage, true, None),
        "app create shop",
    )
    .await
    .unwrap();
    assert_eq!(local["senders"][0], "+12025550199");
}

#[tokio::test]
async fn app_without_a_sender_for_every_country_is_refused() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let made = ask(&admin, "app create shop --sender GB=+447700900001").await;
    assert!(matches!(made, Err(AdminError::EmptyPool(_))), "{made:?}");
}

#[tokio::test]
async fn callbacks_outside_the_policy_are_refused() {
    let data = data();
    let (local, deployed) = (
        Admin::of_storage(&data.storage, true, None),
        Admin::of_storage(&data.storage, false, None),
    );
    let create = "app create shop --sender +12025550199 --callback-url http://127.0.0.1:9797/";
    let refused = ask(&deployed, create).await;
    assert!(
        matches!(
            refused,
            Err(AdminError::Callback(CallbackRefusal::NotAllowed(_)))
        ),
        "{refused:?}"
    );
    let origin = "app create shop --sender +12025550199 --callback-origin http://10.0.0.1:80";
    let refused = ask(&local, origin).await;
    assert!(
        matches!(
            refused,
            Err(AdminError::Callback(CallbackRefusal::NotAllowed(_)))
        ),
        "{refused:?}"
    );
    let both = "app create shop --sender +12025550199 --callback-origin https://a.example \
                --callback-url https://b.example/";
    let refused = ask(&local, &both.replace("                ", "")).await;
    assert!(
        matches!(
            refused,
            Err(AdminError::Callback(CallbackRefusal::OutsideOrigins(_)))
        ),
        "{refused:?}"
    );
    ask(&local, create).await.unwrap();
}

#[tokio::test]
async fn update_changes_only_the_given_options() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    let create = "app create shop --sender +12025550199 --callback-url https://a.example/x \
                  --callback-origin https://a.example --code-prefix SHOP";
    let before = ask(&admin, &create.replace("                  ", ""))
        .await
        .unwrap();

    let after = ask(&admin, "app update shop --message-template Shop:{code}").await;
    assert!(after.is_ok(), "{after:?}");
    let after = ask(&admin, "app show shop").await.unwrap();
    assert_eq!(after["messageTemplate"], "Shop:{code}");
    for field in [
        "appKey",
        "createdAt",
        "callbackUrl",
        "callbackOrigins",
        "codePrefix",
        "senders",
    ] {
        assert_eq!(after[field], before[field], "{field}");
    }

    let clear = "app update shop --no-callback-url --no-callback-origins --no-message-template \
                 --no-code-prefix --sender +12025550188";
    let after = ask(&admin, &clear.replace("                 ", ""))
        .await
        .unwrap();
    assert_eq!(after["callbackUrl"], Value::Null);
    assert_eq!(after["callbackOrigins"], serde_json::json!([]));
    assert_eq!(after["messageTemplate"], "{code}");
    assert_eq!(after["codePrefix"], "CS");
    assert_eq!(after["senders"], serde_json::json!(["+12025550188"]));
    let unknown = ask(&admin, "app update other --no-callback-url").await;
    assert!(
        matches!(unknown, Err(AdminError::UnknownApp(_))),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn app_takes_texts_from_whatsapp_only_while_it_names_a_number() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let create = "app create shop --whatsapp +12025550177";
    let made = ask(&admin, create).await.unwrap();
    assert_eq!(made["whatsapp"], "+12025550177");
    let plain = ask(&admin, "app create plain").await.unwrap();
    assert_eq!(plain["whatsapp"], Value::Null);
    let after = ask(&admin, "app update shop --code-prefix SHOP").await;
    assert_eq!(after.unwrap()["whatsapp"], "+12025550177");
    let after = ask(&admin, "app update shop --no-whatsapp").await;
    assert_eq!(after.unwrap()["whatsapp"], Value::Null);
    let after = ask(&admin, "app update shop --whatsapp +12025550178").await;
    assert_eq!(after.unwrap()["whatsapp"], "+12025550178");
    let shown = ask(&admin, "app show shop").await.unwrap();
    assert_eq!(shown["whatsapp"], "+12025550178");
}

#[tokio::test]
async fn app_refuses_number_types_and_sends_details_until_told_otherwise() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let settings = async |line: &str| {
        let app = ask(&admin, line).await.unwrap();
        (
            app["refusedNumberTypes"].clone(),
            app["webhookDetails"].clone(),
        )
    };
    let none = || (serde_json::json!([]), Value::Bool(false));
    let both = || serde_json::json!(["premium_rate", "toll_free"]);
    assert_eq!(settings("app create plain").await, none());
    let create = "app create shop --refuse-number-type toll-free --refuse-number-type premium-rate \
                  --webhook-details";
    let created = settings(&create.replace("                  ", "")).await;
    assert_eq!(created, (both(), Value::Bool(true)));
    let kept = settings("app update shop --code-prefix SHOP").await;
    assert_eq!(kept, (both(), Value::Bool(true)));
    let replaced = settings("app update shop --refuse-number-type voip --no-webhook-details").await;
    assert_eq!(replaced, (serde_json::json!(["voip"]), Value::Bool(false)));
    let cleared = settings("app update shop --no-refused-number-types").await;
    assert_eq!(cleared, none());
}

#[tokio::test]
async fn concurrent_updates_lose_nothing() {
    let data = data();
    let admin = Arc::new(Admin::of_storage(&data.storage, false, None));
    ask(&admin, "app create shop --sender +12025550199")
        .await
        .unwrap();
    let changes = [
        "--code-prefix SHOP",
        "--callback-url https://a.example/",
        "--sender 12345",
    ];
    let updates = changes.map(|change| {
        let admin = Arc::clone(&admin);
        tokio::spawn(async move { ask(&admin, &format!("app update shop {change}")).await })
    });
    for update in updates {
        update.await.unwrap().unwrap();
    }
    let app = ask(&admin, "app show shop").await.unwrap();
    assert_eq!(app["codePrefix"], "SHOP");
    assert_eq!(app["callbackUrl"], "https://a.example/");
    assert_eq!(app["senders"], serde_json::json!(["12345"]));
}

#[tokio::test]
async fn third_active_key_is_refused_until_one_is_revoked() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let first = ask(&admin, "app create shop").await.unwrap();
    ask(&admin, "key issue shop").await.unwrap();
    let third = ask(&admin, "key issue shop").await;
    assert!(
        matches!(third, Err(AdminError::TooManyKeys(_))),
        "{third:?}"
    );

    let revoke = format!("key revoke shop {}", first["keyId"].as_str().unwrap());
    let revoked = ask(&admin, &revoke).await.unwrap();
    assert!(revoked["revokedAt"].is_string());
    assert_eq!(
        ask(&admin, &revoke).await.unwrap(),
        revoked,
        "a second time changes nothing"
    );
    ask(&admin, "key issue shop").await.unwrap();
    assert_eq!(
        ask(&admin, "key list shop")
            .await
            .unwrap()
            .as_array()
            .unwrap()
            .len(),
        3
    );

    let unknown = ask(&admin, "key revoke shop key_0123456789abcdef").await;
    assert!(
        matches!(unknown, Err(AdminError::UnknownKey { .. })),
        "{unknown:?}"
    );
    for line in [
        "key issue other",
        "key list other",
        "key revoke other key_0123456789abcdef",
    ] {
        let unknown = ask(&admin, line).await;
        assert!(
            matches!(unknown, Err(AdminError::UnknownApp(_))),
            "{line}: {unknown:?}"
        );
    }
}

#[tokio::test]
async fn keys_of_all_apps_are_listed_with_label_kind_and_last_use() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    ask(&admin, "app create bank").await.unwrap();
    let test = ask(&admin, "key issue shop --test --label Staging").await;
    let test = test.unwrap();
    let used = test["apiKey"].as_str().unwrap();
    let used = used
        .parse::<countersign_domain::app::api_key::PresentedApiKey>()
        .unwrap();
    admin.store.note_key_use(&used.hash());
    admin.store.record_key_uses().await.unwrap();

    let keys = ask(&admin, "key list").await.unwrap();
    let shown = keys.as_array().unwrap().iter().map(|key| {
        json!([
            key["app"],
            key["label"],
            key["test"],
            key["lastUsedAt"].is_null()
        ])
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            json!(["bank", null, false, true]),
            json!(["shop", null, false, true]),
            json!(["shop", "Staging", true, false]),
        ]
    );
    let day = keys[2]["lastUsedAt"].as_str().unwrap();
    day.parse::<countersign_domain::primitives::day::Day>()
        .unwrap();
    let of_shop = ask(&admin, "key list shop").await.unwrap();
    assert_eq!(of_shop, json!([keys[1], keys[2]]));
    let lines = read(&admin, "key list shop").await;
    assert_eq!(
        lines[0],
        "APP KEY ID LABEL TEST ISSUED AT LAST USED AT REVOKED AT"
    );
    assert!(lines[2].contains(" Staging yes "), "{lines:?}");
    let records = ask(&admin, "audit --action issue_key").await.unwrap();
    let details = json!({ "test": true, "label": "Staging" });
    assert_eq!(records[0]["details"], details);
}

#[tokio::test]
async fn rotated_signing_key_stays_published() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let before = ask(&admin, "signing-key list").await.unwrap();
    let after = ask(&admin, "signing-key rotate").await.unwrap();
    assert_eq!(after.as_array().unwrap().len(), 2);
    assert_eq!(after[0]["current"], true);
    assert_eq!(after[1]["keyId"], before[0]["keyId"]);
    assert_eq!(after[1]["current"], false);
}

#[tokio::test]
async fn commands_that_need_the_server_are_refused_without_it() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    assert_eq!(ShowMetrics::NEEDS, Needs::Server);
    assert_eq!(ShowServer::NEEDS, Needs::Server);
    for refused in [
        execute(&admin, ShowMetrics {}).await,
        execute(&admin, ShowServer {}).await,
    ] {
        assert!(
            matches!(refused, Err(AdminError::NotRunning)),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn socket_is_private_replaces_a_stale_one_and_executes_requests() {
    use std::os::unix::fs::PermissionsExt as _;
    let data = data();
    let path = data.dir.admin_socket();
    // A killed server leaves its socket behind.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let unanswered = client::ask(&path, &ListApps {}).await;
    assert!(
        matches!(unanswered, Err(client::ClientError::NotRunning)),
        "{unanswered:?}"
    );

    let AdminSocket { listener, file } = AdminSocket::bind(&data.dir).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let admin = Arc::new(Admin::of_storage(&data.storage, true, None));
    assert_eq!(admin.callbacks, CallbackPolicy::local());
    let router = super::socket::router(admin).layer(axum::Extension(User::current()));
    tokio::spawn(axum::serve(listener, router).into_future());
    let create = CreateApp {
        app: "shop".parse().unwrap(),
        settings: AppOptions::default(),
    };
    let answered = client::ask(&path, &create).await.unwrap();
    assert_eq!(answered.0.name(), Some("shop"));
    let refused = client::ask(&path, &create).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "an app called shop already exists; `countersign app update shop` changes it"
    );
    drop(file);
    assert!(!path.exists());
}

/// A busy server must not look like one that has to be stopped.
#[tokio::test]
async fn refusals_tell_busy_failed_and_other_versions_apart() {
    use client::ClientError::{Busy, Failed, OtherVersion};
    let folder = tempfile::tempdir().unwrap();
    for (status, expected) in [
        (StatusCode::SERVICE_UNAVAILABLE, Busy),
        (StatusCode::INTERNAL_SERVER_ERROR, Failed),
        (StatusCode::NOT_FOUND, OtherVersion),
    ] {
        let path = folder.path().join(status.as_str());
        let listener = tokio::net::UnixListener::bind(&path).unwrap();
        let answering = axum::Router::new().fallback(async move || status);
        let server = tokio::spawn(axum::serve(listener, answering).into_future());
        let expected = expected.to_string();
        let asked = client::ask(&path, &ListApps {}).await.unwrap_err();
        assert_eq!(asked.to_string(), expected);
        server.abort();
    }
}

#[test]
fn too_long_a_socket_path_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::create(&folder.path().join("d".repeat(100))).unwrap();
    let error = AdminSocket::bind(&dir).unwrap_err().to_string();
    assert!(
        error.contains("too long") && error.contains("--data"),
        "{error}"
    );
}
