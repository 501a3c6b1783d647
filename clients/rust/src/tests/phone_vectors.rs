//! Vectors of phones: the links and answers that they refuse.

use serde_json::{Value, json};

use super::stub::Stub;
use super::vectors::{cases, text, vectors};
use crate::error::Error;
use crate::testing::TestPhone;

#[tokio::test]
async fn phones_open_what_the_id_vouches_for() {
    let all = cases(&vectors()["phones"]);
    for case in all {
        let name = text(case, "name");
        let stub = Stub::start().await;
        let client = stub
            .builder_with_key("cs_test_secret")
            .app_key("cs_app_0123456789abcdefABCDEF");
        let phone = TestPhone::new(&client.build().unwrap(), "zoe@example.com").unwrap();
        let answer = json!({ "status": 200, "headers": [], "body": case["answer"] });
        stub.answers([
            &answer,
            &json!({ "status": 200, "headers": [], "body": true }),
        ]);
        let mut open = phone.open(text(case, "link"));
        if case["allowPlain"] == true {
            open = open.allow_unencrypted();
        }
        match (open.await, case["reason"].as_str()) {
            (Ok(opened), None) => {
                assert_eq!(opened.origin(), text(&case["answer"], "origin"), "{name}");
                assert_eq!(
                    opened.context(),
                    case["answer"]["context"].as_str(),
                    "{name}"
                );
                assert_eq!(
                    opened.check_code(),
                    case["answer"]["checkCode"].as_str(),
                    "{name}"
                );
            }
            (Err(Error::PhoneRefused(refused)), Some(reason)) => {
                assert_eq!(refused.reason.as_str(), reason, "{name}");
            }
            (opened, _) => panic!("{name}: {opened:?}"),
        }
        let asked = stub.asked();
        let told = asked.iter().filter(|asked| asked.path.ends_with("/deny"));
        let told: Vec<&Value> = told.map(|asked| &asked.body).collect();
        let report = json!({ "payload": "", "reason": "key_mismatch" });
        let expected = if case["reports"] == true {
            vec![&report]
        } else {
            vec![]
        };
        assert_eq!(told, expected, "{name}");
    }
    assert_eq!(all.len(), 58);
}
