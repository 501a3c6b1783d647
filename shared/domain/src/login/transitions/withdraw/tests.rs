//! Steps of logins whose app has since adopted stricter settings.

use super::unless_withdrawn;
use crate::app::login::{LoginSettings, LoginsFrom, PayloadEncryption};
use crate::delivery::Decision;
use crate::login::transitions::samples::{
    NOW, answer, answer_of, app, browser_token, phone, plain, receipt, sealed, sealed_payload,
};
use crate::login::transitions::{confirm, initiate, redeem};
use crate::login::{
    BrowserBinding, CheckCode, Login, LoginCreator, Phone, Refusal, ReturnToken, Status,
};
use crate::primitives::entropy::FixedEntropy;
use crate::web::return_url::ReturnUrl;

/// The settings under which the samples can be opened.
fn settings() -> LoginSettings {
    LoginSettings {
        link_host: "login.shop.example".parse().ok(),
        origins: vec!["https://shop.example".parse().unwrap()],
        return_pages: vec![page()],
        payload_encryption: PayloadEncryption::Optional,
        ..LoginSettings::default()
    }
}

fn page() -> ReturnUrl {
    "https://shop.example/sign-in".parse().unwrap()
}

fn with(change: impl FnOnce(&mut LoginSettings)) -> LoginSettings {
    let mut settings = settings();
    change(&mut settings);
    settings
}

fn bound(binding: Option<BrowserBinding>) -> Phone {
    Phone {
        binding,
        ..phone(1, &[], NOW)
    }
}

fn returning() -> Login {
    Login {
        return_url: Some(page()),
        ..plain(NOW)
    }
}

fn return_tie() -> BrowserBinding {
    BrowserBinding::Return(ReturnToken::generate(&FixedEntropy(9)).hash())
}

fn open(
    item: Login,
    phone: &Phone,
    settings: Option<&LoginSettings>,
) -> Decision<Login, Result<Box<Login>, Refusal>> {
    unless_withdrawn(Some(item), settings, Refusal::Over, NOW, |current| {
        initiate(current, &app("demo"), phone.clone(), NOW)
    })
}

fn accept(item: Login, settings: Option<&LoginSettings>) -> Decision<Login, Result<(), Refusal>> {
    let answer = if item.encryption.key().is_some() {
        answer_of(1, sealed_payload())
    } else {
        answer(1, "yes")
    };
    unless_withdrawn(Some(item), settings, Refusal::Withdrawn, NOW, |current| {
        confirm(current, answer, NOW)
    })
}

/// Redeems for browser `n`, and returns the refusal and the item written, if any.
fn take(
    item: Login,
    n: u8,
    shown: Option<BrowserBinding>,
    settings: Option<&LoginSettings>,
) -> (Option<Refusal>, Option<Login>) {
    let browser = browser_token(n).hash();
    let decision = unless_withdrawn(Some(item), settings, Refusal::Withdrawn, NOW, |current| {
        redeem(current, &browser, &receipt(1), shown, NOW)
    });
    (decision.outcome.err(), decision.write)
}

fn opened(item: Login, binding: Option<BrowserBinding>) -> Login {
    open(item, &bound(binding), Some(&settings()))
        .write
        .unwrap()
}

fn confirmed(item: Login, binding: Option<BrowserBinding>) -> Login {
    accept(opened(item, binding), Some(&settings()))
        .write
        .unwrap()
}

fn is_cancelled(item: Option<&Login>) -> bool {
    item.is_some_and(|item| item.status(NOW) == Status::Cancelled)
}

#[test]
fn each_step_ends_a_login_that_the_settings_no_longer_allow() {
    let no_origin = with(|it| it.origins.clear());
    let no_link_host = with(|it| it.link_host = None);
    let only_sealed = with(|it| it.payload_encryption = PayloadEncryption::Required);
    let only_servers = with(|it| it.logins_from = LoginsFrom::Server);
    for stricter in [
        Some(&no_origin),
        Some(&no_link_host),
        Some(&only_sealed),
        Some(&only_servers),
        None,
    ] {
        let first = open(plain(NOW), &bound(None), stricter);
        assert_eq!(first.outcome, Err(Refusal::Over));
        assert!(is_cancelled(first.write.as_ref()));
        let answered = accept(opened(plain(NOW), None), stricter);
        assert_eq!(answered.outcome, Err(Refusal::Withdrawn));
        assert!(is_cancelled(answered.write.as_ref()));
        let (refusal, after) = take(confirmed(plain(NOW), None), 0, None, stricter);
        assert_eq!(refusal, Some(Refusal::Withdrawn));
        assert!(is_cancelled(after.as_ref()));
        assert!(
            !format!("{after:?}").contains("Payload {"),
            "the payload is gone"
        );
    }
    let of_server = Login {
        creator: LoginCreator::Server {
            context: None,
            user: None,
        },
        ..plain(NOW)
    };
    let of_server = opened(of_server, None);
    assert_eq!(accept(of_server, Some(&only_servers)).outcome, Ok(()));
    // A sealed login meets the app's requirements.
    let sealed = opened(sealed(NOW), None);
    assert_eq!(accept(sealed, Some(&only_sealed)).outcome, Ok(()));
}

