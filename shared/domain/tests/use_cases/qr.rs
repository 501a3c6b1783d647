use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use countersign_conformance::model::ModelLogins;
use countersign_conformance::samples::qr::{browser_key, clear, mobile_token, sealed, watcher};
use countersign_conformance::samples::{app_id, login};
use countersign_domain::app::App;
use countersign_domain::ports::{
    Clock as _, GeoIp, HistoryQuery, Located, PokeOutcome, Push, QrSessionStore as _, RiskHistory,
    Unavailable,
};
use countersign_domain::qr_session::{
    AddressBlock, BrowserToken, ClaimedUserId, Coordinates, CountryCode, MobileToken, NetworkClass,
    Place, QrSession, QrSessionId, REDEEMABLE, SCANNED, Status, UNSCANNED, UserAgent, UserKey,
    WatcherId,
};
use countersign_domain::risk::{ConfirmedLogin, DENIAL_WINDOW, Flag, History, RiskStatus};
use countersign_domain::use_cases::qr::{
    self, CancelError, ConfirmError, CreateError, CreateRequest, Created, DenyError, InitiateError,
    InitiateRequest, Ports, RedeemError, Visitor, WatchError,
};

use crate::world::{World, now_or_never};

const SHOP: &str = "https://shop.example";
const BROWSER: &str = "203.0.113.7";
const PHONE: &str = "198.51.100.9";

/// Pushes that are remembered.
#[derive(Default)]
struct TestPush {
    poked: Mutex<Vec<WatcherId>>,
    gone: Mutex<BTreeSet<WatcherId>>,
    broken: AtomicBool,
}

#[async_trait]
impl Push for TestPush {
    async fn poke(&self, watcher: &WatcherId) -> Result<PokeOutcome, Unavailable> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(Unavailable::new("push", "broken"));
        }
        if self.gone.lock().unwrap().contains(watcher) {
            return Ok(PokeOutcome::Gone);
        }
        self.poked.lock().unwrap().push(watcher.clone());
        Ok(PokeOutcome::Sent)
    }
}

/// Everybody is in Berlin, and one address an exit of Tor.
struct TestGeoIp;

impl GeoIp for TestGeoIp {
    fn locate(&self, address: IpAddr) -> Located {
        let network = if address.to_string() == "192.0.2.66" {
            NetworkClass::Tor
        } else {
            NetworkClass::Access
        };
        Located {
            place: berlin(),
            network,
        }
    }
}

fn berlin() -> Place {
    Place {
        country: CountryCode::parse("DE").ok(),
        city: None,
        coordinates: Coordinates::from_degrees(52.52, 13.405).ok(),
    }
}

/// A history that can be read and not written.
struct ReadOnlyHistory<'a>(&'a ModelLogins);

#[async_trait]
impl RiskHistory for ReadOnlyHistory<'_> {
    async fn recent(
        &self,
        query: &HistoryQuery,
        now: countersign_domain::time::Timestamp,
    ) -> Result<History, Unavailable> {
        self.0.recent(query, now).await
    }

    async fn note_denial(
        &self,
        _: &countersign_domain::ids::AppId,
        _: AddressBlock,
        _: countersign_domain::time::Timestamp,
    ) -> Result<(), Unavailable> {
        Err(Unavailable::new("history", "broken"))
    }

    async fn note_confirmation(&self, _: UserKey, _: ConfirmedLogin) -> Result<(), Unavailable> {
        Err(Unavailable::new("history", "broken"))
    }
}

/// The world of logins.
struct Logins {
    world: World,
    store: ModelLogins,
    push: TestPush,
    app: App,
    read_only_history: bool,
}

fn visitor(address: &str) -> Visitor {
    Visitor {
        address: address.parse().unwrap(),
        user_agent: UserAgent::new("Mozilla/5.0 (X11; Linux) Firefox/140.0"),
        located: None,
    }
}

impl Logins {
    fn new() -> Self {
        let world = World::new();
        let mut app = world.app.clone();
        app.login = login();
        app.login.require_encryption = false;
        app.login.risk.denials_forbid = false;
        Self {
            world,
            store: ModelLogins::default(),
            push: TestPush::default(),
            app,
            read_only_history: false,
        }
    }

