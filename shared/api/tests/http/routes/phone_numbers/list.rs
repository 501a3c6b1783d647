//! `GET /confirmations`.

use std::time::Duration;

use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::primitives::ids::AppId;
use serde_json::{Value, json};

use crate::host::{CALLBACK, Host, PERSON, id_of, keyed};

async fn list(host: &Host, query: &str) -> Value {
    let answer = host
        .call("GET", &format!("/confirmations{query}"), None)
        .await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    answer.json()
}

/// Returns the ids on a page.
fn ids(page: &Value) -> Vec<Value> {
    let found = page["confirmations"].as_array().unwrap().iter();
    found.map(|item| item["confirmationId"].clone()).collect()
}

#[tokio::test]
async fn confirmations_are_listed_newest_first_and_page_by_page() {
    let host = Host::new().await;
    let mut started = Vec::new();
    for _ in 0..5 {
        started.push(host.acquire().await["confirmationId"].clone());
        host.clock.advance(Duration::from_secs(1));
    }
    started.reverse();
    let whole = list(&host, "").await;
    assert_eq!(ids(&whole), started);
    assert_eq!(whole.get("nextCursor"), None);
    let path = format!("/confirmations/{}", started[0].as_str().unwrap());
    let shown = host.call("GET", &path, None).await.json();
    assert_eq!(whole["confirmations"][0], shown);

    let (mut cursor, mut paged) = (String::new(), Vec::new());
    loop {
        let page = list(&host, &format!("?limit=2{cursor}")).await;
        paged.extend(ids(&page));
        let Some(next) = page["nextCursor"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, started);
}

#[tokio::test]
async fn status_number_and_time_narrow_the_list() {
    let host = Host::new().await;
    let open = host.acquire().await["confirmationId"].clone();
    host.clock.advance(Duration::from_secs(10));
    let verified = json!(host.verified().await.to_string());
    host.clock.advance(Duration::from_secs(10));
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+442079460018"});
    let british = host.post("/make-confirmation", body).await.json()["confirmationId"].clone();
    for (query, expected) in [
        ("?status=open", vec![&british, &open]),
        ("?status=verified", vec![&verified]),
        ("?status=cancelled", vec![]),
        ("?lastDigits=0018", vec![&british]),
        ("?lastDigits=00", vec![&verified]),
        ("?lastDigits=00&status=open", vec![]),
        (
            "?createdFrom=2026-01-02T03:04:10Z",
            vec![&british, &verified],
        ),
        ("?createdBefore=2026-01-02T03:04:15.678Z", vec![&open]),
        (
            "?createdFrom=2026-01-02T03:04:10Z&createdBefore=2026-01-02T03:04:20Z",
            vec![&verified],
        ),
    ] {
        let found = ids(&list(&host, query).await);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{query}");
    }
    assert!(PERSON.ends_with("00"));
    host.clock.advance(Duration::from_mins(5));
    assert_eq!(ids(&list(&host, "?status=expired").await), [british, open]);
}

#[tokio::test]
async fn neither_another_app_nor_a_test_key_sees_them() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    let stranger = host.stranger().await;
    let tester = PresentedApiKey::generate_for(KeyMode::Test, &*host.entropy);
    host.add_key(&"demo".parse::<AppId>().unwrap(), &tester)
        .await;
    let body = json!({"callbackUrl": CALLBACK}).to_string();
    let started = host
        .send(keyed(&tester, "POST", "/acquire-phone-number", body))
        .await;
    let of_test = id_of(&started.json());
    for (key, expected) in [
        (&stranger, vec![]),
        (&tester, vec![of_test]),
        (&host.key, vec![id, of_test]),
    ] {
        let answer = host.send(keyed(key, "GET", "/confirmations", "")).await;
        let mut found = ids(&answer.json());
        let mut expected: Vec<_> = expected.iter().map(|id| json!(id.to_string())).collect();
        // Both were created in the same millisecond.
        found.sort_by_key(Value::to_string);
        expected.sort_by_key(Value::to_string);
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn malformed_query_is_refused() {
    let host = Host::new().await;
    for query in [
        "status=lost",
        "status=open&status=open",
        "lastDigits=1",
        "lastDigits=%2B1202555",
        "createdFrom=yesterday",
        "createdBefore=2026-01-02",
        "limit=0",
        "limit=101",
        "limit=x",
        "cursor=1767323045678",
    ] {
        let answer = host
            .call("GET", &format!("/confirmations?{query}"), None)
            .await;
        assert_eq!(answer.code(), "query_malformed", "{query}");
    }
}
