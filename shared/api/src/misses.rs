//! Who asks for sessions that are not theirs, again and again, and who opens more than anybody
//! needs.
//!
//! Ids have 128 random bits and tokens 256, so that nobody guesses one; what is bounded here is
//! what trying costs us. Each instance of a function counts for itself and forgets when it ends,
//! so that on AWS the bound is one of each instance, not of the deployment.
//!
//! Misses are counted for each page by itself, as far as its `Origin` tells: a page that misses on
//! purpose, in the browsers of its visitors, must not keep them from logging in elsewhere. Whoever
//! is no browser can name any origin, and is held by the bound on the whole address.

mod counter;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::qr_session::AddressBlock;
use countersign_domain::time::Timestamp;
use http::header::ORIGIN;
use http::{HeaderMap, Method, StatusCode};
use sha2::{Digest as _, Sha256};

use counter::Counter;

use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;
use crate::viewer::Viewer;

/// How many keys are remembered by each counter: a megabyte or so.
const MOST_KEYS: usize = 10_000;

/// How many misses of one page, at one address, are answered within a minute.
const MISSES_OF_A_PAGE: u32 = 30;

/// How many misses from one address are.
const MISSES: u32 = 300;

/// How many sessions may be opened from one address within a minute: ten a second, for the people
/// behind one line.
const OPENED: u32 = 600;

/// Who calls, as far as bounds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    block: AddressBlock,
    /// Of this very machine: a bound on the developer's own trials would help nobody.
    is_here: bool,
    page: Page,
}

/// A hash of `Origin`; all without one are one.
type Page = [u8; 8];

impl Caller {
    pub(crate) fn of(viewer: &Viewer, headers: &HeaderMap) -> Self {
        let mut page = [0; 8];
        if let Some(origin) = headers.get(ORIGIN) {
            page.copy_from_slice(&Sha256::digest(origin.as_bytes())[..8]);
        }
        Self {
            block: AddressBlock::of(viewer.address),
            is_here: viewer.address.is_loopback(),
            page,
        }
    }

    /// The block of addresses that it is of.
    pub(crate) const fn block(&self) -> AddressBlock {
        self.block
    }
}

/// Whether callers are held to the limits of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RateLimits {
    /// Every limit applies.
    #[default]
    Enforced,
    /// No limit applies: for tests of load and of the protocol against a server on loopback.
    Lifted,
}

/// Who missed how often, and who opened how many.
pub(crate) struct Misses {
    limits: RateLimits,
    of_pages: Mutex<Counter<(AddressBlock, Page)>>,
    of_blocks: Mutex<Counter<AddressBlock>>,
    opened: Mutex<Counter<AddressBlock>>,
}

impl Misses {
    /// Counters at zero.
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            of_pages: Mutex::new(Counter::new(MOST_KEYS, MISSES_OF_A_PAGE)),
            of_blocks: Mutex::new(Counter::new(MOST_KEYS, MISSES)),
            opened: Mutex::new(Counter::new(MOST_KEYS, OPENED)),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Misses {
    /// Refuses a caller who missed too often.
    pub(crate) fn admit(&self, caller: Caller, now: Timestamp) -> Result<(), Problem> {
        if self.limits == RateLimits::Lifted {
            return Ok(());
        }
        let of_page = locked(&self.of_pages).wait((caller.block, caller.page), now);
        let of_block = locked(&self.of_blocks).wait(caller.block, now);
        match of_page.max(of_block) {
            Some(wait) => Err(too_many(ProblemCode::TooManyMisses, wait)),
            None => Ok(()),
        }
    }

    /// Counts a miss.
    pub(crate) fn count(&self, caller: Caller, now: Timestamp) {
        locked(&self.of_pages).count((caller.block, caller.page), now);
        locked(&self.of_blocks).count(caller.block, now);
    }

    /// Refuses a caller who opened too many sessions.
    fn admit_opening(&self, caller: Caller, now: Timestamp) -> Result<(), Problem> {
        match locked(&self.opened).wait(caller.block, now) {
            _ if self.limits == RateLimits::Lifted => Ok(()),
            Some(wait) => Err(too_many(ProblemCode::TooManySessions, wait)),
            None => Ok(()),
        }
    }

    fn count_opening(&self, caller: Caller, now: Timestamp) {
        if !caller.is_here {
            locked(&self.opened).count(caller.block, now);
        }
    }
}

fn too_many(code: ProblemCode, wait: Duration) -> Problem {
    Problem::new(code)
        .detail("Wait for as long as Retry-After says.")
        .retry_after(wait)
}

/// Refuses requests to the routes of login sessions from where too many missed, before anything
/// is looked up for them; counts those that miss; and leaves where a request came from for the
/// handlers. Other requests pass.
pub(crate) async fn guard(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    if !is_about_a_session(&request) {
        return next.run(request).await;
    }
    let viewer = match state.logins() {
        Ok(_) if *request.method() == Method::OPTIONS => return next.run(request).await,
        Ok(logins) => Viewer::of(&logins.viewers, &request),
        Err(problem) => Err(problem),
    };
    let viewer = match viewer {
        Ok(viewer) => viewer,
        Err(problem) => return problem.into_response(),
    };
    let (misses, now) = (state.misses(), state.clock.now());
    let caller = Caller::of(&viewer, request.headers());
    let opens = opens_a_session(&request);
    let admitted = misses.admit(caller, now).and_then(|()| {
        if opens {
            misses.admit_opening(caller, now)
        } else {
            Ok(())
        }
    });
    if let Err(problem) = admitted {
        return problem.into_response();
    }
    request.extensions_mut().insert(viewer);
    let response = next.run(request).await;
    if response.extensions().get().is_some_and(is_miss) {
        misses.count(caller, now);
    }
    if opens && response.status() == StatusCode::OK {
        misses.count_opening(caller, now);
    }
    response
}

/// Whether the request was matched to a route of login sessions.
fn is_about_a_session(request: &Request) -> bool {
    route(request).starts_with("/qr-sessions")
}

fn opens_a_session(request: &Request) -> bool {
    route(request) == "/qr-sessions" && *request.method() == Method::POST
}

fn route(request: &Request) -> &str {
    let route = request.extensions().get().map_or("", MatchedPath::as_str);
    route.strip_prefix("/v1").unwrap_or(route)
}

/// Whether the caller has shown to belong to no session, or to no app. What was refused before
/// anything was looked up cost nothing, and is none.
fn is_miss(problem: &Problem) -> bool {
    matches!(
        problem.code(),
        ProblemCode::SessionNotFound | ProblemCode::AppKeyUnknown
    )
}
