//! An app's server that registers its users' association keys, lists them and revokes them.

use countersign_domain::login::{ClaimedUserId, KeyId};

use super::World;
use super::keyring::{PhoneKey, USERS};
use crate::association_keys::{KeyAnswer, KeyRequest, Possession, Registration};
use crate::oracle::Exchange;
use crate::sim::OUTSIDE;

/// Number of times that the server repeats an unanswered request.
const TRIES: u32 = 6;

/// Registers some keys, each for its holder.
pub(super) async fn prepare(world: &World) {
    let sim = &world.env.sim;
    for _ in 0..sim.draw(|chance| chance.below(5)) {
        if let Some(key) = PhoneKey::draw(sim, |_| true) {
            let request = registration(world, key, &key.holder);
            insist(world, &request).await;
        }
    }
}

/// Registers a key for its holder.
pub(super) async fn add(world: &World, id: KeyId) {
    if let Some(key) = PhoneKey::draw(&world.env.sim, |key| key.id == id) {
        let request = registration(world, key, &key.holder);
        insist(world, &request).await;
    }
}

/// Registers, lists and revokes keys for a while.
pub(super) async fn tend(world: World) {
    let sim = &world.env.sim;
    for _ in 0..sim.draw(|chance| chance.below(7)) {
        sim.pass(sim.millis_below(20_000)).await;
        let Some(key) = PhoneKey::draw(sim, |_| true) else {
            return;
        };
        let request = draw_request(&world, key);
        if sim.draw(|chance| chance.once_in(3)) {
            // Two workers of the server send the same request, or different ones.
            let other = draw_request(&world, key);
            let request = sim.draw(|chance| chance.one_of(&[request.clone(), other]));
            let world = world.clone();
            sim.spawn(OUTSIDE, async move {
                insist(&world, &request).await;
            });
        }
        insist(&world, &request).await;
        if sim.draw(|chance| chance.once_in(4)) {
            insist(&world, &request).await;
        }
    }
}

/// Draws a request about a key.
fn draw_request(world: &World, key: &PhoneKey) -> KeyRequest {
    let (kind, user) = world
        .env
        .sim
        .draw(|chance| (chance.below(8), chance.one_of(&USERS)));
    match kind {
        0..=2 => registration(world, key, &key.holder),
        3 | 4 => {
            let user = user.parse::<ClaimedUserId>();
            registration(world, key, user.as_ref().unwrap_or(&key.holder))
        }
        5 => KeyRequest::List(key.holder.clone()),
        _ => KeyRequest::Revoke(key.id),
    }
}

/// Returns the request to register a key for a user. The signature is missing, the holder's for this user,
/// or the holder's for the holder.
fn registration(world: &World, key: &PhoneKey, owner: &ClaimedUserId) -> KeyRequest {
    let is_optional = !world.api.app.0.login.require_proof;
    let signed_for = match world.env.sim.draw(|chance| chance.below(6)) {
        0 => None,
        1 | 2 if is_optional => None,
        3 => Some(&key.holder),
        _ => Some(owner),
    };
    let signature = signed_for.map(|user| Possession {
        text: key.show_possession(&world.api.app.0.app_key, user),
        is_true: user == owner,
    });
    KeyRequest::Register(Registration {
        id: key.id,
        public_key: key.public.clone(),
        owner: owner.clone(),
        signature,
    })
}

/// Repeats a request until it is answered.
async fn insist(world: &World, request: &KeyRequest) {
    let sim = &world.env.sim;
    for _ in 0..TRIES {
        if send(world, request).await.is_some() {
            return;
        }
        sim.pass(sim.millis_below(8_000)).await;
    }
}

/// Sends a request and lets the oracle check the answer. Returns `None` if there was no answer.
async fn send(world: &World, request: &KeyRequest) -> Option<KeyAnswer> {
    let (sim, oracle) = (&world.env.sim, &world.env.oracle);
    let asked_at = sim.now();
    oracle.with(|oracle| oracle.key_asked(request));
    let copy = request.clone();
    let answer = world.api.ask(|handler| handler.serve_key(copy)).await;
    sim.note(OUTSIDE, request.name(), || {
        format!("{request:?} {answer:?}")
    });
    let exchange = Exchange {
        asked_at,
        answered_at: sim.now(),
    };
    let answer = answer.filter(|answer| *answer != KeyAnswer::Unavailable);
    oracle.with(|oracle| match &answer {
        Some(answer) => oracle.key_told(request, answer, exchange),
        None => oracle.key_unanswered(request, asked_at),
    });
    world.env.count(match &answer {
        None => "key: no answer",
        Some(KeyAnswer::Registered(_)) => "key: registered",
        Some(KeyAnswer::SignatureMissing) => "key: signature missing",
        Some(KeyAnswer::SignatureFalse) => "key: signature false",
        Some(KeyAnswer::OwnedByAnother) => "key: owned by another",
        Some(KeyAnswer::WasRevoked) => "key: was revoked",
        Some(KeyAnswer::Revoked) => "key: revoked",
        Some(KeyAnswer::Unknown) => "key: unknown",
        Some(_) => "key: listed",
    });
    answer
}
