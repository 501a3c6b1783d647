//! Counters for the page that shows how far users get.

use axum::http::StatusCode;
use countersign_domain::event::{Event, Labels, Metrics as _};
use countersign_domain::primitives::ids::AppId;
use serde_json::json;

use super::Fixture;
use super::events::Watching;
use super::fake_api::NOW;
use crate::metrics::ServerEvent;
use crate::playground::MAX_WATCHERS;

const PATH: &str = "/playground/funnel";

#[tokio::test(start_paused = true)]
async fn page_sees_what_is_counted_for_apps() {
    let fixture = Fixture::new();
    let mut watching = Watching::begin(&fixture, PATH).await;
    let first = watching.next().await.unwrap();
    assert_eq!(first["since"], NOW.to_string());
    assert_eq!(first["series"], json!([]));
    let refused = json!([
        "miss_number_type_refused",
        "The app refuses numbers of the sender's type",
    ]);
    let texts = first["reasons"]["texts"].as_array().unwrap();
    assert!(texts.contains(&refused), "{texts:?}");

    let app = "shop".parse::<AppId>().unwrap();
    let labels = Labels {
        country: "GB".parse().ok(),
        ..Labels::of_app(&app)
    };
    fixture.counters.count(&Event::Created, labels);
    fixture.counters.count_server(ServerEvent::Panicked, 1);
    let state = watching.next().await.unwrap();
    let series = json!([{
        "event": "created",
        "app": "shop",
        "country": "GB",
        "provider": "",
        "count": 1,
    }]);
    assert_eq!(state["series"], series);

    fixture.stop.send_replace(true);
    assert_eq!(watching.next().await, None);
}

#[tokio::test]
async fn number_of_watching_pages_is_limited() {
    let fixture = Fixture::new();
    let mut watching = Vec::new();
    for _ in 0..MAX_WATCHERS {
        watching.push(Watching::begin(&fixture, PATH).await);
    }
    let path = format!("{PATH}/events");
    let refused = fixture.begin("GET", &path, &[], "").await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    watching.pop();
    Watching::begin(&fixture, PATH).await;
}