    fn with<T>(&self, run: impl AsyncFnOnce(Ports<'_>) -> T) -> T {
        let read_only = ReadOnlyHistory(&self.store);
        let history: &dyn RiskHistory = if self.read_only_history {
            &read_only
        } else {
            &self.store
        };
        let ports = Ports {
            sessions: &self.store,
            history,
            push: &self.push,
            geo: &TestGeoIp,
            clock: &self.world,
            entropy: &self.world,
            metrics: &self.world,
        };
        now_or_never(run(ports))
    }

    fn create_from(&self, origin: Option<&str>, address: &str) -> Result<Created, CreateError> {
        let request = CreateRequest {
            app: &self.app,
            origin,
            browser: visitor(address),
            browser_key: None,
        };
        self.with(async |ports| qr::create(ports, request).await)
    }

    fn create(&self) -> Created {
        self.create_from(Some(SHOP), BROWSER).unwrap()
    }

    fn initiate_as(
        &self,
        id: QrSessionId,
        token: &MobileToken,
        user: Option<&str>,
    ) -> Result<QrSession, InitiateError> {
        let request = InitiateRequest {
            app: &self.app,
            id,
            token,
            phone: visitor(PHONE),
            user: user.map(|user| ClaimedUserId::parse(user).unwrap()),
        };
        self.with(async |ports| qr::initiate(ports, request).await)
    }

    fn initiate(&self, id: QrSessionId) -> Result<QrSession, InitiateError> {
        self.initiate_as(id, &mobile_token(1), None)
    }

    fn confirm(&self, id: QrSessionId, n: u8, text: &str) -> Result<(), ConfirmError> {
        let (token, payload) = (mobile_token(n), clear(text));
        self.with(async |ports| qr::confirm(ports, id, &token, payload).await)
    }

    fn deny(&self, id: QrSessionId, n: u8) -> Result<(), DenyError> {
        let (token, payload) = (mobile_token(n), clear("no"));
        self.with(async |ports| qr::deny(ports, id, &token, payload).await)
    }

    fn redeem(&self, id: QrSessionId, token: &BrowserToken) -> Result<String, RedeemError> {
        let payload = self.with(async |ports| qr::redeem(ports, id, token).await);
        payload.map(|payload| payload.as_str().to_owned())
    }

    fn cancel(&self, id: QrSessionId, token: &BrowserToken) -> Result<(), CancelError> {
        self.with(async |ports| qr::cancel(ports, id, token).await)
    }

    fn status(&self, id: QrSessionId, token: &BrowserToken) -> Result<Status, WatchError> {
        let status = self.with(async |ports| qr::status(ports, id, token).await);
        status.map(|status| status.status)
    }

    fn watch(&self, id: QrSessionId, token: &BrowserToken, n: u8) -> Result<Status, WatchError> {
        self.with(async |ports| qr::watch(ports, id, token, watcher(n)).await)
    }

    fn pokes(&self) -> usize {
        std::mem::take(&mut *self.push.poked.lock().unwrap()).len()
    }
}

#[test]
fn a_login_from_the_code_to_the_payload() {
    let logins = Logins::new();
    let Created {
        session,
        link,
        token,
    } = logins.create();
    let id = session.id;
    assert_eq!(
        link.to_string(),
        format!("https://login.shop.example?sessionId={id}")
    );
    assert_eq!(logins.watch(id, &token, 1).unwrap(), Status::Created);
    let opened = logins.initiate(id).unwrap();
    assert_eq!(opened.origin.as_str(), SHOP);
    assert_eq!(logins.status(id, &token).unwrap(), Status::Scanned);
    assert_eq!(logins.pokes(), 1);
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(logins.pokes(), 1);
    assert_eq!(logins.status(id, &token).unwrap(), Status::Confirmed);
    assert_eq!(logins.redeem(id, &token).unwrap(), "yes");
    let again = logins.redeem(id, &token);
    assert!(matches!(
        again,
        Err(RedeemError::NotConfirmed(Status::Consumed))
    ));
    // A phone whose answer was lost is told what it was told before.
    logins.confirm(id, 1, "yes").unwrap();
    for name in ["qr_created", "qr_scanned", "qr_confirmed", "qr_redeemed"] {
        assert_eq!(logins.world.count(name), 1, "{name}");
    }
}

#[test]
fn an_unregistered_origin_opens_nothing() {
    let logins = Logins::new();
    for origin in [
        None,
        Some(""),
        Some("null"),
        Some("https://evil.example"),
        Some("http://shop.example"),
        Some("https://shop.example.evil.example"),
        Some("https://shop.example:8443"),
    ] {
        let refused = logins.create_from(origin, BROWSER);
        assert!(
            matches!(refused, Err(CreateError::OriginNotAllowed)),
            "{origin:?}"
        );
    }
    assert_eq!(logins.store.items(), []);
    assert_eq!(logins.world.count("qr_origin_refused"), 7);
    assert!(
        logins
            .create_from(Some("http://localhost:3000"), BROWSER)
            .is_ok()
    );
}

#[test]
fn an_app_without_a_link_host_opens_nothing() {
    let mut logins = Logins::new();
    logins.app.login.link_host = None;
    let refused = logins.create_from(Some(SHOP), BROWSER);
    assert!(matches!(refused, Err(CreateError::NoLinkHost)));
}

#[test]
fn an_app_that_requires_encryption_gets_it() {
    let mut logins = Logins::new();
    logins.app.login.require_encryption = true;
    let refused = logins.create_from(Some(SHOP), BROWSER);
    assert!(matches!(refused, Err(CreateError::KeyRequired)));
    let request = CreateRequest {
        app: &logins.app,
        origin: Some(SHOP),
        browser: visitor(BROWSER),
        browser_key: Some(browser_key()),
    };
    let created = logins
        .with(async |ports| qr::create(ports, request).await)
        .unwrap();
    assert!(
        created
            .link
            .key
            .is_some_and(|hash| hash.fits(&browser_key()))
    );
    let id = created.session.id;
    logins.initiate(id).unwrap();
    assert!(matches!(
        logins.confirm(id, 1, "yes"),
        Err(ConfirmError::Unsuitable)
    ));
    let token = mobile_token(1);
    let confirmed = logins.with(async |ports| qr::confirm(ports, id, &token, sealed()).await);
    confirmed.unwrap();
}

#[test]
fn a_second_phone_blocks_and_is_counted() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.session.id;
    logins.watch(id, &created.token, 1).unwrap();
    logins.initiate(id).unwrap();
    logins.initiate(id).unwrap();
    assert_eq!(logins.pokes(), 1, "a repeated scan changes nothing");
    let second = logins.initiate_as(id, &mobile_token(2), None);
    assert!(matches!(second, Err(InitiateError::SecondPhone)));
    assert_eq!(logins.pokes(), 1);
    assert_eq!(logins.world.count("qr_second_phone"), 1);
    let first = logins.confirm(id, 1, "yes");
    assert!(matches!(first, Err(ConfirmError::Ended(Status::Blocked))));
    assert_eq!(logins.status(id, &created.token).unwrap(), Status::Blocked);
}

