//! A stranger who has seen the QR code and wants the login or its payload.

use countersign_conformance::chance::Chance;
use countersign_domain::login::{BrowserToken, DeviceToken, MobileToken};

use super::browser::{Browser, PAGES};
use super::keyring::STRANGER;
use super::phone::draw_decision;
use super::request::{Fixed, send};
use crate::logins::LoginRequest;

/// Sends requests about a login with another token or for another page, and decides it without having
/// opened it.
pub(super) async fn intrude(browser: Browser) {
    let (world, id) = (&browser.world, browser.id);
    let sim = &world.env.sim;
    let drawn = Fixed(sim.draw(Chance::bytes));
    let token = BrowserToken::generate(&drawn);
    let phone = MobileToken::generate(&drawn);
    for _ in 0..4 {
        sim.pass(sim.millis_below(25_000)).await;
        let device = DeviceToken::from(&token);
        let request = match sim.draw(|chance| chance.below(6)) {
            // The id of a login without a key is derived from its token, so a stranger would get a
            // different id.
            0 if browser.key.is_some() => browser.create_from(PAGES[0], &token),
            0 => browser.create_from(PAGES[1], &browser.token),
            1 => LoginRequest::Status(device),
            2 => LoginRequest::Cancel(token.clone()),
            3 => {
                let stranger = STRANGER.parse().ok();
                draw_decision(world, id, phone.clone(), stranger.as_ref())
            }
            _ => match browser.redemption() {
                Some(LoginRequest::Redeem { receipt, .. }) => LoginRequest::Redeem {
                    token: token.clone(),
                    receipt,
                },
                _ => return,
            },
        };
        send(world, id, &request).await;
    }
}
