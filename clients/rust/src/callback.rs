//! Callbacks provided by the library's user.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};

use crate::error::BoxError;
use crate::proof::KnownKey;

/// A callback that may be called repeatedly.
pub(crate) type Callback<A, T = ()> =
    Arc<dyn Fn(A) -> BoxFuture<'static, Result<T, BoxError>> + Send + Sync>;

/// A callback for a single call.
pub(crate) type Once<'a, A, T = ()> =
    Box<dyn FnOnce(A) -> BoxFuture<'a, Result<T, BoxError>> + Send + 'a>;

/// Finds a key by its id; called once.
pub(crate) type FindKey<'a> = Once<'a, String, Option<KnownKey>>;

pub(crate) fn callback<A, T, E, F>(
    function: impl Fn(A) -> F + Send + Sync + 'static,
) -> Callback<A, T>
where
    F: Future<Output = Result<T, E>> + Send + 'static,
    E: Into<BoxError>,
{
    Arc::new(move |argument| {
        function(argument)
            .map(|result| result.map_err(Into::into))
            .boxed()
    })
}

pub(crate) fn once<'a, A, T, E, F>(function: impl FnOnce(A) -> F + Send + 'a) -> Once<'a, A, T>
where
    F: Future<Output = Result<T, E>> + Send + 'a,
    E: Into<BoxError>,
{
    Box::new(move |argument| {
        function(argument)
            .map(|result| result.map_err(Into::into))
            .boxed()
    })
}

/// Calls a callback if there is one.
pub(crate) async fn call_if_given<A>(
    callback: Option<Once<'_, A>>,
    argument: A,
) -> Result<(), BoxError> {
    match callback {
        Some(callback) => callback(argument).await,
        None => Ok(()),
    }
}

/// Returns a callback for a single call.
pub(crate) fn shared<'a, A: Send + 'static, T: 'static>(
    callback: &Callback<A, T>,
) -> Once<'a, A, T> {
    let callback = Arc::clone(callback);
    Box::new(move |argument| callback(argument))
}