#[test]
fn a_browser_on_tor_cannot_be_confirmed_whatever_the_client_does() {
    let logins = Logins::new();
    let created = logins.create_from(Some(SHOP), "192.0.2.66").unwrap();
    let id = created.session.id;
    let opened = logins.initiate(id).unwrap();
    let risk = &opened.phone().unwrap().risk;
    assert_eq!(
        (risk.status(), risk.flags()),
        (RiskStatus::Deny, &[Flag::BrowserTor][..])
    );
    for _ in 0..2 {
        let forced = logins.confirm(id, 1, "yes");
        assert!(matches!(forced, Err(ConfirmError::Forbidden)));
    }
    let got = logins.redeem(id, &created.token);
    assert!(matches!(
        got,
        Err(RedeemError::NotConfirmed(Status::Blocked))
    ));
    assert_eq!(logins.world.count("qr_forbidden_confirmed"), 1);
}

#[test]
fn repeated_denials_warn_about_the_address_and_lock_no_name() {
    let logins = Logins::new();
    for _ in 0..3 {
        let id = logins.create().session.id;
        logins
            .initiate_as(id, &mobile_token(1), Some("victim"))
            .unwrap();
        logins.deny(id, 1).unwrap();
        logins.deny(id, 1).unwrap();
    }
    let flags = |address: &str, user: Option<&str>| {
        let id = logins.create_from(Some(SHOP), address).unwrap().session.id;
        let opened = logins.initiate_as(id, &mobile_token(1), user).unwrap();
        opened.phone().unwrap().risk.flags().to_vec()
    };
    assert_eq!(flags(BROWSER, None), [Flag::Denials]);
    // The name that was denied is as free as any other, from anywhere else.
    let victims = flags("203.0.113.99", Some("victim"));
    assert_eq!(victims, flags("203.0.113.99", Some("nobody")));
    assert_eq!(victims, [Flag::NewBrowser]);
    logins.world.pass(DENIAL_WINDOW);
    assert_eq!(flags(BROWSER, None), []);
    assert_eq!(logins.world.count("qr_denied"), 3);
}

#[test]
fn a_browser_is_new_until_it_was_confirmed() {
    let logins = Logins::new();
    for expected in [&[Flag::NewBrowser][..], &[]] {
        let id = logins.create().session.id;
        let opened = logins
            .initiate_as(id, &mobile_token(1), Some("me"))
            .unwrap();
        assert_eq!(opened.phone().unwrap().risk.flags(), expected);
        logins.confirm(id, 1, "yes").unwrap();
    }
}

