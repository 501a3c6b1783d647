//! The ports of the login use cases, controlled by the tests.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use countersign_conformance::failing::Access;
use countersign_conformance::ports::KeptPush;
use countersign_conformance::samples::login;
use countersign_conformance::samples::logins::{
    browser_token, clear, denial, mobile_token, watcher,
};
use countersign_domain::app::App;
use countersign_domain::app::login::{LoginSettings, PayloadEncryption};
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::history::{NameLimit, NewNames};
use countersign_domain::login::sighting::{
    Coordinates, CountryCode, GeoIp, Located, NetworkClass, Place, UserAgent,
};
use countersign_domain::login::{
    BrowserToken, ClaimedUserId, DenyReason, DeviceToken, Login, LoginCreator, LoginLink,
    MobileToken, PhonePayload, Receipt, Status,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Key;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::{
    CreateError, CreateRequest, Created, InitiateRequest, LoginError, LoginPorts, Visitor,
};
use countersign_proof::Proofs;

use crate::world::{World, now_or_never};

pub(super) const SHOP: &str = "https://shop.example";
pub(super) const BROWSER: &str = "203.0.113.7";
pub(super) const PHONE: &str = "198.51.100.9";
/// An address in Sydney.
pub(super) const ABROAD: &str = "192.0.2.77";
/// A receipt of 16 bytes.
pub(super) const RECEIPT: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// Locates every address except [`ABROAD`] in Berlin, and treats one address as a Tor exit.
pub(super) struct TestGeoIp;

impl GeoIp for TestGeoIp {
    fn locate(&self, address: IpAddr) -> Located {
        let network = if address.to_string() == "192.0.2.66" {
            NetworkClass::Tor
        } else {
            NetworkClass::Access
        };
        let place = if address.to_string() == ABROAD {
            sydney()
        } else {
            berlin()
        };
        Located { place, network }
    }
}

fn sydney() -> Place {
    Place {
        country: "AU".parse::<CountryCode>().ok(),
        city: None,
        coordinates: Coordinates::from_degrees(-33.87, 151.21).ok(),
        credit: None,
    }
}

pub(super) fn berlin() -> Place {
    Place {
        country: "DE".parse::<CountryCode>().ok(),
        city: None,
        coordinates: Coordinates::from_degrees(52.52, 13.405).ok(),
        credit: None,
    }
}

/// Remembers a limited number of new names.
#[derive(Default)]
pub(super) struct TestNames {
    pub(super) full: AtomicBool,
    pub(super) counted: AtomicUsize,
}

impl NameLimit for TestNames {
    fn take(&self, _: &AppId, _: IpAddr, _: Timestamp) -> NewNames {
        if self.full.load(Ordering::SeqCst) {
            return NewNames::LeaveOut;
        }
        self.counted.fetch_add(1, Ordering::SeqCst);
        NewNames::Remember
    }

    fn give_back(&self, _: &AppId, _: IpAddr, _: Timestamp) {
        self.counted.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The state behind the ports.
pub(super) struct Logins {
    pub(super) world: World,
    pub(super) push: KeptPush,
    pub(super) names: TestNames,
    pub(super) app: App,
    /// The number of the next browser's token.
    next: AtomicU8,
}

/// A login with the token of the browser that created it.
pub(super) struct Opened {
    pub(super) login: Login,
    pub(super) link: LoginLink,
    pub(super) token: BrowserToken,
}

pub(super) fn visitor(address: &str) -> Visitor {
    Visitor {
        address: address.parse().unwrap(),
        user_agent: UserAgent::new("Mozilla/5.0 (X11; Linux) Firefox/140.0"),
        located: Located::default(),
    }
}

impl Logins {
    pub(super) fn new() -> Self {
        let world = World::new();
        let mut app = world.app.clone();
        app.login = login();
        app.login.payload_encryption = PayloadEncryption::Optional;
        app.login.risk.denials_forbid = false;
        world.set_app(&app);
        Self {
            world,
            push: KeptPush::default(),
            names: TestNames::default(),
            app,
            next: AtomicU8::new(100),
        }
    }

    /// Changes the app's settings for logins.
    pub(super) fn set(&mut self, change: impl FnOnce(&mut LoginSettings)) {
        change(&mut self.app.login);
        self.world.set_app(&self.app);
    }

    pub(super) fn with<T>(&self, run: impl AsyncFnOnce(LoginPorts<'_>) -> T) -> T {
        let ports = LoginPorts {
            common: self.world.ports(),
            proofs: &Proofs,
            names: &self.names,
            push: &self.push,
            geo: &TestGeoIp,
        };
        now_or_never(run(ports))
    }

    /// Makes every write of a history fail.
    pub(super) fn break_history(&self) {
        let is_history = |key: &Key| matches!(key, Key::Person(_) | Key::Denials(..));
        let fails =
            move |access: Access<'_>| matches!(access, Access::Write(key) if is_history(key));
        self.world.items.fail(fails);
    }

    /// The request of a browser without a key.
    pub(super) fn request<'a>(&'a self, token: &'a BrowserToken) -> CreateRequest<'a> {
        CreateRequest {
            app: &self.app,
            creator: LoginCreator::Page,
            test: false,
            origin: Some(SHOP),
            browser: visitor(BROWSER),
            token,
            browser_key: None,
            return_url: None,
            openid: None,
            own_origin: None,
            allowance: Allowance::Unlimited,
        }
    }

    pub(super) fn send(&self, request: CreateRequest<'_>) -> Result<Created, CreateError> {
        self.with(async |ports| logins::create(ports, logins::approve(ports, request)?).await)
    }

    /// Creates a login of a different browser each time.
    pub(super) fn create_from(
        &self,
        origin: Option<&str>,
        address: &str,
    ) -> Result<Opened, CreateError> {
        let token = browser_token(self.next.fetch_add(1, Ordering::SeqCst));
        let request = CreateRequest {
            origin,
            browser: visitor(address),
            ..self.request(&token)
        };
        let Created { login, link } = self.send(request)?;
        Ok(Opened { login, link, token })
    }

    pub(super) fn create(&self) -> Opened {
        self.create_from(Some(SHOP), BROWSER).unwrap()
    }

    pub(super) fn initiate_as(
        &self,
        id: LoginId,
        token: &MobileToken,
        user: Option<&str>,
    ) -> Result<Login, LoginError> {
        self.initiate_from(PHONE, id, token, user)
    }

    pub(super) fn initiate_from(
        &self,
        address: &str,
        id: LoginId,
        token: &MobileToken,
        user: Option<&str>,
    ) -> Result<Login, LoginError> {
        let request = InitiateRequest {
            app: &self.app,
            id,
            token,
            phone: visitor(address),
            can_return: false,
            test: false,
            user: user.map(|user| user.parse::<ClaimedUserId>().unwrap()),
        };
        let initiated = self.with(async |ports| logins::initiate(ports, request).await)?;
        assert_eq!(initiated.server_time, self.world.now());
        Ok(initiated.login)
    }

    pub(super) fn initiate(&self, id: LoginId) -> Result<Login, LoginError> {
        self.initiate_as(id, &mobile_token(1), None)
    }

    pub(super) fn confirm(&self, id: LoginId, n: u8, text: &str) -> Result<(), LoginError> {
        let (token, payload) = (mobile_token(n), clear(text));
        self.with(async |ports| logins::confirm(ports, id, &token, payload).await)
    }

    pub(super) fn confirm_with(
        &self,
        id: LoginId,
        payload: PhonePayload,
    ) -> Result<(), LoginError> {
        let token = mobile_token(1);
        self.with(async |ports| logins::confirm(ports, id, &token, payload).await)
    }

    pub(super) fn deny(&self, id: LoginId, n: u8) -> Result<(), LoginError> {
        self.deny_for(id, n, None)
    }

    pub(super) fn deny_for(
        &self,
        id: LoginId,
        n: u8,
        reason: Option<DenyReason>,
    ) -> Result<(), LoginError> {
        let (token, payload) = (mobile_token(n), denial(n, "no").payload);
        self.with(async |ports| logins::deny(ports, id, &token, payload, reason).await)
    }

    pub(super) fn redeem(&self, id: LoginId, token: &BrowserToken) -> Result<String, LoginError> {
        let payload = self.redeem_with(id, token, RECEIPT);
        payload.map(|payload| payload.payload().as_str().to_owned())
    }

    pub(super) fn redeem_with(
        &self,
        id: LoginId,
        token: &BrowserToken,
        receipt: &str,
    ) -> Result<PhonePayload, LoginError> {
        let receipt = receipt.parse::<Receipt>().unwrap();
        self.with(async |ports| logins::redeem(ports, id, token, &receipt, None).await)
    }

    pub(super) fn status(
        &self,
        id: LoginId,
        token: impl Into<DeviceToken>,
    ) -> Result<Status, LoginError> {
        let token = token.into();
        let status = self.with(async |ports| logins::status(ports, id, &token).await)?;
        assert_eq!(status.server_time, self.world.now());
        Ok(status.status)
    }

    pub(super) fn watch(
        &self,
        id: LoginId,
        token: impl Into<DeviceToken>,
        n: u8,
    ) -> Result<Status, LoginError> {
        let token = token.into();
        self.with(async |ports| logins::watch(ports, id, &token, watcher(n)).await)
    }

    pub(super) fn notifications(&self) -> usize {
        self.push.take()
    }
}
