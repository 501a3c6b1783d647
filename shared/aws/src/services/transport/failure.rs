//! The errors of exchanges, which decide whether the SDK repeats a call.

use std::error::Error;
use std::io;

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::retry::ErrorKind;

/// A request that cannot be sent, and is not repeated.
pub(super) fn of_request(error: impl Into<BoxError>) -> ConnectorError {
    ConnectorError::user(error.into())
}

/// A connection that could not be made.
pub(super) fn of_connection(error: io::Error) -> ConnectorError {
    ConnectorError::io(error.into())
}

/// A connection, or an answer, that took too long.
pub(super) fn of_timeout(error: tokio::time::error::Elapsed) -> ConnectorError {
    ConnectorError::timeout(error.into())
}

/// An exchange that broke off.
pub(super) fn of_exchange(error: hyper::Error) -> ConnectorError {
    if error.is_user() {
        ConnectorError::user(error.into())
    } else if error.is_timeout() {
        ConnectorError::timeout(error.into())
    } else if error.is_incomplete_message() {
        // The service closed a kept connection while the request was under way.
        ConnectorError::other(error.into(), Some(ErrorKind::TransientError))
    } else if error.is_closed() || error.is_canceled() || has_io(&error) {
        ConnectorError::io(error.into())
    } else {
        ConnectorError::other(error.into(), None)
    }
}

/// Returns whether an error of the network caused it.
fn has_io(error: &hyper::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = cause {
        if error.is::<io::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}
