//! A login, with its browser, its phones and strangers.

use std::time::Duration;

use countersign_domain::login::DeviceToken;
use countersign_domain::primitives::ids::LoginId;

use super::browser::Browser;
use super::request::{ASKED_ABOUT, watch};
use super::{World, phone, registrar, stranger};
use crate::sim::OUTSIDE;

/// Creates a login, and simulates everything that follows from it.
pub async fn log_in(world: World) {
    let sim = world.env.sim.clone();
    if sim.draw(|chance| chance.once_in(3)) {
        sim.pass_until(world.env.weather.calm_from()).await;
    }
    sim.pass(sim.millis_below(60_000)).await;
    registrar::prepare(&world).await;
    sim.spawn(OUTSIDE, registrar::tend(world.clone()));
    let browser = Browser::draw(&world);
    if sim.draw(|chance| chance.once_in(12)) {
        let request = browser.create_from("https://evil.example", &browser.token);
        let _ = world
            .api
            .ask(|handler| handler.serve(browser.id, request))
            .await;
    }
    if sim.draw(|chance| chance.once_in(4)) {
        // Some browsers load the page twice.
        let browser = browser.clone();
        sim.spawn(OUTSIDE, async move {
            let sim = &browser.world.env.sim;
            sim.pass(sim.millis_below(200)).await;
            browser.create().await;
        });
    }
    let Some(login) = browser.create().await else {
        return;
    };
    let until = login.created_at.plus(ASKED_ABOUT);
    phone::scan(&browser, &login);
    if sim.draw(|chance| chance.once_in(2)) {
        sim.spawn(OUTSIDE, stranger::intrude(browser.clone()));
    }
    if sim.draw(|chance| chance.once_in(6)) {
        sim.spawn(OUTSIDE, browser.clone().give_up(until));
    }
    if sim.draw(|chance| chance.once_in(3)) {
        let token = DeviceToken::from(&browser.token);
        sim.spawn(OUTSIDE, reconnect(world.clone(), browser.id, token));
    }
    let closed_at = sim.draw(|chance| {
        let closes = chance.once_in(6);
        closes.then(|| {
            login
                .created_at
                .plus(Duration::from_millis(chance.below(60_000)))
        })
    });
    if closed_at.is_some() {
        let oracle = &world.env.oracle;
        oracle.with(|oracle| oracle.login_left(browser.id));
    }
    browser.keep_asking(closed_at.unwrap_or(until)).await;
    browser.ask_late(until).await;
}

/// Loses its connection and reconnects, several times.
async fn reconnect(world: World, id: LoginId, device: DeviceToken) {
    let sim = &world.env.sim;
    for _ in 0..6 {
        sim.pass(sim.millis_below(12_000)).await;
        let watcher = watch(&world, id, &device).await;
        if let Some(watcher) = watcher
            && sim.draw(|chance| chance.once_in(2))
        {
            world.api.connections.close(&watcher);
        }
    }
}
