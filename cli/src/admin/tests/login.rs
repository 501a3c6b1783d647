//! Login settings of apps.

use countersign_domain::web::link_host::LinkHost;
use serde_json::json;

use super::*;

fn fingerprint(pair: &str) -> String {
    vec![pair; 32].join(":")
}

fn full() -> String {
    format!(
        "app create shop --sender +12025550199 --link-host Login.Shop.Example \
         --origin https://shop.example/ --origin https://shop.example --origin http://localhost:3000 \
         --android com.example.shop={} --android com.example.other={} --android com.example.shop={} \
         --ios ABCDE12345.com.example.shop --login-callback https://shop.example/logins \
         --add-return-page https://shop.example/login --logins-from server --payload-encryption optional --require-proof true --check-code on \
         --deny-after-denials true --web-phone on --web-phone-key passkey \
         --phone-setup-url https://shop.example/phones",
        fingerprint("0a"),
        fingerprint("0B"),
        fingerprint("0C")
    )
}

#[tokio::test]
async fn links_lead_to_the_machine_itself_in_local_mode_alone() {
    let data = data();
    let deployed = Admin::of_storage(&data.storage, false, None);
    let create = "app create shop --sender +12025550199";
    let to_itself = format!("{create} --link-host localhost:8787");
    let refused = ask(&deployed, &to_itself).await.unwrap_err();
    assert!(matches!(refused, AdminError::LoopbackLinkHost));
    ask(&deployed, create).await.unwrap();
    let update = "app update shop --link-host 127.0.0.1:8787";
    let refused = ask(&deployed, update).await.unwrap_err();
    assert!(matches!(refused, AdminError::LoopbackLinkHost));

    let local = Admin::of_storage(&data.storage, true, None);
    let updated = ask(&local, update).await.unwrap();
    assert_eq!(updated["login"]["linkHost"], "127.0.0.1:8787");
    // A local server's data may later be used by a public server.
    ask(&deployed, "app update shop --code-prefix SHOP")
        .await
        .unwrap();
}

#[tokio::test]
async fn links_of_local_mode_lead_to_the_servers_own_port() {
    let data = data();
    let hosts = ["localhost:8787", "127.0.0.1:8787", "[::1]:8787"];
    let local = Admin {
        link_hosts: hosts.map(|host| host.parse::<LinkHost>().unwrap()).to_vec(),
        ..Admin::of_storage(&data.storage, true, None)
    };
    for host in [
        "localhost",
        "localhost:80",
        "localhost:8788",
        "127.0.0.1",
        "[::1]",
    ] {
        let create = format!("app create shop --link-host {host}");
        let said = ask(&local, &create).await.unwrap_err().to_string();
        assert!(
            said.ends_with("give --link-host localhost:8787"),
            "{host}: {said}"
        );
    }
    ask(&local, "app create shop --link-host login.shop.example")
        .await
        .unwrap();
    for host in hosts.into_iter().chain(["login.shop.example:8443"]) {
        let updated = ask(&local, &format!("app update shop --link-host {host}")).await;
        assert_eq!(updated.unwrap()["login"]["linkHost"], host);
    }
}

