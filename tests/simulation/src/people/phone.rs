//! Phones that open a login and decide it. Their processes die and restart with the same token.

use std::time::Duration;

use countersign_domain::login::{
    BrowserToken, ClaimedUserId, DenialPayload, DenyReason, DeviceToken, Login, MobileToken,
    Payload, PhonePayload, Receipt, Refusal, Salt, identity,
};
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::key_id;

use super::browser::Browser;
use super::proof::{Confirmed, draw_proof};
use super::request::{ASKED_ABOUT, Fixed, send, watch};
use super::{World, registrar};
use crate::logins::{LoginAnswer, LoginRequest};
use crate::oracle::Promise;
use crate::sim::OUTSIDE;

/// Number of times that a phone repeats an unanswered request.
const TRIES: u32 = 6;

/// A phone. All of this survives the death of its process.
struct Phone {
    world: World,
    id: LoginId,
    token: MobileToken,
    user: Option<ClaimedUserId>,
    until: Timestamp,
    /// The decision, once it has been sent.
    sent: Option<LoginRequest>,
}

/// The reason why a phone's process ends.
enum Life {
    /// The process died.
    Died,
    /// The phone has finished with the login.
    Done,
}

/// Lets some phones scan the code.
pub(super) fn scan(browser: &Browser, login: &Login) {
    let sim = &browser.world.env.sim;
    let count = sim.draw(|chance| chance.one_of(&[0, 1, 1, 1, 1, 1, 2, 2]));
    for _ in 0..count {
        let (token, user, wait) = sim.draw(|chance| {
            let user = chance.one_of(&[None, Some("zoe@shop.example"), Some("max@shop.example")]);
            let wait = match chance.below(10) {
                // Close to the expiry, with millisecond resolution.
                0 => 59_900 + chance.below(200),
                1 => chance.below(80_000),
                _ => chance.below(20_000),
            };
            (chance.bytes(), user, Duration::from_millis(wait))
        });
        let phone = Phone {
            world: browser.world.clone(),
            id: browser.id,
            token: MobileToken::generate(&Fixed(token)),
            user: user.and_then(|user| user.parse::<ClaimedUserId>().ok()),
            until: login.created_at.plus(ASKED_ABOUT),
            sent: None,
        };
        let at = login.created_at.plus(wait);
        sim.spawn(OUTSIDE, phone.run(at));
    }
}

impl Phone {
    async fn run(mut self, at: Timestamp) {
        let sim = self.world.env.sim.clone();
        sim.pass_until(at).await;
        for _ in 0..3 {
            match self.live().await {
                Life::Done => break,
                Life::Died => self.world.env.count("phone died"),
            }
            let away = sim.draw(|chance| chance.one_of(&[30_000, 30_000, 240_000]));
            sim.pass(sim.millis_below(away)).await;
        }
        if sim.draw(|chance| chance.once_in(4)) && sim.now() < self.until {
            self.pose_as_browser().await;
        }
    }

    fn once_in(&self, times: u64) -> bool {
        self.world.env.sim.draw(|chance| chance.once_in(times))
    }

    async fn send(&self, request: &LoginRequest) -> Option<LoginAnswer> {
        send(&self.world, self.id, request).await
    }

    /// Repeats a request until it is answered; returns `None` if it never is.
    async fn insist(&self, request: &LoginRequest) -> Option<LoginAnswer> {
        let sim = &self.world.env.sim;
        for _ in 0..TRIES {
            if self.until <= sim.now() {
                return None;
            }
            let answer = self.send(request).await;
            if answer.is_some() {
                return answer;
            }
            sim.pass(sim.millis_below(8_000)).await;
        }
        None
    }

    /// Opens the login, asks the user, and sends the decision.
    async fn live(&mut self) -> Life {
        let sim = self.world.env.sim.clone();
        let answer = self.insist(&self.initiate(self.user.clone())).await;
        let Some(LoginAnswer::Login(login)) = answer else {
            if answer.is_some() && self.once_in(2) {
                // Some apps continue although they were refused.
                let decision = self.decide();
                self.insist(&decision).await;
            }
            return Life::Done;
        };
        self.check(&login);
        self.do_something_else().await;
        if self.once_in(6) {
            return Life::Died;
        }
        let think = sim.draw(|chance| match chance.below(12) {
            // Close to the expiry, with millisecond resolution.
            0 => 179_900 + chance.below(200),
            _ => chance.below(15_000),
        });
        let scanned_at = login.phone().map_or(sim.now(), |phone| phone.scanned_at);
        let decide_at = scanned_at.plus(Duration::from_millis(think));
        sim.pass_until(decide_at.max(sim.now())).await;
        let decision = match &self.sent {
            Some(sent) => sent.clone(),
            None => self.decide(),
        };
        self.sent = Some(decision.clone());
        if self.once_in(6) {
            self.send(&decision).await;
            return Life::Died;
        }
        let answer = self.insist(&decision).await;
        match answer {
            Some(LoginAnswer::Refused(
                Refusal::Encrypted
                | Refusal::Readable
                | Refusal::ProofRequired
                | Refusal::ProofInvalid
                | Refusal::ProofMismatch,
            )) => {
                if self.once_in(2) && self.has_its_key_registered(&decision).await {
                    return Life::Died;
                }
                self.sent = None;
                return Life::Died;
            }
            Some(_) => self.decide_again(&decision).await,
            None => {}
        }
        Life::Done
    }

