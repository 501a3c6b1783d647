//! A request's body, read whole before anything else looks at the request: an answer given with
//! half a body unread may never reach a caller who is still sending.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};

use http_body_util::BodyExt as _;

use crate::problem::{Problem, ProblemCode};

/// The longest body that is taken, in bytes.
pub const MAX_BODY: usize = 16 * 1024;

/// How much of a longer body is read and thrown away before the connection is closed on it.
pub const DRAINED: usize = 256 * 1024;

/// How long a body may take to arrive.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What came of reading a body.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    /// The body, or why it cannot be used.
    pub(crate) body: Result<Bytes, BodyFault>,
    /// Whether the rest was left unread, so that the connection is of no more use.
    pub(crate) cut_off: bool,
}

/// Why a body cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFault {
    TooLarge,
    Late,
    Broken,
}

impl From<BodyFault> for Problem {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::TooLarge => Self::new(ProblemCode::BodyTooLarge)
                .detail(format!("Send at most {MAX_BODY} bytes.")),
            BodyFault::Late => Self::new(ProblemCode::BodyTimeout).detail(format!(
                "The whole body must arrive within {} seconds.",
                PATIENCE.as_secs()
            )),
            BodyFault::Broken => Self::new(ProblemCode::BodyIncomplete),
        }
    }
}

/// Reads a body. `waits` tells that the caller sends it only when asked to (`Expect:
/// 100-continue`), so that one known to be too large need not be sent at all.
pub(crate) async fn read(body: Body, waits: bool) -> Arrived {
    let failed = |fault, cut_off| Arrived {
        body: Err(fault),
        cut_off,
    };
    if body.is_end_stream() {
        return Arrived {
            body: Ok(Bytes::new()),
            cut_off: false,
        };
    }
    if waits && body.size_hint().lower() > MAX_BODY as u64 {
        return failed(BodyFault::TooLarge, true);
    }
    match tokio::time::timeout(PATIENCE, collect(body)).await {
        Ok(arrived) => arrived,
        Err(_) => failed(BodyFault::Late, true),
    }
}

async fn collect(mut body: Body) -> Arrived {
    let mut length = 0_usize;
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Arrived {
                body: Err(BodyFault::Broken),
                cut_off: true,
            };
        };
        // Trailers say nothing that we use.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length > DRAINED {
            return Arrived {
                body: Err(BodyFault::TooLarge),
                cut_off: true,
            };
        }
        if length > MAX_BODY {
            continue;
        }
        if length == data.len() {
            // As a rule the body comes in one piece, which needs no copy.
            first = data;
        } else {
            if rest.is_empty() {
                rest.extend_from_slice(&first);
            }
            rest.extend_from_slice(&data);
        }
    }
    let body = match length {
        _ if length > MAX_BODY => Err(BodyFault::TooLarge),
        _ if rest.is_empty() => Ok(first),
        _ => Ok(rest.freeze()),
    };
    Arrived {
        body,
        cut_off: false,
    }
}