#[tokio::test]
async fn new_app_gets_every_login_setting() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    ask(&admin, &full()).await.unwrap();
    let shown = ask(&admin, "app show shop").await.unwrap();
    assert_eq!(
        shown["login"],
        json!({
            "linkHost": "login.shop.example",
            "origins": ["https://shop.example", "http://localhost:3000"],
            "loginsFrom": "server",
            "returnPages": ["https://shop.example/login"],
            "android": [
                format!("com.example.shop={}", fingerprint("0A")),
                format!("com.example.shop={}", fingerprint("0C")),
                format!("com.example.other={}", fingerprint("0B")),
            ],
            "ios": ["ABCDE12345.com.example.shop"],
            "callback": "https://shop.example/logins",
            "payloadEncryption": "optional",
            "requireProof": true,
            "checkCode": true,
            "denyAfterDenials": true,
            "webPhone": true,
            "webPhoneKey": "passkey",
            "phoneSetupUrl": "https://shop.example/phones",
        })
    );
    let host = "login.shop.example".parse::<LinkHost>().unwrap();
    let apps = admin.store.apps_of_link_host(&host).await.unwrap();
    assert_eq!(apps.len(), 1);
    assert_eq!(apps[0].login.android.len(), 2);
    assert_eq!(apps[0].login.android[0].fingerprints.len(), 2);

    let lines = read(&admin, "app show shop").await;
    for part in [
        "login",
        "link host login.shop.example",
        "origins https://shop.example, http://localhost:3000",
        "logins from server",
        "return pages https://shop.example/login",
        "iOS ABCDE12345.com.example.shop",
        "callback https://shop.example/logins",
        "payload encryption optional",
        "require proof yes",
        "check code yes",
        "deny after denials yes",
    ] {
        assert!(lines.contains(&part.to_owned()), "{part}:\n{lines:?}");
    }
}

#[tokio::test]
async fn app_without_login_settings_allows_no_login() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let made = ask(&admin, "app create shop").await.unwrap();
    let nothing = json!({
        "linkHost": null,
        "origins": [],
        "loginsFrom": "pages",
        "returnPages": [],
        "android": [],
        "ios": [],
        "callback": null,
        "payloadEncryption": "required",
        "requireProof": false,
        "checkCode": false,
        "denyAfterDenials": false,
        "webPhone": false,
        "webPhoneKey": "any",
        "phoneSetupUrl": null,
    });
    assert_eq!(made["login"], nothing);
}

#[tokio::test]
async fn each_login_setting_changes_and_clears_alone() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    ask(&admin, &full()).await.unwrap();
    let other = format!("com.example.new={}", fingerprint("0D"));
    for (flags, field, value) in [
        ("--web-phone-key any", "webPhoneKey", json!("any")),
        ("--web-phone off", "webPhone", json!(false)),
        (
            "--phone-setup-url https://b.example/phones",
            "phoneSetupUrl",
            json!("https://b.example/phones"),
        ),
        ("--no-phone-setup-url", "phoneSetupUrl", json!(null)),
        (
            "--link-host go.shop.example",
            "linkHost",
            json!("go.shop.example"),
        ),
        ("--no-link-host", "linkHost", json!(null)),
        (
            "--origin https://b.example",
            "origins",
            json!(["https://b.example"]),
        ),
        (
            "--add-origin https://c.example",
            "origins",
            json!(["https://b.example", "https://c.example"]),
        ),
        (
            "--remove-origin https://b.example",
            "origins",
            json!(["https://c.example"]),
        ),
        ("--logins-from pages", "loginsFrom", json!("pages")),
        ("--logins-from server", "loginsFrom", json!("server")),
        (
            "--add-return-page https://c.example",
            "returnPages",
            json!(["https://shop.example/login", "https://c.example/"]),
        ),
        (
            "--remove-return-page https://c.example/",
            "returnPages",
            json!(["https://shop.example/login"]),
        ),
        ("--no-origins", "origins", json!([])),
        (&format!("--android {other}"), "android", json!([other])),
        ("--no-android", "android", json!([])),
        ("--ios ABCDE12345.new", "ios", json!(["ABCDE12345.new"])),
        ("--no-ios", "ios", json!([])),
        (
            "--login-callback https://b.example/x",
            "callback",
            json!("https://b.example/x"),
        ),
        ("--no-login-callback", "callback", json!(null)),
        (
            "--payload-encryption required",
            "payloadEncryption",
            json!("required"),
        ),
        ("--require-proof false", "requireProof", json!(false)),
        ("--check-code off", "checkCode", json!(false)),
        ("--check-code on", "checkCode", json!(true)),
        (
            "--deny-after-denials false",
            "denyAfterDenials",
            json!(false),
        ),
    ] {
        let mut expected = ask(&admin, "app show shop").await.unwrap();
        assert_ne!(expected["login"][field], value, "{flags} changes nothing");
        expected["login"][field] = value;
        let changed = ask(&admin, &format!("app update shop {flags}")).await;
        assert_eq!(changed.unwrap(), expected, "{flags}");
        let shown = ask(&admin, "app show shop").await.unwrap();
        assert_eq!(shown, expected, "{flags}");
    }
}

