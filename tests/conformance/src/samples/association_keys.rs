//! Sample association keys.

use countersign_domain::login::{
    AssociationKey, ClaimedUserId, KeyKind, KeyPoint, Passkey, PayDigest, VerifiedUser,
};
use countersign_domain::primitives::time::Timestamp;

use super::{NOW, app_id};

/// Returns the `n`th public half of a key. The point has the right form, but is not on the curve.
#[must_use]
pub fn point(n: u8) -> KeyPoint {
    KeyPoint::from_coordinates(&[n; 64])
}

/// Returns a user.
///
/// # Panics
/// If the text is not a valid public user id.
#[must_use]
#[expect(clippy::expect_used, reason = "samples are constants of the tests")]
pub fn user(id: &str) -> ClaimedUserId {
    id.parse::<ClaimedUserId>().expect("a public user id")
}

/// Returns the user that a verified proof identified.
#[must_use]
pub fn verified(id: &str) -> VerifiedUser {
    VerifiedUser {
        user: user(id),
        pay: PayDigest::from_bytes([9; 32]),
    }
}

/// Returns the `n`th key, active and registered at [`NOW`].
#[must_use]
pub fn association_key(app: &str, owner: &str, n: u8) -> AssociationKey {
    registered(app, owner, n, NOW)
}

/// Returns the `n`th key, active and registered at this time.
#[must_use]
pub fn registered(app: &str, owner: &str, n: u8, at: Timestamp) -> AssociationKey {
    AssociationKey::new(app_id(app), point(n), user(owner), at, KeyKind::App, None)
}

/// Returns the `n`th key, active and registered at [`NOW`], of a phone that uses the web authenticator.
///
/// # Panics
/// If the label is malformed.
#[must_use]
#[expect(clippy::expect_used, reason = "samples are constants of the tests")]
pub fn of_phone(app: &str, owner: &str, n: u8, kind: KeyKind, label: &str) -> AssociationKey {
    let label = label.parse().expect("a label");
    AssociationKey::new(app_id(app), point(n), user(owner), NOW, kind, Some(label))
}

/// Returns a passkey of the page `https://login.shop.example`.
///
/// # Panics
/// Never: the host is a domain.
#[must_use]
#[expect(clippy::expect_used, reason = "samples are constants of the tests")]
pub fn passkey(synced: bool) -> KeyKind {
    let host = "login.shop.example".parse().expect("a link host");
    KeyKind::Passkey(Passkey::of_host(&host, synced).expect("a domain"))
}
