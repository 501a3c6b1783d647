//! `POST /make-confirmation`.

use countersign_domain::app::App;
use countersign_domain::app::refused_types::{RefusableType, RefusedTypes};
use countersign_domain::confirmation::Confirmation;
use http::HeaderValue;
use serde_json::json;

use super::show;
use crate::host::{CALLBACK, Host, PERSON, SEND_TO, SEND_TO_GB, id_of};

#[tokio::test]
async fn country_of_the_number_selects_the_recipient() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+44 20 7946 0018"});
    let session = host.post("/make-confirmation", body).await.json();
    assert_eq!(session["sendTo"], SEND_TO_GB);
}

/// Address books put direction marks around a number, and keyboards produce digits of their script.
#[tokio::test]
async fn number_is_taken_as_it_was_pasted() {
    let host = Host::new().await;
    let pasted = "\u{200f}+١ (202) 555\u{2011}0100";
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": pasted});
    let session = host.post("/make-confirmation", body).await.json();
    let message = session["confirmationMessage"].as_str().unwrap();
    host.text("text-1", "+12025550100", SEND_TO, message).await;
    let shown = show(&host, id_of(&session)).await;
    assert_eq!(shown["phoneNumber"], "+12025550100");
}

/// The caller can thus store, and later compare, the format that the webhook uses.
#[tokio::test]
async fn answer_has_the_number_in_the_form_that_the_webhook_has() {
    let host = Host::new().await;
    let written = [
        ("+1 (202) 555-0100", None, "+12025550100"),
        ("0170 1234567", Some("DE"), "+491701234567"),
        ("0170/1234567", Some("+49"), "+491701234567"),
    ];
    for (n, (written, country, e164)) in written.into_iter().enumerate() {
        let body = json!({"callbackUrl": CALLBACK, "phoneNumber": written, "country": country});
        let mut request = host.request("POST", "/make-confirmation", body.to_string());
        let key = HeaderValue::from_str(&format!("key-{n}")).unwrap();
        request.headers_mut().insert("idempotency-key", key.clone());
        let session = host.send(request).await.json();
        assert_eq!(session["phoneNumber"], e164, "{written}: {session}");
        let shown = show(&host, id_of(&session)).await;
        assert_eq!(shown["phoneNumber"], e164, "{written}");
        let mut again = host.request("POST", "/make-confirmation", body.to_string());
        again.headers_mut().insert("idempotency-key", key);
        let replayed = host.send(again).await.json();
        assert_eq!(replayed["confirmationId"], session["confirmationId"]);
        assert_eq!(replayed["phoneNumber"], e164, "{written}");
    }
    let body = json!({"callbackUrl": CALLBACK});
    let acquired = host.post("/acquire-phone-number", body).await.json();
    assert!(acquired.get("phoneNumber").is_none(), "{acquired}");
}

#[tokio::test]
async fn number_that_the_country_does_not_have_or_that_could_be_several_is_a_problem() {
    let host = Host::new().await;
    for (written, country) in [
        // With Germany's country code, or a landline in Leer.
        ("491234567", "DE"),
        ("0170 1234567", "US"),
    ] {
        let body = json!({"callbackUrl": CALLBACK, "phoneNumber": written, "country": country});
        let refused = host.post("/make-confirmation", body).await;
        assert_eq!(refused.status, 422, "{written}: {refused:?}");
        let problem = refused.json();
        assert_eq!(problem["code"], "phone_number_not_national", "{written}");
        assert_eq!(problem["field"], "/phoneNumber", "{written}");
    }
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "0170 1234567"});
    let refused = host.post("/make-confirmation", body).await.json();
    assert_eq!(refused["code"], "phone_number_not_international");
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("country"), "{detail}");
    assert!(host.stored::<Confirmation>().is_empty());
}

#[tokio::test]
async fn what_is_no_country_or_language_is_a_problem_that_names_the_right_one() {
    let host = Host::new().await;
    for (member, written, code, meant) in [
        ("country", "UK", "country_malformed", "did you mean GB?"),
        ("country", "en", "country_malformed", "did you mean GB?"),
        ("country", "USA", "country_malformed", "did you mean US?"),
        ("country", "XX", "country_malformed", "such as GB"),
        ("language", "jp", "language_malformed", "did you mean ja?"),
    ] {
        let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON, member: written});
        let refused = host.post("/make-confirmation", body).await;
        assert_eq!(refused.status, 422, "{written}");
        let problem = refused.json();
        assert_eq!(problem["code"], code, "{written}");
        assert_eq!(problem["field"], format!("/{member}"), "{written}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(meant), "{detail}");
    }
}

/// A number of a type that the app refuses in these tests.
const TOLL_FREE: &str = "+18005550100";

fn refuse_toll_free(app: &mut App) {
    let toll_free = "toll_free".parse::<RefusableType>().unwrap();
    app.refused_types = RefusedTypes::from_iter([toll_free]);
}

#[tokio::test]
async fn number_of_a_refused_type_is_a_problem_and_starts_nothing() {
    let host = Host::new().await;
    host.change_app(refuse_toll_free).await;
    let confirm = async |number: &str| {
        let body = json!({"callbackUrl": CALLBACK, "phoneNumber": number});
        host.post("/make-confirmation", body).await
    };
    let refused = confirm(TOLL_FREE).await;
    assert_eq!(refused.status, 422);
    let problem = refused.json();
    assert_eq!(problem["code"], "number_type_refused");
    assert_eq!(problem["field"], "/phoneNumber");
    assert_eq!(host.stored::<Confirmation>(), []);
    assert_eq!(confirm(PERSON).await.status, 200);
}

#[tokio::test]
async fn text_from_a_number_of_a_refused_type_is_a_miss() {
    let host = Host::new().await;
    host.change_app(refuse_toll_free).await;
    let session = host.acquire().await;
    let message = session["confirmationMessage"].as_str().unwrap();
    host.text("text-1", TOLL_FREE, SEND_TO, message).await;
    let shown = show(&host, id_of(&session)).await;
    assert_eq!(shown["status"], "open");
    assert_eq!(shown["lastMiss"]["reason"], "number_type_refused");
    host.text("text-2", PERSON, SEND_TO, message).await;
    let shown = show(&host, id_of(&session)).await;
    assert_eq!(shown["result"]["numberType"], "fixed_line_or_mobile");
}
