//! Authentication of clients.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::app::client_secret::{ClientSecretRecord, PresentedClientSecret};

use super::world::World;
use crate::host::START;

/// Returns a world whose client is confidential, with its secret.
async fn confidential() -> (World, String) {
    let world = World::with(|app| app.openid.public_client = false).await;
    let secret = PresentedClientSecret::generate(&*world.host.entropy);
    let record = ClientSecretRecord {
        hash: secret.hash(),
        issued_at: START,
        revoked_at: None,
        label: None,
    };
    let demo = "demo".parse().unwrap();
    let issued = world.host.store.issue_client_secret(&demo, record).await;
    issued.unwrap();
    (world, secret.reveal().to_owned())
}

fn basic(client: &str, secret: &str) -> String {
    format!(
        "Basic {}",
        BASE64_STANDARD.encode(format!("{client}:{secret}"))
    )
}

#[tokio::test]
async fn confidential_client_authenticates_in_the_header_or_in_the_body() {
    let (world, secret) = confidential().await;
    let form = world.exchange_form(&world.code().await);
    let in_header = form.replace(&format!("client_id={}&", world.client), "");
    let credentials = basic(&world.client, &secret);
    let answer = world
        .form_with("/token", &in_header, &[("authorization", &credentials)])
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let in_body = format!(
        "{}&client_secret={secret}",
        world.exchange_form(&world.code().await)
    );
    assert_eq!(world.form("/token", &in_body).await.status, 200);
}

/// Some clients try the header first and then the body with the same code.
#[tokio::test]
async fn failed_authentication_does_not_use_up_the_code() {
    let (world, secret) = confidential().await;
    let code = world.code().await;
    let form = world.exchange_form(&code);
    let wrong = PresentedClientSecret::generate(&*world.host.entropy);
    for (form, authorization) in [
        (form.clone(), None),
        (format!("{form}&client_secret=x"), None),
        (format!("{form}&client_secret={}", wrong.reveal()), None),
        (form.clone(), Some(basic(&world.client, "x"))),
        (form.clone(), Some(basic(&world.client, ""))),
        (form.clone(), Some(format!("Bearer {secret}"))),
        (form.clone(), Some("Basic !".to_owned())),
    ] {
        let headers: Vec<_> = authorization
            .iter()
            .map(|it| ("authorization", it.as_str()))
            .collect();
        let answer = world.form_with("/token", &form, &headers).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["error"]),
            (401, &"invalid_client".into()),
            "{headers:?}"
        );
    }
    let both = format!("{form}&client_secret={secret}");
    let credentials = basic(&world.client, &secret);
    let answer = world
        .form_with("/token", &both, &[("authorization", &credentials)])
        .await;
    assert_eq!(answer.json()["error"], "invalid_request");
    assert_eq!(world.form("/token", &both).await.status, 200);
}

#[tokio::test]
async fn public_client_presents_no_secret() {
    let world = World::new().await;
    let code = world.code().await;
    let form = world.exchange_form(&code);
    let with_secret = format!("{form}&client_secret=x");
    let answer = world.form("/token", &with_secret).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json()["error"]),
        (401, &"invalid_client".into())
    );
    assert_eq!(
        answer.header("www-authenticate"),
        Some("Basic realm=\"countersign\"")
    );
    let asserted = format!("{form}&client_assertion=x&client_assertion_type=y");
    assert_eq!(
        world.form("/token", &asserted).await.json()["error"],
        "invalid_client"
    );
    assert_eq!(world.exchange(&code).await.status, 200);
}

#[tokio::test]
async fn body_must_be_a_form() {
    let world = World::new().await;
    let json = [("content-type", "application/json")];
    let answer = world.form_with("/token", "{}", &json).await;
    assert_eq!(answer.json()["error"], "invalid_request");
}

#[tokio::test]
async fn access_token_is_sent_once() {
    let world = World::new().await;
    let tokens = world.tokens().await;
    let token = tokens["access_token"].as_str().unwrap();
    let form = format!("access_token={token}");
    assert_eq!(world.form("/userinfo", &form).await.status, 200);
    let bearer = format!("Bearer {token}");
    let both = world
        .form_with("/userinfo", &form, &[("authorization", &bearer)])
        .await;
    assert_eq!(both.json()["error"], "invalid_request");
    let none = world.get("/userinfo").await;
    assert_eq!(
        (none.status.as_u16(), none.header("www-authenticate")),
        (401, Some("Bearer"))
    );
    let other = world.user_info("x").await;
    assert_eq!(
        (other.status.as_u16(), &other.json()["error"]),
        (401, &"invalid_token".into())
    );
}