#[test]
fn removed_return_page_is_not_returned_to() {
    let removed = with(|it| it.return_pages.clear());
    let other = with(|it| it.return_pages = vec!["https://shop.example/other".parse().unwrap()]);
    for stricter in [Some(&removed), Some(&other)] {
        // Until a phone opens it, the login continues without a return.
        let first = open(returning(), &bound(None), stricter).write.unwrap();
        assert_eq!(
            (first.status(NOW), &first.return_url),
            (Status::Scanned, &None)
        );
        let item = opened(returning(), Some(return_tie()));
        assert_eq!(accept(item, stricter).outcome, Err(Refusal::Withdrawn));
        let item = confirmed(returning(), Some(return_tie()));
        let (refusal, after) = take(item, 0, Some(return_tie()), stricter);
        assert_eq!(refusal, Some(Refusal::Withdrawn));
        assert!(is_cancelled(after.as_ref()));
    }
    let item = confirmed(returning(), Some(return_tie()));
    assert_eq!(take(item, 0, Some(return_tie()), Some(&settings())).0, None);
}

#[test]
fn check_codes_and_proofs_that_became_required_count_for_open_logins() {
    let codes = with(|it| it.check_code = true);
    let code = BrowserBinding::CheckCode(CheckCode::from_number(42).unwrap());
    let item = open(plain(NOW), &bound(Some(code)), Some(&codes))
        .write
        .unwrap();
    assert!(item.requires_check_code);
    let item = accept(item, Some(&codes)).write.unwrap();
    let missing = take(item.clone(), 0, None, Some(&codes)).0;
    assert_eq!(missing, Some(Refusal::CheckCodeRequired));
    assert_eq!(take(item, 0, Some(code), Some(&codes)).0, None);
    // A phone that has not shown digits cannot show them now.
    let untied = accept(opened(plain(NOW), None), Some(&codes));
    assert_eq!(untied.outcome, Err(Refusal::Withdrawn));

    let proofs = with(|it| it.require_proof = true);
    let unproven = accept(opened(plain(NOW), None), Some(&proofs));
    assert_eq!(unproven, Decision::refuse(Err(Refusal::ProofRequired)));
    let (refusal, _) = take(confirmed(plain(NOW), None), 0, None, Some(&proofs));
    assert_eq!(refusal, Some(Refusal::Withdrawn));
}

#[test]
fn strangers_and_ended_logins_are_answered_as_before() {
    let stricter = with(|it| it.origins.clear());
    let item = confirmed(plain(NOW), None);
    let unknown = (Some(Refusal::Unknown), None);
    assert_eq!(take(item.clone(), 9, None, Some(&stricter)), unknown);
    let stranger = unless_withdrawn(Some(item), Some(&stricter), Refusal::Withdrawn, NOW, |it| {
        confirm(it, answer(2, "yes"), NOW)
    });
    assert_eq!(stranger, Decision::refuse(Err(Refusal::Unknown)));
    // A sealed payload that was already returned is returned again.
    let item = confirmed(sealed(NOW), None);
    let item = take(item, 0, None, Some(&settings())).1.unwrap();
    assert_eq!(take(item, 0, None, Some(&stricter)), (None, None));
}

#[test]
fn login_keeps_what_it_promised_when_the_app_becomes_less_strict() {
    let item = Login {
        requires_proof: true,
        requires_check_code: true,
        ..plain(NOW)
    };
    let same = item.clone().under(&settings());
    assert!(same.requires_proof && same.requires_check_code);
    assert_eq!(item.under(&settings()).return_url, None);
}
