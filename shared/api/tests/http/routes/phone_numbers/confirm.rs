//! `POST /make-confirmation`.

use serde_json::json;

use crate::host::{CALLBACK, Host, SEND_TO_GB};

#[tokio::test]
async fn country_of_the_number_selects_the_recipient() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+44 20 7946 0018"});
    let session = host.post("/make-confirmation", body).await.json();
    assert_eq!(session["sendTo"], SEND_TO_GB);
}
