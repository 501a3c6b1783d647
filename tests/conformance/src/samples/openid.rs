//! Sample documents of the OpenID provider.
#![allow(
    clippy::unwrap_used,
    reason = "an invalid sample is a bug in this file"
)]

use std::time::Duration;

use countersign_domain::confirmation::subject::SubjectKey;
use countersign_domain::openid::Method;
use countersign_domain::openid::access_token::AccessToken;
use countersign_domain::openid::grant::{Grant, GrantId, GrantState, Nonce, Proof};
use countersign_domain::openid::subject::{NumberSubject, Sub, log_in};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use countersign_domain::store::{Document, Entity as _, Key};

use super::{NOW, app_id, id};

/// Entropy whose bytes are all the same.
struct Sevens;

impl Entropy for Sevens {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// Returns a grant whose code was not used yet.
#[must_use]
pub fn grant() -> Grant {
    Grant {
        app: app_id("shop"),
        redirect_uri: "https://shop.example/callback".parse().unwrap(),
        challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".parse().ok(),
        nonce: Some(Nonce("n-0S6_WzA2Mj".to_owned())),
        phone: true,
        proof: Proof::Confirmation(id(1)),
        method: Method::Text,
        sub: NumberSubject::generate(&Sevens).sub(),
        proven_at: NOW,
        issued_at: NOW.plus(Duration::from_secs(1)),
        state: GrantState::Issued,
        purge_at: Grant::kept_until(NOW),
    }
}

/// Returns grants and subjects in every state, each with a name.
pub(super) fn documents() -> Vec<(&'static str, Key, Document)> {
    let entropy = Sevens;
    let issued = GrantId::from_bytes([1; 16]);
    let token = AccessToken::generate(issued, &entropy);
    let exchanged = Grant {
        method: Method::WhatsApp,
        state: GrantState::Exchanged {
            at: NOW,
            token: token.hash(),
        },
        ..grant()
    };
    let ended = Grant {
        challenge: None,
        nonce: None,
        phone: false,
        proof: Proof::Login(LoginId::from_bytes(LoginKind::Sealed, [3; 16])),
        method: Method::Key,
        sub: Sub::of_user(&"ada@shop.example".parse().unwrap()).unwrap(),
        state: GrantState::Ended { at: NOW },
        ..grant()
    };
    let number = NumberSubject::generate(&entropy);
    let month = Duration::from_hours(30 * 24);
    let seen = |silence| log_in(None, number, silence, NOW).write.unwrap();
    let subject = Key::Subject(SubjectKey::from_bytes([4; 32]));
    vec![
        ("grant-issued", Key::Grant(issued), grant().into_document()),
        (
            "grant-exchanged",
            Key::Grant(issued),
            exchanged.into_document(),
        ),
        ("grant-ended", Key::Grant(issued), ended.into_document()),
        (
            "subject",
            subject.clone(),
            seen(Some(month)).into_document(),
        ),
        ("subject-kept-forever", subject, seen(None).into_document()),
    ]
}
