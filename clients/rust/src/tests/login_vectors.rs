//! Vectors of logins: derived ids and tokens, links, and proofs.

use serde_json::Value;

use super::stub::Stub;
use super::vectors::{cases, key_finder, text, vectors};
use crate::error::Error;
use crate::identity;
use crate::links::is_link_of;
use crate::logins::{LoginDetail, LoginExpectation};

const APP_KEY: &str = "cs_app_0123456789abcdefABCDEF";

#[test]
fn ids_and_tokens_are_derived() {
    let key_of = |case: &Value| identity::from_base64url(text(case, "browserPublicKey")).unwrap();
    for case in cases(&vectors()["logins"]["sessionIds"]) {
        let context = case["context"].as_str().unwrap_or_default();
        let id = identity::session_id(
            text(case, "appKey"),
            text(case, "origin"),
            context,
            &key_of(case),
        );
        assert_eq!(id, text(case, "sessionId"), "{}", text(case, "name"));
    }
    for case in cases(&vectors()["logins"]["pageTokens"]) {
        let token = identity::page_token(text(case, "browserToken"));
        assert_eq!(token.as_deref(), Some(text(case, "pageToken")));
    }
    for case in cases(&vectors()["approvals"]["tokens"]) {
        let token = identity::approval_token(text(case, "apiKey"), &key_of(case));
        assert_eq!(token, text(case, "browserToken"));
        assert_eq!(
            identity::page_token(&token).as_deref(),
            Some(text(case, "pageToken"))
        );
    }
    for case in cases(&vectors()["approvals"]["records"]) {
        let record = identity::approval_record(text(case, "sessionId"), text(case, "userId"));
        assert_eq!(record, text(case, "id"));
    }
}

#[test]
fn links_are_exact() {
    let id = format!("qrs_{}", "ab".repeat(16));
    let all = cases(&vectors()["logins"]["links"]);
    for case in all {
        let link = case["link"]
            .as_str()
            .unwrap_or_default()
            .replace("{id}", &id);
        assert_eq!(is_link_of(&link, &id), case["ok"] == true, "{link}");
    }
    assert_eq!(all.len(), 43);
}

#[tokio::test]
async fn proofs_are_verified_without_a_payload() {
    judge_proofs(&vectors()["proofsWithoutPayload"], 25).await;
}

#[tokio::test]
async fn proofs_by_passkeys_are_verified() {
    judge_proofs(&vectors()["passkeys"], 103).await;
}

async fn judge_proofs(section: &'static Value, count: usize) {
    let all = cases(&section["cases"]);
    for case in all {
        let name = text(case, "name");
        let stub = Stub::start().await;
        stub.tell_time(text(vectors(), "date"));
        let client = stub.builder().app_key(APP_KEY).build().unwrap();
        let mut expected = LoginExpectation::new(text(section, "origin"));
        if let Some(context) = case["context"].as_str() {
            expected = expected.context(context);
        }
        if case["openedByServer"] == true {
            expected = expected.opened_by_server();
        }
        let detail: LoginDetail = serde_json::from_value(case["detail"].clone()).unwrap();
        let login = client
            .logins()
            .verify(&detail, &expected, key_finder(&section["keys"]))
            .await;
        match (login, case["userId"].as_str()) {
            (Ok(login), Some(user)) => assert_eq!(login.user_id, user, "{name}"),
            (Err(Error::Login(_)), None) => (),
            (login, _) => panic!("{name}: {login:?}"),
        }
    }
    assert_eq!(all.len(), count);
}
