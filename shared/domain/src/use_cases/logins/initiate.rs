//! Opening logins on a phone: `POST /qr-sessions/{id}/initiate`.

use super::{LoginError, LoginPorts, Visitor};
use crate::app::App;
use crate::delivery::Decision;
use crate::event::LoginEvent;
use crate::login::history::{HistoryQuery, NamedUser};
use crate::login::risk::{History, PersonHistory, RiskStatus};
use crate::login::transitions;
use crate::login::{
    BrowserBinding, CheckCode, ClaimedUserId, Login, MobileToken, Phone, Refusal, ReturnLink,
    ReturnToken, Status, risk,
};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A request to open a login.
#[derive(Clone, Debug)]
pub struct InitiateRequest<'a> {
    /// The app whose key the request contains.
    pub app: &'a App,
    /// Id from the QR code.
    pub id: LoginId,
    /// Token that the phone chose to prove itself later.
    pub token: &'a MobileToken,
    pub phone: Visitor,
    /// True if a test key opens the code, instead of a phone with the app key. A test key opens only tests, and a
    /// phone cannot open tests.
    pub test: bool,
    /// True if the phone can return to the page that shows the link.
    pub can_return: bool,
    /// The user that the phone claims to have, if any. [`ANONYMOUS`](crate::login::user::ANONYMOUS)
    /// counts as no user.
    pub user: Option<ClaimedUserId>,
}

/// A login that the phone opened, now or earlier.
#[derive(Clone, Debug)]
pub struct Initiated {
    pub login: Login,
    /// The link that the app opens after the confirmation, if it returns to the browser.
    pub return_link: Option<ReturnLink>,
    /// Time of the answer, with which the phone corrects its own clock.
    pub server_time: Timestamp,
}

/// Opens a login, assesses its risk, and returns it so that the phone can show the confirmation screen.
/// Repeating this with the same token and user returns the same login, with the same check code.
///
/// # Errors
///
/// Fails if the app has no such login, if the login cannot be opened, or if a port fails.
pub async fn initiate(
    ports: LoginPorts<'_>,
    request: InitiateRequest<'_>,
) -> Result<Initiated, LoginError> {
    loop {
        if let Some(initiated) = initiate_as_read(ports, request.clone()).await? {
            return Ok(initiated);
        }
    }
}

/// Opens a login; `None` if its browser has joined it in the meantime, which can happen only once. The risk that the
/// person sees must be that of the browser that the person sees.
async fn initiate_as_read(
    ports: LoginPorts<'_>,
    request: InitiateRequest<'_>,
) -> Result<Option<Initiated>, LoginError> {
    let ports = ports.uncounted_if(request.test);
    let now = ports.clock.now();
    let read = ports.store.read::<Login>(request.id).await?;
    let is_own = |item: &Login| item.app == request.app.id && item.test == request.test;
    let known = read.entity();
    let Some(found) = known.filter(|item| is_own(item) && now < item.purge_at) else {
        return Err(Refusal::Unknown.into());
    };
    let settings = &request.app.login;
    let found = found.clone().under(settings);
    // A login that expired before it was opened gets the not-found answer, at the same cost.
    if found.phone().is_none() && found.status(now) == Status::Expired {
        return Err(Refusal::Unknown.into());
    }
    let sighting = request.phone.sighting(ports.geo);
    let app = &request.app.id;
    // `ANON` is not a particular user: different people must not share a history.
    let user = request.user.filter(|user| !user.is_anonymous());
    let history = history(ports, &found, user.as_ref(), now).await?;
    let risk = risk::assess(&found.browser, &sighting, settings.risk, &history, now);
    let back = ReturnToken::derive(request.token, request.id);
    let phone = Phone {
        token: request.token.hash(),
        risk: if found.has_seen_browser() {
            risk
        } else {
            risk.about_the_phone()
        },
        sighting,
        user,
        scanned_at: now,
        verified: None,
        binding: binding(ports, &found, request.can_return.then_some(&back)),
    };
    let decide = |current: Option<Login>| {
        let has_changed = |login: &Login| login.is_joined != found.is_joined;
        if current.as_ref().is_some_and(has_changed) {
            return Decision::refuse(Ok(None));
        }
        let current = current.filter(is_own);
        let initiate = |current| transitions::initiate(current, app, phone.clone(), now);
        let refusal = Refusal::Over;
        let Decision { outcome, write } =
            transitions::unless_withdrawn(current, Some(settings), refusal, now, initiate);
        let outcome = outcome.map(Some);
        Decision { outcome, write }
    };
    let (login, opened) = ports.change_read(read, decide, now).await?;
    let Some(login) = login else {
        return Ok(None);
    };
    if opened.is_some() {
        ports.count(LoginEvent::Scanned, Some(app));
        if login.phone().map(|phone| phone.risk.status()) == Some(RiskStatus::Deny) {
            ports.count(LoginEvent::RiskDenied, Some(app));
        }
    }
    let return_link = return_link(&login, &back);
    Ok(Some(Initiated {
        login: *login,
        return_link,
        server_time: now,
    }))
}

/// Returns the history that affects the risk of the login. A test has no history, and must reveal
/// nothing about real users.
async fn history(
    ports: LoginPorts<'_>,
    login: &Login,
    user: Option<&ClaimedUserId>,
    now: Timestamp,
) -> Result<History, Unavailable> {
    let user = user.map(|user| NamedUser::new(user, &login.app, &login.browser));
    if login.test {
        let none = PersonHistory::default();
        return Ok(History {
            name: user.map(|user| user.compare(&none, &none, now)),
            ..History::default()
        });
    }
    let query = HistoryQuery {
        app: login.app.clone(),
        browser: login.browser.block(),
        user,
    };
    ports.store.recent(&query, now).await
}

/// Returns the evidence that the person must show in the browser. A return is stronger evidence than digits, which a
/// stranger may ask the person for.
fn binding(
    ports: LoginPorts<'_>,
    login: &Login,
    back: Option<&ReturnToken>,
) -> Option<BrowserBinding> {
    if let Some(back) = back.filter(|_| login.return_url.is_some()) {
        return Some(BrowserBinding::Return(back.hash()));
    }
    login
        .requires_check_code
        .then(|| BrowserBinding::CheckCode(CheckCode::generate(ports.entropy)))
}

/// Returns the URL that the app opens if this phone returns.
fn return_link(login: &Login, back: &ReturnToken) -> Option<ReturnLink> {
    let returns = login.phone()?.binding == Some(BrowserBinding::Return(back.hash()));
    let page = login.return_url.as_ref().filter(|_| returns)?;
    Some(ReturnLink::new(page, login.id, back))
}
