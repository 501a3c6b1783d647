//! A browser that creates a login, polls it until it has ended, and redeems its payload.

use countersign_conformance::chance::Chance;
use countersign_domain::login::identity::{IdInputs, plain_id, sealed_id};
use countersign_domain::login::sighting::NetworkClass;
use countersign_domain::login::{
    BrowserPublicKey, BrowserToken, DeviceToken, Login, Receipt, Status,
};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::watcher::WatcherId;

use super::World;
use super::request::{Fixed, send, watch};
use crate::logins::{LoginAnswer, LoginRequest};

/// The page that creates logins, and another page of the same app.
pub(super) const PAGES: [&str; 2] = ["https://shop.example", "http://localhost:3000"];

/// A browser with its keys.
#[derive(Clone)]
pub(super) struct Browser {
    pub(super) world: World,
    pub(super) id: LoginId,
    pub(super) token: BrowserToken,
    pub(super) key: Option<BrowserPublicKey>,
    network: NetworkClass,
}

impl Browser {
    pub(super) fn draw(world: &World) -> Self {
        let sim = &world.env.sim;
        let (token, key, network) = sim.draw(|chance| {
            let mut key = chance.bytes::<65>();
            key[0] = 4;
            let key = BrowserPublicKey::from_bytes(key).ok();
            let network = match chance.below(10) {
                0 => NetworkClass::Attacker,
                _ => NetworkClass::Access,
            };
            (chance.bytes(), key.filter(|_| !chance.once_in(3)), network)
        });
        let token = BrowserToken::generate(&Fixed(token));
        let app = &world.api.app.0;
        let id = match (&key, PAGES[0].parse()) {
            (Some(key), Ok(origin)) => {
                let inputs = IdInputs {
                    app_key: &app.app_key,
                    origin: &origin,
                    context: "",
                };
                sealed_id(inputs, key)
            }
            _ => plain_id(&token),
        };
        Self {
            world: world.clone(),
            id,
            token,
            key,
            network,
        }
    }

    /// Returns the request to create the login from a page with this origin, with this token.
    pub(super) fn create_from(&self, origin: &'static str, token: &BrowserToken) -> LoginRequest {
        LoginRequest::Create {
            token: token.clone(),
            key: self.key,
            origin,
            network: self.network,
        }
    }

    async fn send(&self, request: &LoginRequest) -> Option<LoginAnswer> {
        send(&self.world, self.id, request).await
    }

    /// Creates the login, retrying with the same key and token until the request is answered.
    pub(super) async fn create(&self) -> Option<Login> {
        let sim = &self.world.env.sim;
        let request = self.create_from(PAGES[0], &self.token);
        for _ in 0..6 {
            match self.send(&request).await {
                Some(LoginAnswer::Login(login)) => return Some(*login),
                Some(_) => return None,
                None => sim.pass(sim.millis_below(10_000)).await,
            }
        }
        None
    }

    /// Requests the status every few seconds and after notifications, and redeems the payload once there
    /// is one.
    pub(super) async fn keep_asking(&self, until: Timestamp) {
        let (sim, connections) = (&self.world.env.sim, &self.world.api.connections);
        let device = DeviceToken::from(&self.token);
        let watcher = self.watch(&device).await;
        while sim.now() < until {
            let pause = sim.now().plus(sim.millis_below(8_000));
            match &watcher {
                Some(watcher) => {
                    sim.within(pause, connections.listen(watcher)).await;
                }
                None => sim.pass_until(pause).await,
            }
            match self.send(&LoginRequest::Status(device.clone())).await {
                Some(LoginAnswer::Is(Status::Confirmed)) => return self.redeem().await,
                Some(LoginAnswer::Is(status)) if !status.is_live() => return,
                _ => {}
            }
        }
    }

    async fn watch(&self, device: &DeviceToken) -> Option<WatcherId> {
        let sim = &self.world.env.sim;
        if sim.draw(|chance| chance.once_in(3)) {
            return None;
        }
        watch(&self.world, self.id, device).await
    }

    /// Redeems the payload, retrying with the same receipt until the request is answered, and
    /// sometimes once more.
    async fn redeem(&self) {
        let sim = &self.world.env.sim;
        let Some(request) = self.redemption() else {
            return;
        };
        for _ in 0..12 {
            match self.send(&request).await {
                Some(LoginAnswer::Payload(_)) => break,
                Some(_) => return,
                None => sim.pass(sim.millis_below(6_000)).await,
            }
        }
        if sim.draw(|chance| chance.once_in(2)) {
            sim.pass(sim.millis_below(70_000)).await;
            self.send(&request).await;
        }
        if sim.draw(|chance| chance.once_in(2))
            && let Some(another) = self.redemption()
        {
            self.send(&another).await;
        }
    }

    /// Returns a redemption with a new receipt.
    pub(super) fn redemption(&self) -> Option<LoginRequest> {
        let sim = &self.world.env.sim;
        // The last of the 22 characters encodes only two bits.
        let receipt = format!("{:0>21}A", sim.draw(Chance::number));
        Some(LoginRequest::Redeem {
            token: self.token.clone(),
            receipt: receipt.parse::<Receipt>().ok()?,
        })
    }

    /// Cancels the login at a random time.
    pub(super) async fn give_up(self, until: Timestamp) {
        let sim = &self.world.env.sim;
        sim.pass(sim.millis_below(90_000)).await;
        while sim.now() < until {
            let answer = self.send(&LoginRequest::Cancel(self.token.clone())).await;
            if answer.is_some() {
                return;
            }
            sim.pass(sim.millis_below(5_000)).await;
        }
    }

    /// Sends requests after the end: creates with the same key and token, redeems, requests the status,
    /// cancels.
    pub(super) async fn ask_late(&self, until: Timestamp) {
        let sim = &self.world.env.sim;
        for _ in 0..sim.draw(|chance| chance.below(3)) {
            sim.pass(sim.millis_below(60_000)).await;
            if until <= sim.now() {
                return;
            }
            let request = match sim.draw(|chance| chance.below(4)) {
                0 => Some(self.create_from(PAGES[0], &self.token)),
                1 => self.redemption(),
                2 => Some(LoginRequest::Status(DeviceToken::from(&self.token))),
                _ => Some(LoginRequest::Cancel(self.token.clone())),
            };
            if let Some(request) = request {
                self.send(&request).await;
            }
        }
    }
}
