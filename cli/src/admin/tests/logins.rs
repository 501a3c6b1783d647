use countersign_conformance::samples;
use countersign_conformance::samples::logins::{new_login, sealed_login};
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::Login;

use super::confirmations::{Then, send};
use super::*;
use crate::admin::logins::{CancelLogin, ShowLogin};

#[tokio::test]
async fn operator_ends_a_login_once() {
    let data = data();
    let admin = Admin {
        clock: Arc::new(Then),
        ..Admin::of_storage(&data.storage, true, None)
    };
    let login = Login {
        app: "shop".parse().unwrap(),
        ..sealed_login(1)
    };
    let id = login.id.to_string();
    let started = admin
        .store
        .start_login(login, Allowance::Unlimited, samples::NOW);
    started.await.unwrap();
    let cancelled = send::<CancelLogin>(&admin, json!({ "id": id })).await;
    assert_eq!(cancelled.unwrap()["state"], "cancelled");
    let shown = send::<ShowLogin>(&admin, json!({ "id": id })).await;
    assert_eq!(shown.unwrap()["state"], "cancelled");
    let again = send::<CancelLogin>(&admin, json!({ "id": id })).await;
    let again = again.unwrap_err().to_string();
    assert!(again.starts_with("it is cancelled:"), "{again}");
    let unknown = new_login(2).id.to_string();
    let unknown = send::<CancelLogin>(&admin, json!({ "id": unknown })).await;
    assert!(
        matches!(unknown, Err(AdminError::Started(_))),
        "{unknown:?}"
    );
    let records = ask(&admin, "audit --action cancel_login --app shop").await;
    let records = records.unwrap();
    let results = records.as_array().unwrap().iter();
    // They have the same time, and so any order.
    let mut results: Vec<_> = results
        .map(|record| record["result"].as_str().unwrap())
        .collect();
    results.sort_unstable();
    assert_eq!(results, ["done", "refused"]);
}