#[test]
fn strangers_are_told_nothing() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.session.id;
    let foreign = logins.create().token;
    let absent = QrSessionId::from_bytes([9; 16]);
    for (id, token) in [(id, &foreign), (absent, &created.token)] {
        assert!(matches!(logins.status(id, token), Err(WatchError::Unknown)));
        assert!(matches!(
            logins.watch(id, token, 1),
            Err(WatchError::Unknown)
        ));
        assert!(matches!(
            logins.redeem(id, token),
            Err(RedeemError::Unknown)
        ));
        assert!(matches!(
            logins.cancel(id, token),
            Err(CancelError::Unknown)
        ));
    }
    assert!(matches!(
        logins.confirm(id, 1, "yes"),
        Err(ConfirmError::Unknown)
    ));
    assert!(matches!(logins.deny(id, 1), Err(DenyError::Unknown)));
    assert!(matches!(
        logins.initiate(absent),
        Err(InitiateError::Unknown)
    ));
    logins.world.pass(UNSCANNED);
    assert!(matches!(logins.initiate(id), Err(InitiateError::Unknown)));
}

#[test]
fn another_apps_key_opens_nothing() {
    let mut logins = Logins::new();
    let id = logins.create().session.id;
    logins.app.id = app_id("other");
    assert!(matches!(logins.initiate(id), Err(InitiateError::Unknown)));
}

#[test]
fn what_expired_is_told_to_its_own() {
    let logins = Logins::new();
    let created = logins.create();
    let (id, token) = (created.session.id, created.token);
    logins.initiate(id).unwrap();
    logins.world.pass(SCANNED);
    assert!(matches!(
        logins.confirm(id, 1, "yes"),
        Err(ConfirmError::Expired)
    ));
    assert!(matches!(logins.deny(id, 1), Err(DenyError::Expired)));
    assert!(matches!(logins.initiate(id), Err(InitiateError::Expired)));
    assert!(matches!(
        logins.redeem(id, &token),
        Err(RedeemError::Expired)
    ));
    assert!(matches!(
        logins.cancel(id, &token),
        Err(CancelError::Expired)
    ));
    assert_eq!(logins.status(id, &token).unwrap(), Status::Expired);

    let created = logins.create();
    let (id, token) = (created.session.id, created.token);
    logins.initiate(id).unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    logins.world.pass(REDEEMABLE);
    assert!(matches!(
        logins.redeem(id, &token),
        Err(RedeemError::Expired)
    ));
}

#[test]
fn a_cancelled_login_cannot_be_confirmed() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.session.id;
    logins.initiate(id).unwrap();
    logins.cancel(id, &created.token).unwrap();
    let late = logins.confirm(id, 1, "yes");
    assert!(matches!(late, Err(ConfirmError::Ended(Status::Cancelled))));
    let again = logins.cancel(id, &created.token);
    assert!(matches!(again, Err(CancelError::Ended(Status::Cancelled))));
}

#[test]
fn a_push_or_a_history_that_fails_costs_no_login() {
    let mut logins = Logins::new();
    logins.read_only_history = true;
    let created = logins.create();
    let (id, token) = (created.session.id, created.token);
    logins.watch(id, &token, 1).unwrap();
    logins.push.broken.store(true, Ordering::SeqCst);
    logins
        .initiate_as(id, &mobile_token(1), Some("me"))
        .unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(logins.redeem(id, &token).unwrap(), "yes");
    assert_eq!(logins.world.count("qr_push_failed"), 3);
    assert_eq!(logins.world.count("qr_history_failed"), 1);

    let id = logins.create().session.id;
    logins.initiate(id).unwrap();
    logins.deny(id, 1).unwrap();
    assert_eq!(logins.world.count("qr_history_failed"), 2);
}

#[test]
fn a_connection_that_is_gone_is_told_once() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.session.id;
    for n in [1, 2] {
        logins.watch(id, &created.token, n).unwrap();
    }
    logins.push.gone.lock().unwrap().insert(watcher(1));
    logins.initiate(id).unwrap();
    assert_eq!(logins.pokes(), 1);
    let kept = now_or_never(logins.store.find(id, logins.world.now()));
    assert_eq!(kept.unwrap().unwrap().watchers, [watcher(2)]);
}

#[test]
fn a_place_that_came_with_the_request_is_not_asked_for() {
    let logins = Logins::new();
    let request = CreateRequest {
        app: &logins.app,
        origin: Some(SHOP),
        browser: Visitor {
            located: Some(Located::default()),
            ..visitor("192.0.2.66")
        },
        browser_key: None,
    };
    let created = logins
        .with(async |ports| qr::create(ports, request).await)
        .unwrap();
    assert_eq!(created.session.browser.network, NetworkClass::Unknown);
    let opened = logins.initiate(created.session.id).unwrap();
    assert_eq!(opened.phone().unwrap().risk.flags(), [Flag::PlaceUnknown]);
}
