//! Texts that are shown, requested and sent, without a service.

use async_trait::async_trait;
use countersign_conformance::ports::SetClock;
use countersign_domain::primitives::time::Timestamp;
use countersign_sdk::memory::MemoryKeys;
use countersign_sdk::{Http, NetworkError, Request, Response, Session};

use super::*;

/// An HTTP transport that answers every request with this login.
struct Opens(Value);

#[async_trait]
impl Http for Opens {
    async fn send(&self, _: Request) -> Result<Response, NetworkError> {
        Ok(Response {
            status: 200,
            headers: Vec::new(),
            body: self.0.to_string().into_bytes(),
        })
    }
}

async fn opened(service: &FakeService) -> Session {
    let configuration = Configuration::new("http://localhost", &[]).unwrap();
    let configuration = configuration.accept_plain_logins(true).show_contexts(true);
    let keys = Arc::new(MemoryKeys::new(Arc::new(OsEntropy)));
    let http = Arc::new(Opens(service.session()));
    let client = Client::new(
        configuration,
        platform::new_phone(
            http,
            keys,
            Arc::new(OsEntropy),
            Arc::new(SetClock::default()),
        ),
    );
    let id = service.id.to_string();
    let opened = client.initialize_qr_session(APP_KEY, &id, None).await;
    opened.unwrap()
}

#[tokio::test]
async fn screen_shows_origin_place_and_warnings() {
    let service = FakeService::new();
    let opened = opened(&service).await;
    let expected = "\
Log in to shop.example?

Firefox on Linux in France wants to log in.\u{fffd}[2J\u{fffd}

  who asks    https://shop.example
  app         shop
  browser     Firefox on Linux
              ! A new browser.
  its place   Paris, FR (203.0.113.7)
              ! In another country.
  your place  Köln, DE (198.51.100.9)
              - Places by Somebody\u{fffd}[2J, https://places.example
  risk        warn
              ! The browser is in another country than this phone. (countries_differ)
              - Both use the same network. (same_network)
  payload     encrypted: only the browser can read it
";
    assert_eq!(Screen(&opened).to_string(), expected);
}

#[tokio::test]
async fn screen_shows_every_line_of_the_context() {
    let mut service = FakeService::new();
    service.set_context("Pay 20 EUR\nto Bücher GmbH");
    let screen = Screen(&opened(&service).await).to_string();
    for line in [
        "  you approve Pay 20 EUR\n",
        "  you approve to Bücher GmbH\n",
    ] {
        assert!(screen.contains(line), "{screen}");
    }
}

#[tokio::test]
async fn check_code_is_shown_before_and_after_the_confirmation() {
    let mut service = FakeService::new();
    service.check_code = Some("07");
    let session = opened(&service).await;
    let large = "  +-----------+\n  |   0   7   |\n  +-----------+\n";
    let screen = Screen(&session).to_string();
    assert!(screen.contains(large), "{screen}");
    for (decision, shown) in [
        (Some(Decision::Confirm), true),
        (Some(Decision::Deny), false),
        (None, false),
    ] {
        let outcome = Outcome {
            session: &session,
            decision,
            proven: false,
        };
        let text = outcome.to_string();
        assert_eq!(text.contains(large), shown, "{text}");
        assert_eq!(outcome.to_json()["checkCode"], "07");
    }
    assert!(!format!("{session:?}").contains("07\""));
}

#[tokio::test]
async fn page_to_return_to_is_shown_after_the_confirmation() {
    let mut service = FakeService::new();
    let page = format!("{}/sign-in#countersign=x.y", service.origin);
    service.return_url = Some(page.clone());
    let session = opened(&service).await;
    for (decision, shown) in [
        (Some(Decision::Confirm), true),
        (Some(Decision::Deny), false),
    ] {
        let outcome = Outcome {
            session: &session,
            decision,
            proven: false,
        };
        assert_eq!(outcome.to_string().contains(&page), shown);
        assert_eq!(outcome.to_json()["returnUrl"], page);
    }
}

#[tokio::test]
async fn outcome_says_who_could_read_the_payload() {
    let service = FakeService::new();
    let sealed = opened(&service).await;
    let plain = FakeService::plain();
    let readable = opened(&plain).await;
    for (id, session, encrypted) in [(service.id, &sealed, true), (plain.id, &readable, false)] {
        for (decision, word) in [
            (Some(Decision::Confirm), json!("confirmed")),
            (Some(Decision::Deny), json!("denied")),
            (None, json!(null)),
        ] {
            let outcome = Outcome {
                session,
                decision,
                proven: encrypted,
            };
            let json = outcome.to_json();
            assert_eq!(json["encrypted"], encrypted);
            assert_eq!(json["proven"], encrypted);
            assert_eq!(json["decision"], word);
            assert_eq!(json["session"]["iPAddressWidget"], "203.0.113.7");
            assert_eq!(json["sessionId"], id.to_string());
            assert_eq!(json["origin"], ORIGIN);
            assert_eq!(json["app"], "shop");
        }
    }
    let told = |session, decision, proven| {
        Outcome {
            session,
            decision,
            proven,
        }
        .to_string()
    };
    let outcome = |opened, decision| told(opened, decision, false);
    let proven = told(&sealed, Some(Decision::Confirm), true);
    assert_eq!(
        proven,
        "Confirmed, with a proof. The payload was encrypted."
    );
    let confirmed = outcome(&sealed, Some(Decision::Confirm));
    assert_eq!(confirmed, "Confirmed. The payload was encrypted.");
    let confirmed = outcome(&readable, Some(Decision::Confirm));
    let could_be_read = "Confirmed. The payload could be read by the service.";
    assert_eq!(confirmed, could_be_read);
    assert_eq!(outcome(&sealed, Some(Decision::Deny)), "Denied.");
    assert!(outcome(&readable, None).contains("--confirm or --deny"));
}

#[test]
fn question_repeats_until_one_of_the_two_words() {
    let ask = |mut input: &[u8]| {
        let prompts = std::cell::Cell::new(0);
        let decided = ask::ask(&mut input, |_| prompts.set(prompts.get() + 1)).unwrap();
        (decided, prompts.get())
    };
    assert_eq!(ask(b"confirm\n"), (Some(Decision::Confirm), 1));
    assert_eq!(ask(b"  DENY  \n"), (Some(Decision::Deny), 1));
    assert_eq!(ask(b"\ny\nyes\nc\ndeny\n"), (Some(Decision::Deny), 5));
    assert_eq!(ask(b"confirm it"), (None, 2));
    assert_eq!(ask(b""), (None, 1));
}

#[test]
fn default_payload_holds_the_given_user_id() {
    let user = "zoë".parse::<ClaimedUserId>().unwrap();
    let usual = payload::usual(Some(&user), Timestamp::from_millis(1_767_323_045_678));
    let usual: Value = serde_json::from_str(&usual).unwrap();
    let expected = json!({ "publicUserId": "zoë", "timestamp": "2026-01-02T03:04:05.678Z" });
    assert_eq!(usual, expected);
}
