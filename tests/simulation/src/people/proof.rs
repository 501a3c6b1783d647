//! The proofs that phones sign. Most proofs are true.

use std::time::Duration;

use countersign_conformance::samples::before;
use countersign_domain::login::{ClaimedUserId, Proof};
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use countersign_proof::ProofClaims;

use super::World;
use super::browser::PAGES;
use super::keyring::{PhoneKey, STRANGER};
use crate::oracle::Signed;

/// A much earlier login, whose proof was kept.
pub const EARLIER_LOGIN: LoginId = LoginId::from_bytes(LoginKind::Plain, [7; 16]);

/// The confirmation that a proof is for.
pub(super) struct Confirmed<'a> {
    pub(super) login: LoginId,
    /// The user whom the phone named.
    pub(super) user: Option<&'a ClaimedUserId>,
    /// The payload before encryption, and its salt.
    pub(super) payload: &'a str,
    pub(super) salt: [u8; 16],
}

/// Draws no proof, a true proof, or one that is false in one respect.
pub(super) fn draw_proof(world: &World, confirmed: &Confirmed<'_>) -> Option<Proof> {
    let sim = &world.env.sim;
    let (kind, number) = sim.draw(|chance| (chance.below(26), chance.number()));
    let is_own = |key: &PhoneKey| confirmed.user.is_none_or(|user| key.holder == *user);
    let is_anothers = matches!(kind, 8 | 16);
    let key = PhoneKey::draw(sim, |key| is_own(key) != is_anothers)?;
    let now = sim.now();
    let mut signed = Signed {
        key: key.id,
        is_by_the_key: true,
        login: confirmed.login,
        page: PAGES[0],
        user: confirmed.user.cloned(),
        payload: confirmed.payload.to_owned(),
        salt: confirmed.salt,
        at: now,
    };
    let text = match kind {
        0..=6 => return None,
        7 => format!("e30.e30.{number:x}"),
        _ => {
            match kind {
                // Another user's key; the proof names this user, the other user or none.
                8 | 16 => {
                    let users = [signed.user, Some(key.holder.clone()), None];
                    signed.user = sim.draw(|chance| chance.one_of(&users));
                }
                9 => signed.at = before(now, Duration::from_mins(10)),
                10 => signed.at = now.plus(Duration::from_mins(2)),
                // About to expire, or just expired.
                11 => signed.at = before(now, Duration::from_secs(355 + number % 10)),
                12 => signed.login = EARLIER_LOGIN,
                13 => signed.page = PAGES[1],
                14 => signed.payload.push('!'),
                15 => signed.is_by_the_key = false,
                _ => {}
            }
            let text = sign(world, key, &signed)?;
            if signed.is_by_the_key {
                text
            } else {
                // The stranger signs a proof whose header names the user's key.
                let strangers = PhoneKey::draw(sim, |key| key.holder.as_str() == STRANGER)?;
                let forged = sign(world, strangers, &signed)?;
                let (header, _) = text.split_once('.')?;
                let (_, rest) = forged.split_once('.')?;
                signed.is_by_the_key = strangers.id == key.id;
                format!("{header}.{rest}")
            }
        }
    };
    let proof = text.parse::<Proof>().ok()?;
    if kind != 7 {
        let oracle = &world.env.oracle;
        oracle.with(|oracle| oracle.proof_signed(&proof, signed));
    }
    Some(proof)
}

fn sign(world: &World, key: &PhoneKey, signed: &Signed) -> Option<String> {
    let claims = ProofClaims {
        app: &world.api.app.0.app_key,
        origin: &signed.page.parse().ok()?,
        login: signed.login,
        user: signed.user.as_ref(),
        context: None,
        payload: &signed.payload,
        salt: &signed.salt,
        at: signed.at,
    };
    key.private.sign_proof(&claims).ok()
}
