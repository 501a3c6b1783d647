//! Why a webhook got no answer.

use std::error::Error;
use std::io::{self, ErrorKind};

use countersign_domain::delivery::FailureReason;
use countersign_domain::web::address::ForbiddenAddress;
use countersign_domain::web::callback_url::CallbackUrlError;
use thiserror::Error;

use crate::resolver::{LookupError, ResolveError};

/// Why no answer arrived. The message quotes nothing from the receiver, which is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The policy does not allow the URL at the time of sending.
    #[error("refused: {0}")]
    RefusedUrl(CallbackUrlError),
    /// One of the name's addresses is forbidden.
    #[error("refused: {0}")]
    RefusedAddress(ForbiddenAddress),
    /// The name has no known address.
    #[error("not resolved: {0}")]
    Dns(LookupError),
    /// No connection was established: refused, unreachable, or too late.
    #[error("no connection")]
    Connect,
    /// No TLS session was established, most often because the certificate is not valid for the
    /// host.
    #[error("no TLS session")]
    Tls,
    /// Connected, but no answer arrived in time.
    #[error("no answer in time")]
    Timeout,
    /// The connection broke, or the answer was not HTTP.
    #[error("the connection broke or carried no HTTP")]
    Protocol,
}

impl Failure {
    /// Returns the reason that callers see.
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

    /// Classifies an error of the HTTP client by the types of its causes, never by their texts.
    pub(super) fn from_reqwest(error: &reqwest::Error) -> Self {
        let resolve_error = causes(error).find_map(|cause| cause.downcast_ref::<ResolveError>());
        if let Some(error) = resolve_error {
            return (*error).into();
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

impl From<ResolveError> for Failure {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Refused(address) => Self::RefusedAddress(address),
            ResolveError::RefusedName => Self::RefusedUrl(CallbackUrlError::HostForbidden),
            ResolveError::Lookup(error) => Self::Dns(error),
        }
    }
}

/// Returns the chain of an error's causes.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

/// Returns whether the error is a TLS error, directly or wrapped in an IO error.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    error.is::<rustls::Error>() || wrapped_io(error).any(<dyn Error>::is::<rustls::Error>)
}

/// Returns whether the connection ended too early. While connecting, only a handshake can report this.
fn is_early_end(error: &(dyn Error + 'static)) -> bool {
    let ended = |error: &(dyn Error + 'static)| {
        error
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == ErrorKind::UnexpectedEof)
    };
    ended(error) || wrapped_io(error).any(ended)
}

/// Returns the errors wrapped in an IO error, which `source` skips.
fn wrapped_io<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let inner = |error: &'a (dyn Error + 'static)| {
        let wrapped = error.downcast_ref::<io::Error>()?.get_ref()?;
        Some(wrapped as &(dyn Error + 'static))
    };
    std::iter::successors(inner(error), move |wrapped| inner(*wrapped))
}
