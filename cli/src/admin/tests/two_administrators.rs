//! Two concurrent administrators, each in a separate process, as with `--table`.

use std::sync::Arc;

use countersign_conformance::failing::{Access, FailingItems};
use countersign_domain::app::CallbackRefusal;
use countersign_domain::store::{Key, Store};
use countersign_system::clock::SystemClock;
use serde_json::{Value, json};

use super::{Admin, AdminError, AppOptions, Data, ask, data, execute};
use crate::admin::apps::UpdateApp;

/// The documents that all administrators share.
struct Deployment {
    items: Arc<FailingItems>,
    data: Data,
}

impl Deployment {
    fn new() -> Self {
        Self {
            items: Arc::default(),
            data: data(),
        }
    }

    async fn with_shop() -> Self {
        let deployment = Self::new();
        let made = ask(&deployment.administrator(), "app create shop").await;
        made.unwrap();
        deployment
    }

    /// Returns the command as a separate process would run it.
    fn administrator(&self) -> Admin {
        Admin {
            store: Arc::new(Store::new(self.items.clone(), Arc::new(SystemClock))),
            ..Admin::of_storage(&self.data.storage, true, None)
        }
    }

    /// Executes one command, and another one by a second administrator right after the first has read the
    /// app.
    async fn interleaved(&self, first: &str, second: &'static str) -> Result<Value, AdminError> {
        let reads_the_app = |access: Access<'_>| matches!(access, Access::Read(Key::App(_)));
        self.interleaved_after(reads_the_app, first, second).await
    }

