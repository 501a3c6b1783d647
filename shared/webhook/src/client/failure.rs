//! Why a webhook got no answer.

use std::error::Error;
use std::io::{self, ErrorKind};

use countersign_domain::delivery::FailureReason;
use countersign_domain::web::address::ForbiddenAddress;
use countersign_domain::web::callback_url::CallbackUrlError;
use thiserror::Error;

use crate::resolver::{LookupError, ResolveError};

/// Why no answer came. What the receiver's side said is not part of it: it is a stranger's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The policy does not allow the URL, at the time of sending.
    #[error("refused: {0}")]
    RefusedUrl(CallbackUrlError),
    /// One of the name's addresses must not be reached.
    #[error("refused: {0}")]
    RefusedAddress(ForbiddenAddress),
    /// The name led to no address.
    #[error("not resolved: {0}")]
    Dns(LookupError),
    /// No connection: refused, unreachable, or not there in time.
    #[error("no connection")]
    Connect,
    /// No TLS session: most often a certificate that is not valid for the host.
    #[error("no TLS session")]
    Tls,
    /// Connected, but no answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The connection broke, or what came was not HTTP.
    #[error("the connection broke or carried no HTTP")]
    Protocol,
}

impl Failure {
    /// The reason as callers see it.
    #[must_use]
    pub const fn reason(self) -> FailureReason {
        match self {
            Self::RefusedUrl(_) => FailureReason::AddressRefused,
            Self::RefusedAddress(_) => FailureReason::DnsAddressRefused,
            Self::Dns(_) => FailureReason::NameNotResolved,
            Self::Connect => FailureReason::ConnectFailed,
            Self::Tls => FailureReason::TlsFailed,
            Self::Timeout => FailureReason::TimedOut,
            Self::Protocol => FailureReason::ProtocolError,
        }
    }

    /// Reads what the HTTP client says. Its own words are not looked at, only the types of the
    /// errors that caused each other.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        let resolve_error = causes(error).find_map(|cause| cause.downcast_ref::<ResolveError>());
        match resolve_error {
            Some(ResolveError::Refused(address)) => return Self::RefusedAddress(*address),
            Some(ResolveError::RefusedName) => {
                return Self::RefusedUrl(CallbackUrlError::HostForbidden);
            }
            Some(ResolveError::Lookup(error)) => return Self::Dns(*error),
            None => {}
        }
        if causes(error).any(is_tls) {
            Self::Tls
        } else if error.is_connect() {
            if causes(error).any(is_early_end) {
                Self::Tls
            } else {
                Self::Connect
            }
        } else if error.is_timeout() {
            Self::Timeout
        } else {
            Self::Protocol
        }
    }
}

/// What caused an error, and what caused that, and so on.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

/// Whether an error is TLS's, in itself or wrapped as one of IO.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    error.is::<rustls::Error>() || wrapped_io(error).any(<dyn Error>::is::<rustls::Error>)
}

/// Whether a connection ended where more was to come. While one is being made, only a handshake
/// can say so.
fn is_early_end(error: &(dyn Error + 'static)) -> bool {
    let ended = |error: &(dyn Error + 'static)| {
        error
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == ErrorKind::UnexpectedEof)
    };
    ended(error) || wrapped_io(error).any(ended)
}

/// The errors wrapped in one of IO, which `source` passes over.
fn wrapped_io<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let inner = |error: &'a (dyn Error + 'static)| {
        let wrapped = error.downcast_ref::<io::Error>()?.get_ref()?;
        Some(wrapped as &(dyn Error + 'static))
    };
    std::iter::successors(inner(error), move |wrapped| inner(*wrapped))
}