#[tokio::test]
async fn host_of_the_web_authenticator_belongs_to_one_app() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    let sender = "--sender +12025550199 --link-host login.shop.example";
    ask(&admin, &format!("app create a {sender}"))
        .await
        .unwrap();
    ask(&admin, &format!("app create b {sender}"))
        .await
        .unwrap();
    let shared = ask(&admin, "app update a --web-phone on").await;
    assert!(matches!(shared, Err(AdminError::WebPhone(_))));
    ask(&admin, "app update b --no-link-host").await.unwrap();
    ask(&admin, "app update a --web-phone on").await.unwrap();
    let taken = ask(&admin, "app update b --link-host login.shop.example").await;
    assert!(matches!(taken, Err(AdminError::WebPhone(_))));
    let homeless = ask(&admin, "app update a --no-link-host").await;
    assert!(matches!(homeless, Err(AdminError::WebPhone(_))));
}

#[tokio::test]
async fn return_page_of_an_origin_that_is_not_listed_is_refused() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let create = "app create shop --origin https://shop.example --origin http://localhost:3000";
    ask(&admin, create).await.unwrap();
    for page in [
        "https://other.example/login",
        "https://www.shop.example/login",
        "https://shop.example:8443/login",
        "http://127.0.0.1:3000/login",
        "http://localhost:3001/login",
        "https://localhost:3000/login",
    ] {
        let update = format!("app update shop --add-return-page {page}");
        let said = ask(&admin, &update).await.unwrap_err().to_string();
        assert!(
            said.contains(page) && said.contains("--add-origin"),
            "{said}"
        );
    }
    let created = "app create b --origin https://a.example --add-return-page https://b.example/";
    let refused = ask(&admin, created).await.unwrap_err();
    assert!(matches!(refused, AdminError::PageWithoutOrigin(_)));
    let both =
        "app update shop --add-origin https://b.example --add-return-page https://B.example:443";
    let updated = ask(&admin, both).await.unwrap();
    assert_eq!(
        updated["login"]["returnPages"],
        json!(["https://b.example/"])
    );
}

#[tokio::test]
async fn page_that_is_not_listed_cannot_be_removed() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    for option in ["--remove-origin", "--remove-return-page"] {
        let removed = ask(
            &admin,
            &format!("app update shop {option} https://a.example"),
        )
        .await;
        let said = removed.unwrap_err().to_string();
        assert!(
            said.starts_with("shop does not list the page https://a.example"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn login_callback_outside_the_policy_is_refused() {
    let data = data();
    let (local, deployed) = (
        Admin::of_storage(&data.storage, true, None),
        Admin::of_storage(&data.storage, false, None),
    );
    let create = "app create shop --sender +12025550199 --login-callback http://127.0.0.1:9797/";
    let refused = ask(&deployed, create).await;
    assert!(
        matches!(
            refused,
            Err(AdminError::Callback(CallbackRefusal::NotAllowed(_)))
        ),
        "{refused:?}"
    );
    ask(&local, create).await.unwrap();

    let outside = "app update shop --callback-origin https://a.example --login-callback \
                   https://b.example/"
        .replace("                   ", "");
    let refused = ask(&local, &outside).await;
    assert!(
        matches!(
            refused,
            Err(AdminError::Callback(CallbackRefusal::OutsideOrigins(_)))
        ),
        "{refused:?}"
    );
    let origins = "app update shop --callback-origin https://a.example";
    let refused = ask(&local, origins).await;
    assert!(
        matches!(
            refused,
            Err(AdminError::Callback(CallbackRefusal::OutsideOrigins(_)))
        ),
        "the present callback would be outside: {refused:?}"
    );
    ask(&local, &outside.replace("b.example", "a.example"))
        .await
        .unwrap();
}
