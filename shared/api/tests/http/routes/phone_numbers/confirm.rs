//! `POST /make-confirmation`.

use countersign_domain::app::App;
use countersign_domain::app::refused_types::{RefusableType, RefusedTypes};
use countersign_domain::confirmation::Confirmation;
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
