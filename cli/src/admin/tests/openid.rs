//! Settings of apps for the OpenID provider, and client secrets.

use serde_json::json;

use super::*;

#[tokio::test]
async fn provider_is_off_for_a_new_app() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let made = ask(&admin, "app create shop").await.unwrap();
    let expected = json!({
        "redirectUris": [],
        "postLogoutRedirectUris": [],
        "client": "confidential",
        "pkce": "required",
        "methods": ["text"],
        "subjectSilenceDays": 90,
    });
    assert_eq!(made["openid"], expected);
}

#[tokio::test]
async fn redirect_uris_are_added_and_removed_letter_by_letter() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let create = "app create shop --add-redirect-uri https://shop.example/a --add-redirect-uri https://shop.example/b";
    let made = ask(&admin, create).await.unwrap();
    let (a, b) = ("https://shop.example/a", "https://shop.example/b");
    assert_eq!(made["openid"]["redirectUris"], json!([a, b]));
    let update = "app update shop --remove-redirect-uri https://shop.example/a --add-redirect-uri https://shop.example/b";
    let updated = ask(&admin, update).await.unwrap();
    assert_eq!(updated["openid"]["redirectUris"], json!([b]));
    for option in ["--remove-redirect-uri", "--remove-post-logout-redirect-uri"] {
        let update = format!("app update shop {option} https://shop.example/b/");
        let said = ask(&admin, &update).await.unwrap_err().to_string();
        assert!(said.contains("https://shop.example/b/"), "{said}");
    }
}

#[tokio::test]
async fn settings_that_do_not_fit_each_other_are_refused() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    let native = "--add-redirect-uri com.example.shop:/x";
    for refused in [
        native,
        "--openid-methods text,code",
        "--openid-client public --openid-pkce nonce",
    ] {
        let update = format!("app update shop {refused}");
        let error = ask(&admin, &update).await.unwrap_err();
        assert!(matches!(error, AdminError::OpenId(_)), "{refused}: {error}");
    }
    let twice = ask(&admin, "app update shop --openid-methods text,text").await;
    assert!(matches!(twice, Err(AdminError::Methods(_))));
    let both = format!(
        "app update shop {native} --openid-client public --link-host login.shop.example --openid-methods code,text"
    );
    let updated = ask(&admin, &both).await.unwrap();
    assert_eq!(updated["openid"]["methods"], json!(["code", "text"]));
    for refused in ["--no-link-host", "--openid-client confidential"] {
        let update = format!("app update shop {refused}");
        let error = ask(&admin, &update).await.unwrap_err();
        assert!(matches!(error, AdminError::OpenId(_)), "{refused}: {error}");
    }
}

#[tokio::test]
async fn client_secret_is_shown_once_and_replaced_without_a_gap() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    let app = ask(&admin, "app create shop").await.unwrap();
    let made = ask(&admin, "openid issue-secret shop --label Broker")
        .await
        .unwrap();
    assert_eq!(made["clientId"], app["appKey"]);
    let secret = made["clientSecret"].as_str().unwrap();
    let presented = secret.parse::<PresentedClientSecret>().unwrap();
    let id = "shop".parse::<AppId>().unwrap();
    let fits = |presented: PresentedClientSecret| {
        let (store, id) = (&admin.store, &id);
        async move { store.client_secret_fits(id, &presented).await.unwrap() }
    };
    assert!(fits(presented.clone()).await);

    let second = ask(&admin, "openid issue-secret shop").await.unwrap();
    let third = ask(&admin, "openid issue-secret shop").await;
    assert!(matches!(third, Err(AdminError::TooManySecrets(_))));
    let revoke = format!(
        "openid revoke-secret shop {}",
        made["secretId"].as_str().unwrap()
    );
    let revoked = ask(&admin, &revoke).await.unwrap();
    assert!(revoked["revokedAt"].is_string());
    assert_eq!(ask(&admin, &revoke).await.unwrap(), revoked);
    assert!(!fits(presented).await);
    let second = second["clientSecret"].as_str().unwrap().parse().unwrap();
    assert!(fits(second).await);

    let listed = ask(&admin, "openid list-secrets").await.unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0]["label"], "Broker");
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["lastUsedAt"].is_string())
    );
    assert!(!listed.to_string().contains("cs_oidc_"));
    let records = ask(&admin, "audit").await.unwrap().to_string();
    assert!(records.contains("issue_client_secret") && records.contains("sec_"));
    assert!(!records.contains("cs_oidc_"));
}

#[tokio::test]
async fn client_secret_is_refused_where_it_has_no_use() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop --openid-client public")
        .await
        .unwrap();
    let issued = ask(&admin, "openid issue-secret shop").await;
    assert!(matches!(issued, Err(AdminError::PublicClient(_))));
    let unknown = ask(&admin, "openid revoke-secret shop sec_0123456789abcdef").await;
    assert!(matches!(unknown, Err(AdminError::UnknownSecret { .. })));
    let elsewhere = ask(&admin, "openid issue-secret bank").await;
    assert!(matches!(elsewhere, Err(AdminError::UnknownApp(_))));
}
