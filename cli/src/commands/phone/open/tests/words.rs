//! Texts that are shown, asked and sent, without a service.

use countersign_domain::primitives::time::Timestamp;

use super::*;
use crate::phone::opened::Unusable;

fn opened(service: &FakeService) -> Result<Opened, Unusable> {
    let app_key = APP_KEY.parse::<AppKey>().unwrap();
    Opened::read(service.session(), service.id, &app_key)
}

#[test]
fn screen_shows_origin_place_and_warnings() {
    let service = FakeService::new();
    let opened = opened(&service).unwrap();
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
  risk        warn
              ! The browser is in another country than this phone. (countries_differ)
              - Both use the same network. (same_network)
  payload     encrypted: only the browser can read it
";
    assert_eq!(Screen(&opened).to_string(), expected);
}

#[test]
fn screen_shows_every_line_of_the_context() {
    let mut service = FakeService::new();
    service.set_context("Pay 20 EUR\nto Bücher GmbH");
    let screen = Screen(&opened(&service).unwrap()).to_string();
    for line in [
        "  you approve Pay 20 EUR\n",
        "  you approve to Bücher GmbH\n",
    ] {
        assert!(screen.contains(line), "{screen}");
    }
}

#[test]
fn check_code_is_shown_before_and_after_the_confirmation() {
    let mut service = FakeService::new();
    service.check_code = Some("07");
    let opened = opened(&service).unwrap();
    let large = "  +-----------+\n  |   0   7   |\n  +-----------+\n";
    let screen = Screen(&opened).to_string();
    assert!(screen.contains(large), "{screen}");
    for (decision, shown) in [
        (Some(Decision::Confirm), true),
        (Some(Decision::Deny), false),
        (None, false),
    ] {
        let outcome = Outcome {
            id: service.id,
            opened: &opened,
            decision,
            proven: false,
        };
        let text = outcome.to_string();
        assert_eq!(text.contains(large), shown, "{text}");
        assert_eq!(outcome.to_json()["checkCode"], "07");
    }
    assert!(!format!("{opened:?}").contains("CheckCode(7"));
}

#[test]
fn check_code_that_is_not_two_digits_is_refused() {
    for odd in ["7", "007", "4\u{1b}", "٤٢"] {
        let mut service = FakeService::new();
        service.check_code = Some(odd);
        assert_eq!(opened(&service).unwrap_err(), Unusable::Malformed, "{odd}");
    }
}

#[test]
fn outcome_says_who_could_read_the_payload() {
    let service = FakeService::new();
    let sealed = opened(&service).unwrap();
    let readable = opened(&FakeService::plain()).unwrap();
    for (opened, encrypted) in [(&sealed, true), (&readable, false)] {
        for (decision, word) in [
            (Some(Decision::Confirm), json!("confirmed")),
            (Some(Decision::Deny), json!("denied")),
            (None, json!(null)),
        ] {
            let outcome = Outcome {
                id: service.id,
                opened,
                decision,
                proven: encrypted,
            };
            let json = outcome.to_json();
            assert_eq!(json["encrypted"], encrypted);
            assert_eq!(json["proven"], encrypted);
            assert_eq!(json["decision"], word);
            assert_eq!(json["session"]["iPAddressWidget"], "203.0.113.7");
            assert_eq!(json["sessionId"], service.id.to_string());
            assert_eq!(json["origin"], ORIGIN);
            assert_eq!(json["app"], "shop");
        }
    }
    let told = |opened, decision, proven| {
        let id = service.id;
        Outcome {
            id,
            opened,
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