    fn initiate(&self, user: Option<ClaimedUserId>) -> LoginRequest {
        LoginRequest::Initiate {
            token: self.token.clone(),
            user,
        }
    }

    /// Checks that the id matches the service's answer.
    fn check(&self, login: &Login) {
        let app_key = &self.world.api.app.0.app_key;
        let inputs = identity::IdInputs {
            app_key,
            origin: &login.origin,
            context: "",
        };
        if let Err(error) = identity::check(self.id, inputs, login.encryption.key()) {
            let (oracle, what) = (&self.world.env.oracle, format!("{}: {error}", self.id));
            oracle.with(|oracle| oracle.broken(Promise::SessionKept, what));
        }
    }

    /// Sends a different body, watches, or requests the status.
    async fn do_something_else(&self) {
        let device = DeviceToken::from(&self.token);
        if self.once_in(5) {
            let other = "eve@shop.example".parse::<ClaimedUserId>().ok();
            self.send(&self.initiate(other)).await;
        }
        if self.once_in(3) {
            watch(&self.world, self.id, &device).await;
        }
        if self.once_in(4) {
            self.send(&LoginRequest::Status(device)).await;
        }
    }

    /// Makes the app's server register the key that signed a confirmation, if it has a proof.
    async fn has_its_key_registered(&self, decision: &LoginRequest) -> bool {
        let LoginRequest::Confirm { payload, .. } = decision else {
            return false;
        };
        let Some(key) = payload
            .proof()
            .and_then(|proof| key_id(proof.as_str()).ok())
        else {
            return false;
        };
        registrar::add(&self.world, key).await;
        true
    }

    fn decide(&self) -> LoginRequest {
        draw_decision(&self.world, self.id, self.token.clone(), self.user.as_ref())
    }

    /// Repeats the decision, or sends a different one, which changes nothing.
    async fn decide_again(&self, decision: &LoginRequest) {
        let sim = &self.world.env.sim;
        for _ in 0..sim.draw(|chance| chance.below(3)) {
            sim.pass(sim.millis_below(20_000)).await;
            let again = if self.once_in(2) {
                decision.clone()
            } else {
                self.decide()
            };
            if sim.now() < self.until {
                self.send(&again).await;
            }
        }
    }

    /// Tries to redeem the payload with the phone's own token.
    async fn pose_as_browser(&self) {
        let token = self.token.reveal().parse::<BrowserToken>();
        let receipt = "A".repeat(22).parse::<Receipt>();
        if let (Ok(token), Ok(receipt)) = (token, receipt) {
            self.send(&LoginRequest::Redeem { token, receipt }).await;
        }
    }
}

/// Draws a decision about a login from a phone that names this user. Some confirmations are encrypted
/// although they must not be, or vice versa.
pub(super) fn draw_decision(
    world: &World,
    login: LoginId,
    token: MobileToken,
    user: Option<&ClaimedUserId>,
) -> LoginRequest {
    let (kind, number, coin, salt) = world.env.sim.draw(|chance| {
        (
            chance.below(16),
            chance.number(),
            chance.once_in(2),
            chance.bytes(),
        )
    });
    let text = format!("{number:x}");
    if kind < 5 {
        let text = if coin { String::new() } else { text };
        return LoginRequest::Deny {
            token,
            payload: DenialPayload::new(text).unwrap_or_default(),
            reason: (kind < 2).then_some(DenyReason::KeyMismatch),
        };
    }
    let confirmed = Confirmed {
        login,
        user,
        payload: &text,
        salt,
    };
    let proof = draw_proof(world, &confirmed);
    let is_sealed = (login.kind() == LoginKind::Sealed) != (kind == 5);
    let (payload, salt) = if is_sealed {
        (Payload::encrypted(format!("BA{number:0>118x}")), None)
    } else {
        let salt = (coin || proof.is_some()).then(|| Salt::from_bytes(salt));
        (Payload::clear(text), salt)
    };
    match payload.map(|payload| PhonePayload::new(payload, salt, proof)) {
        Ok(Ok(payload)) => LoginRequest::Confirm { token, payload },
        _ => unreachable!("payload, salt and proof go together"),
    }
}