    /// Executes one command, and another one by a second administrator right after this access of the first.
    async fn interleaved_after(
        &self,
        access: impl Fn(Access<'_>) -> bool + Send + 'static,
        first: &str,
        second: &'static str,
    ) -> Result<Value, AdminError> {
        let other = self.administrator();
        self.items.interrupt(access, async move {
            ask(&other, second).await.unwrap();
        });
        ask(&self.administrator(), first).await
    }

    async fn ask(&self, line: &str) -> Result<Value, AdminError> {
        ask(&self.administrator(), line).await
    }
}

/// Whichever reads the host first, the one that writes first has it.
#[tokio::test]
async fn host_of_the_web_authenticator_is_given_to_one_app_only() {
    let with_phones = "app update shop --link-host login.example --web-phone on";
    for (first, second, refusal) in [
        (
            with_phones,
            "app update other --link-host login.example",
            "needs a link host that no other app has, but other has",
        ),
        (
            with_phones,
            "app create new --link-host login.example --web-phone on --sender 12345",
            "needs a link host that no other app has, but new has",
        ),
        (
            "app update other --link-host login.example",
            with_phones,
            "shop has the web authenticator at login.example",
        ),
        (
            "app create new --link-host login.example --sender 12345",
            with_phones,
            "shop has the web authenticator at login.example",
        ),
    ] {
        let deployment = Deployment::with_shop().await;
        deployment.ask("app create other").await.unwrap();
        let reads_the_host = |access: Access<'_>| matches!(access, Access::Read(Key::LinkHost(_)));
        let answer = deployment.interleaved_after(reads_the_host, first, second);
        let refused = answer.await.unwrap_err().to_string();
        assert!(refused.contains(refusal), "{first}: {refused}");
    }
}

#[tokio::test]
async fn neither_of_two_updates_undoes_the_other() {
    for (first, second) in [
        ("--code-prefix SHOP", "app update shop --sender 12345"),
        ("--sender 12345", "app update shop --code-prefix SHOP"),
    ] {
        let deployment = Deployment::with_shop().await;
        let update = format!("app update shop {first}");
        let answer = deployment.interleaved(&update, second).await.unwrap();
        for app in [answer, deployment.ask("app show shop").await.unwrap()] {
            assert_eq!(app["codePrefix"], "SHOP", "{first}");
            assert_eq!(app["senders"], json!(["12345"]), "{first}");
        }
        let profile = deployment.administrator().store.inbound_profile().await;
        let profile = profile.unwrap();
        assert!(profile.prefixes.iter().any(|one| one.as_str() == "SHOP"));
        assert!(profile.recipients.iter().any(|one| one.as_str() == "12345"));
    }
}

#[tokio::test]
async fn update_does_not_bring_back_a_rotated_secret() {
    let deployment = Deployment::with_shop().await;
    let rotate = "app webhook-secret shop --rotate";
    let update = "app update shop --max-open-logins 7";
    deployment.interleaved(update, rotate).await.unwrap();
    let shown = deployment.ask("app webhook-secret shop").await.unwrap();
    assert_eq!(shown["webhookSecrets"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn second_of_two_rotations_is_refused() {
    let deployment = Deployment::with_shop().await;
    let rotate = "app webhook-secret shop --rotate";
    let answer = deployment.interleaved(rotate, rotate).await;
    assert!(
        matches!(answer, Err(AdminError::WebhookSecret(_))),
        "{answer:?}"
    );
}

/// A rule that held for the app as read must also hold for the app as written.
#[tokio::test]
async fn update_is_judged_by_what_the_other_one_left() {
    let deployment = Deployment::with_shop().await;
    let url = "app update shop --callback-url https://a.example/";
    let origin = "app update shop --callback-origin https://b.example";
    let answer = deployment.interleaved(url, origin).await;
    assert!(
        matches!(
            answer,
            Err(AdminError::Callback(CallbackRefusal::OutsideOrigins(_)))
        ),
        "{answer:?}"
    );
    let app = deployment.ask("app show shop").await.unwrap();
    assert_eq!(app["callbackUrl"], Value::Null);
}

#[tokio::test]
async fn deleted_app_is_not_brought_back_by_an_update() {
    let deployment = Deployment::with_shop().await;
    let update = "app update shop --code-prefix SHOP";
    let answer = deployment
        .interleaved(update, "app delete shop --yes")
        .await;
    for outcome in [answer, deployment.ask("app show shop").await] {
        assert!(
            matches!(outcome, Err(AdminError::UnknownApp(_))),
            "{outcome:?}"
        );
    }
}

#[tokio::test]
async fn second_app_of_the_same_name_is_refused() {
    let deployment = Deployment::new();
    let create = "app create shop --code-prefix SHOP";
    let answer = deployment.interleaved(create, "app create shop").await;
    assert!(
        matches!(answer, Err(AdminError::NameTaken(_))),
        "{answer:?}"
    );
    let app = deployment.ask("app show shop").await.unwrap();
    assert_eq!(app["codePrefix"], "CS");
}

#[tokio::test]
async fn key_that_is_issued_survives_an_update() {
    let deployment = Deployment::with_shop().await;
    let update = "app update shop --code-prefix SHOP";
    let answer = deployment.interleaved(update, "key issue shop").await;
    answer.unwrap();
    let keys = deployment.ask("key list shop").await.unwrap();
    assert_eq!(keys.as_array().unwrap().len(), 2);
}

/// The comparison with what the operator saw is part of the change, so no other change can come between.
#[tokio::test]
async fn change_between_comparison_and_write_is_not_overwritten() {
    let deployment = Deployment::with_shop().await;
    let options = serde_json::to_value(AppOptions::default()).unwrap();
    let update = |prefix: &str, seen: &str| {
        let mut options = options.clone();
        options["code_prefix"] = json!(prefix);
        let seen = json!({ "codePrefix": seen });
        let request = json!({ "app": "shop", "settings": options, "seen": seen });
        serde_json::from_value::<UpdateApp>(request).unwrap()
    };
    let other = deployment.administrator();
    let reads_the_app = |access: Access<'_>| matches!(access, Access::Read(Key::App(_)));
    let theirs = update("THEIRS", "CS");
    deployment.items.interrupt(reads_the_app, async move {
        execute(&other, theirs).await.unwrap();
    });
    let mine = execute(&deployment.administrator(), update("MINE", "CS")).await;
    let Err(error) = mine else {
        panic!("{mine:?}");
    };
    assert_eq!(error.now().unwrap()["codePrefix"], "THEIRS");
    let app = deployment.ask("app show shop").await.unwrap();
    assert_eq!(app["codePrefix"], "THEIRS");
    let overruled = execute(&deployment.administrator(), update("MINE", "THEIRS")).await;
    assert_eq!(overruled.unwrap().0["codePrefix"], "MINE");
}
