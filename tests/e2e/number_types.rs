//! An app that refuses a type of number and wants details in its webhooks.

use serde_json::json;

use crate::support::{Receiver, Server, countersign, data_dir};

#[tokio::test(flavor = "multi_thread")]
async fn app_takes_no_text_from_a_refused_number_and_learns_the_others_type() {
    let data = data_dir();
    let server = Server::start(data.path());
    let update = ["app", "update", "demo", "--webhook-details"];
    let refuse = ["--refuse-number-type", "toll-free"];
    let updated = countersign(data.path(), &[&update[..], &refuse].concat());
    assert!(updated.status.success(), "{updated:?}");
    let receiver = Receiver::start().await;
    let toll_free = "+18005550100";
    let confirm = json!({"phoneNumber": toll_free, "callbackUrl": receiver.url});
    let refused = server.caller().post("/make-confirmation", &confirm).await;
    assert_eq!(refused.problem(422), "number_type_refused");

    let (id, message) = server.acquire(&receiver.url).await;
    let to = server.facts.send_to.as_str();
    let text = ["phone", "text", "--to", to, "--message", &message, "--from"];
    let missed = countersign(data.path(), &[&text[..], &[toll_free]].concat());
    let said = String::from_utf8(missed.stdout).unwrap();
    assert!(said.contains("refuses numbers of this type"), "{said}");
    let open = server.caller().get(&format!("/confirmations/{id}")).await;
    assert_eq!(open.ok()["lastMiss"]["reason"], "number_type_refused");

    server.text("+12025550100", to, &message);
    let webhook = receiver.next().await;
    webhook.verify(&server.anyone()).await;
    let body = webhook.json();
    assert_eq!(body["channel"], "sms");
    assert_eq!(body["numberType"], "fixed_line_or_mobile");
    assert_eq!(body["provider"], "generic");
}
