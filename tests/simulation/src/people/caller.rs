//! A caller who starts confirmations.

use std::time::Duration;

use countersign_domain::primitives::canonical_json::{CanonicalObject, Limits};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::use_cases::start::{StartError, Started};

use super::{World, operator, person};
use crate::oracle::{Asked, Promise, Told};
use crate::sim::OUTSIDE;

/// Makes the caller's request number `n`, and everything that follows from it.
pub async fn call(world: World, n: u64) {
    let sim = &world.env.sim;
    let late_caller = sim.draw(|chance| chance.once_in(4));
    sim.pass(sim.millis_below(if late_caller { 3_600_000 } else { 60_000 }))
        .await;
    let Some(asked) = what_to_ask(&world, n) else {
        return;
    };
    // Some users press the button twice.
    if asked.key.is_some() && sim.draw(|chance| chance.once_in(4)) {
        let (world, asked) = (world.clone(), asked.clone());
        sim.spawn(OUTSIDE, async move {
            let sim = &world.env.sim;
            sim.pass(sim.millis_below(200)).await;
            start(&world, &asked, n).await;
        });
    }
    let Some(told) = start(&world, &asked, n).await else {
        return;
    };
    person::text(&world, &told);
    sim.spawn(OUTSIDE, operator::operate(world.clone(), told.id));
    sim.spawn(OUTSIDE, look(world.clone(), told));
    if asked.key.is_some() && sim.draw(|chance| chance.once_in(3)) {
        let hours = sim.draw(|chance| chance.one_of(&[0, 0, 0, 1, 12, 30]));
        sim.pass(Duration::from_hours(hours)).await;
        sim.pass(sim.millis_below(60_000)).await;
        if sim.draw(|chance| chance.once_in(4)) {
            misuse(&world, &asked, n + 1_000_000).await;
        } else {
            start(&world, &asked, n).await;
        }
    }
}

fn what_to_ask(world: &World, n: u64) -> Option<Asked> {
    let sim = &world.env.sim;
    let (confirms, keyed) = sim.draw(|chance| (chance.once_in(2), chance.once_in(2)));
    let number = PhoneNumber::parse_e164(person::NUMBERS[0]).ok()?;
    Some(Asked {
        phone_number: confirms.then_some(number),
        callback: world.receivers.one()?,
        metadata: CanonicalObject::parse(format!(r#"{{"order":"{n}"}}"#), Limits::METADATA).ok()?,
        key: keyed.then(|| format!("order-{n}")),
    })
}

/// Starts a confirmation. If the request has a key, retries until it is answered; a retry without a
/// key would start another confirmation.
async fn start(world: &World, asked: &Asked, body: u64) -> Option<Told> {
    let sim = &world.env.sim;
    for _ in 0..8 {
        let copy = asked.clone();
        let answer = world.api.ask(|handler| handler.start(copy, body)).await;
        sim.note(OUTSIDE, "caller: start", || match &answer {
            Some(Ok(started)) => format!("{} {:?}", started.confirmation.id, asked.key),
            Some(Err(error)) => format!("{error} {:?}", asked.key),
            None => format!("no answer {:?}", asked.key),
        });
        match answer {
            Some(Ok(started)) => {
                let told = told(asked, started);
                world.env.oracle.with(|oracle| oracle.started(told.clone()));
                return Some(told);
            }
            Some(Err(StartError::Unavailable(_))) | None => {}
            Some(Err(error)) => {
                let what = format!("{:?}: {error}", asked.key);
                let promise = Promise::SameAnswerAgain;
                world.env.oracle.with(|oracle| oracle.broken(promise, what));
                return None;
            }
        }
        asked.key.as_ref()?;
        sim.pass(sim.millis_below(20_000)).await;
    }
    None
}

fn told(asked: &Asked, started: Started) -> Told {
    Told {
        asked: asked.clone(),
        id: started.confirmation.id,
        message: started.message,
        whatsapp: started.confirmation.whatsapp,
        created_at: started.confirmation.created_at,
        expires_at: started.confirmation.expires_at,
    }
}

/// Reuses a key for a different request, which is refused within the window and starts a new
/// confirmation after it.
async fn misuse(world: &World, asked: &Asked, body: u64) {
    let copy = asked.clone();
    let answer = world.api.ask(|handler| handler.start(copy, body)).await;
    match answer {
        Some(Err(StartError::IdempotencyKeyReused)) => world.env.count("key misused"),
        Some(Ok(started)) if started.replayed => {
            let what = format!("{:?}: replayed for another request", asked.key);
            let promise = Promise::SameAnswerAgain;
            world.env.oracle.with(|oracle| oracle.broken(promise, what));
        }
        Some(Ok(started)) => {
            let told = told(asked, started);
            world.env.oracle.with(|oracle| oracle.started(told));
        }
        Some(Err(_)) | None => {}
    }
}

/// Reads a confirmation, which must exist.
async fn look(world: World, told: Told) {
    let sim = &world.env.sim;
    for _ in 0..2 {
        sim.pass(sim.millis_below(600_000)).await;
        if let Some(Ok(None)) = world.api.ask(|handler| handler.look(told.id)).await {
            let what = format!("{} is not found", told.id);
            let promise = Promise::SessionKept;
            world.env.oracle.with(|oracle| oracle.broken(promise, what));
        }
    }
}
