//! The one session of a run: who may use the console, and for how long.
//!
//! A code that works once turns into a cookie and a second secret. Pages of other ports of this machine get the
//! cookie too, but never the second one, which the page sends in a header.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, header};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::token::{Holder, Token};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::own_pages::only;

/// Time for which the code works.
pub(super) const CODE_VALIDITY: Duration = Duration::from_mins(2);

/// Number of wrong codes that the person hears of. They do not spend the right code, or any user of the machine could
/// keep others out, and a code of 256 bits cannot be guessed.
pub(super) const MANY_WRONG_CODES: u32 = 10;

/// Time without a request after which the session is over. A page that is visible sends one every few seconds.
pub(super) const IDLE: Duration = Duration::from_hours(4);

/// The header with the page's secret.
pub(super) const SECRET_HEADER: HeaderName = HeaderName::from_static("countersign-console");

/// The code in the link.
#[derive(Debug)]
pub(super) enum Code {}

impl Holder for Code {
    const DOMAIN: &'static [u8] = b"countersign console code";
    const NAME: &'static str = "ConsoleCode";
}

/// The cookie.
#[derive(Debug)]
enum Cookie {}

impl Holder for Cookie {
    const DOMAIN: &'static [u8] = b"countersign console cookie";
    const NAME: &'static str = "ConsoleCookie";
}

/// The page's secret.
#[derive(Debug)]
enum Page {}

impl Holder for Page {
    const DOMAIN: &'static [u8] = b"countersign console page";
    const NAME: &'static str = "ConsolePage";
}

/// The session of a run, in memory only.
#[derive(Debug)]
pub(super) struct Session {
    run: String,
    code: Token<Code>,
    cookie: Token<Cookie>,
    page: Token<Page>,
    progress: Mutex<Progress>,
    /// The number of wrong codes.
    wrong: AtomicU32,
    changed: Notify,
}

#[derive(Clone, Copy, Debug)]
enum Progress {
    /// The code was not used yet.
    Waiting {
        until: Instant,
    },
    /// The code was used.
    Open {
        last_request: Instant,
    },
    Over(Ended),
}

/// Why a session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The code was not used in time.
    NotOpened,
    /// No request came for hours.
    Idle,
}

/// A code that opens nothing: the number of such codes so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrongCode(pub(super) u32);

/// The secrets that the page gets for its code.
pub(super) struct Granted {
    pub(super) run: String,
    pub(super) secret: String,
    /// The value of `Set-Cookie`.
    pub(super) cookie: String,
}

impl Session {
    pub(super) fn begin(entropy: &dyn Entropy) -> Self {
        let mut run = [0; 8];
        entropy.fill(&mut run);
        Self {
            run: format!("{:016x}", u64::from_be_bytes(run)),
            code: Token::generate(entropy),
            cookie: Token::generate(entropy),
            page: Token::generate(entropy),
            progress: Mutex::new(Progress::Waiting {
                until: Instant::now() + CODE_VALIDITY,
            }),
            wrong: AtomicU32::new(0),
            changed: Notify::new(),
        }
    }

    /// Returns the code, for the link.
    pub(super) fn code(&self) -> String {
        self.code.reveal()
    }

    /// Exchanges the code, unless it is wrong, was used or is too old.
    pub(super) fn exchange(&self, code: &str) -> Result<Granted, WrongCode> {
        let now = Instant::now();
        let given = code.parse::<Token<Code>>();
        let is_right = given.is_ok_and(|given| given == self.code);
        let mut progress = self.progress(now);
        if !is_right || !matches!(*progress, Progress::Waiting { .. }) {
            let before = self.wrong.fetch_add(1, Ordering::Relaxed);
            return Err(WrongCode(before.saturating_add(1)));
        }
        *progress = Progress::Open { last_request: now };
        drop(progress);
        self.changed.notify_waiters();
        Ok(Granted {
            run: self.run.clone(),
            secret: self.page.reveal(),
            cookie: format!(
                "{}={}; HttpOnly; SameSite=Strict; Path=/",
                self.cookie_name(),
                self.cookie.reveal()
            ),
        })
    }

    /// Returns whether a request belongs to the session, and keeps the session open if so.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        let now = Instant::now();
        let secret = only(headers, SECRET_HEADER).and_then(|text| text.parse::<Token<Page>>().ok());
        let is_own = self.has_cookie(headers) & secret.is_some_and(|given| given == self.page);
        let mut progress = self.progress(now);
        match &mut *progress {
            Progress::Open { last_request } if is_own => {
                *last_request = now;
                true
            }
            _ => false,
        }
    }

    /// Waits until the session is over.
    pub(super) async fn ended(&self) -> Ended {
        loop {
            let changed = self.changed.notified();
            let until = match *self.progress(Instant::now()) {
                Progress::Over(why) => return why,
                Progress::Waiting { until } => until,
                Progress::Open { last_request } => last_request + IDLE,
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }

    fn cookie_name(&self) -> String {
        format!("countersign-console-{}", self.run)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let lines = headers.get_all(header::COOKIE).iter();
        lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split("; "))
            .filter_map(|pair| pair.split_once('='))
            .filter(|(given, _)| *given == name)
            .filter_map(|(_, value)| value.parse::<Token<Cookie>>().ok())
            .any(|given| given == self.cookie)
    }

    /// Returns the progress, after ending what has run out of time.
    fn progress(&self, now: Instant) -> MutexGuard<'_, Progress> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        match *progress {
            Progress::Waiting { until } if until <= now => {
                *progress = Progress::Over(Ended::NotOpened);
            }
            Progress::Open { last_request } if last_request + IDLE <= now => {
                *progress = Progress::Over(Ended::Idle);
            }
            _ => {}
        }
        progress
    }
}
