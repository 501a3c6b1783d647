use super::*;
use crate::primitives::entropy::FixedEntropy;

const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const URI: &str = "https://shop.example/callback";

fn grant() -> Grant {
    Grant {
        app: "shop".parse().unwrap(),
        redirect_uri: URI.parse().unwrap(),
        challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".parse().ok(),
        nonce: Some(Nonce("a nonce".to_owned())),
        phone: true,
        proof: Proof::Confirmation(ConfirmationId::from_bytes([1; 16])),
        method: Method::Text,
        sub: Sub::of_user(&"ada".parse().unwrap()).unwrap(),
        proven_at: NOW,
        issued_at: NOW,
        state: GrantState::Issued,
        purge_at: Grant::kept_until(NOW),
    }
}

fn token(seed: u8) -> AccessToken {
    AccessToken::generate(GrantId::from_bytes([7; 16]), &FixedEntropy(seed))
}

/// A client's attempt: its app, the redirect URI and the verifier.
type Attempt<'a> = (&'a str, &'a str, Option<&'a str>);

const CORRECT: Attempt<'_> = ("shop", URI, Some(VERIFIER));

fn attempt(
    grant: Grant,
    (app, redirect_uri, verifier): Attempt<'_>,
    now: Timestamp,
) -> Decision<Grant, Result<(), GrantRefusal>> {
    let request = Exchange {
        app: &app.parse().unwrap(),
        redirect_uri,
        verifier,
    };
    exchange(Some(grant), request, &token(1), now)
}

#[test]
fn code_is_exchanged_once_and_a_second_use_ends_the_token() {
    let first = attempt(grant(), CORRECT, NOW);
    assert_eq!(first.outcome, Ok(()));
    let exchanged = first.write.unwrap();
    assert!(of_token(Some(exchanged.clone()), &token(1), NOW).is_ok());
    let other = of_token(Some(exchanged.clone()), &token(2), NOW);
    assert_eq!(other, Err(GrantRefusal::Unknown));

    let second = attempt(exchanged, CORRECT, NOW.plus(CODE_VALIDITY * 2));
    assert_eq!(second.outcome, Err(GrantRefusal::Used));
    let ended = second.write.unwrap();
    let after = of_token(Some(ended.clone()), &token(1), NOW);
    assert_eq!(after, Err(GrantRefusal::Unknown));

    let third = attempt(ended, CORRECT, NOW);
    assert_eq!(third.outcome, Err(GrantRefusal::Used));
    assert_eq!(third.write, None);
}

#[test]
fn failed_attempt_leaves_the_code_to_its_client() {
    let other_uris = [
        "https://shop.example/callback/",
        "https://shop.example/Callback",
        "https://shop.example/callback?",
        "",
    ];
    let mut refused = vec![
        (
            attempt(grant(), ("bank", URI, Some(VERIFIER)), NOW),
            GrantRefusal::OtherClient,
        ),
        (
            attempt(grant(), ("shop", URI, None), NOW),
            GrantRefusal::WrongVerifier,
        ),
        (
            attempt(grant(), ("shop", URI, Some(&VERIFIER[1..])), NOW),
            GrantRefusal::WrongVerifier,
        ),
        (
            attempt(grant(), CORRECT, NOW.plus(CODE_VALIDITY)),
            GrantRefusal::Expired,
        ),
    ];
    for uri in other_uris {
        let attempted = attempt(grant(), ("shop", uri, Some(VERIFIER)), NOW);
        refused.push((attempted, GrantRefusal::OtherRedirectUri));
    }
    for (decision, refusal) in refused {
        assert_eq!(decision.outcome, Err(refusal));
        assert_eq!(decision.write, None, "{refusal:?}");
    }
    let absent = exchange(
        None,
        Exchange {
            app: &"shop".parse().unwrap(),
            redirect_uri: URI,
            verifier: None,
        },
        &token(1),
        NOW,
    );
    assert_eq!(absent.outcome, Err(GrantRefusal::Unknown));
}

#[test]
fn verifier_without_a_challenge_is_refused() {
    let bare = Grant {
        challenge: None,
        ..grant()
    };
    let downgraded = attempt(bare.clone(), CORRECT, NOW);
    assert_eq!(downgraded.outcome, Err(GrantRefusal::WrongVerifier));
    let plain = attempt(bare, ("shop", URI, None), NOW);
    assert_eq!(plain.outcome, Ok(()));
}

#[test]
fn another_client_cannot_end_a_grant() {
    let exchanged = attempt(grant(), CORRECT, NOW).write.unwrap();
    let again = attempt(exchanged, ("bank", URI, Some(VERIFIER)), NOW);
    assert_eq!(again.outcome, Err(GrantRefusal::OtherClient));
    assert_eq!(again.write, None);
}

#[test]
fn token_is_over_after_its_time_and_kept_until_then() {
    let late = NOW.plus(CODE_VALIDITY).plus(Duration::ZERO);
    let at = Timestamp::from_millis(late.as_millis() - 1);
    let exchanged = attempt(grant(), CORRECT, at).write.unwrap();
    let end = at.plus(access_token::VALIDITY);
    assert!(exchanged.purge_at >= end);
    let before = Timestamp::from_millis(end.as_millis() - 1);
    assert!(of_token(Some(exchanged.clone()), &token(1), before).is_ok());
    let after = of_token(Some(exchanged), &token(1), end);
    assert_eq!(after, Err(GrantRefusal::Expired));
    let issued = of_token(Some(grant()), &token(1), NOW);
    assert_eq!(issued, Err(GrantRefusal::Unknown));
}

#[test]
fn id_is_a_hash_of_the_code() {
    let [one, other] = [1, 2].map(|seed| AuthorizationCode::generate(&FixedEntropy(seed)));
    assert_eq!(GrantId::of(&one), GrantId::of(&one));
    assert_ne!(GrantId::of(&one), GrantId::of(&other));
    assert_eq!(
        format!("{:?} {:?}", GrantId::of(&one), grant().nonce.unwrap()),
        "GrantId(…) Nonce(…)"
    );
}
