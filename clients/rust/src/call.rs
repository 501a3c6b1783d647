//! API calls, which are sent when awaited.

use std::fmt;
use std::future::{Future, IntoFuture};

use futures_util::future::{BoxFuture, FutureExt as _};

use crate::error::Error;
use crate::retry::Limits;

/// Defines the methods that set the limits of a call, and documents their defaults.
macro_rules! limit_setters {
    ($default:literal) => {
        limit_setters!($default, $default);
    };
    ($timeout:literal, $retries:literal) => {
        /// Sets the maximum duration of a call, including all attempts and the waits between them.
        #[doc = $timeout]
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.limits.timeout = timeout;
            self
        }

        /// Sets the maximum number of retries of a call.
        #[doc = $retries]
        pub fn max_retries(mut self, retries: u32) -> Self {
            self.limits.max_retries = retries;
            self
        }
    };
}
pub(crate) use limit_setters;

/// A call to the service. The request is sent when this is awaited.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'a, T> {
    limits: Limits,
    run: Box<dyn FnOnce(Limits) -> BoxFuture<'a, Result<T, Error>> + Send + 'a>,
}

impl<'a, T> Call<'a, T> {
    pub(crate) fn new<F>(limits: Limits, run: impl FnOnce(Limits) -> F + Send + 'a) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'a,
    {
        Self {
            limits,
            run: Box::new(move |limits| run(limits).boxed()),
        }
    }

    limit_setters!("The client's by default.");
}

impl<'a, T> IntoFuture for Call<'a, T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        (self.run)(self.limits)
    }
}

impl<T> fmt::Debug for Call<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
