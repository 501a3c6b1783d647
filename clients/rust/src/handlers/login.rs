//! Logs browsers in.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use http::StatusCode;

use super::{Refusal, Reply, check};
use crate::callback::{Callback, callback, shared};
use crate::client::Countersign;
use crate::error::{BoxError, Error};
use crate::inner::Inner;
use crate::logins::{LoginDetail, LoginExpectation, Logins};
use crate::options;
use crate::proof::{KnownKey, Login};
use crate::store::{self, Acceptance, LOGIN_TTL};
use crate::webhooks::Headers;

/// Logs browsers in with the data of the page's event `confirmed`, each login only once. Clones share the
/// callback.
#[derive(Clone)]
pub struct LoginHandler {
    client: Arc<Inner>,
    origin: String,
    find_key: Callback<String, Option<KnownKey>>,
}

/// Options of a login handler.
#[must_use = "`find_key` returns the handler"]
pub struct LoginHandlerBuilder {
    client: Arc<Inner>,
    origin: String,
}

impl LoginHandler {
    /// Returns a builder for pages with this origin.
    pub fn builder(client: &Countersign, origin: impl Into<String>) -> LoginHandlerBuilder {
        LoginHandlerBuilder {
            client: Arc::clone(&client.inner),
            origin: origin.into(),
        }
    }

    /// Answers a request. `headers` are pairs of name and value, such as `&http::HeaderMap`.
    ///
    /// `act` gets the user who confirmed, and sets the session. It runs once for each login; if it fails, the
    /// browser may retry.
    ///
    /// # Errors
    ///
    /// Fails with the answer for the browser if the browser is not logged in.
    pub async fn answer<N: AsRef<str>, V: AsRef<[u8]>, T: Send, E, F>(
        &self,
        method: impl AsRef<str>,
        headers: impl IntoIterator<Item = (N, V)>,
        body: &[u8],
        act: impl FnOnce(Login) -> F + Send,
    ) -> Result<T, Reply>
    where
        F: Future<Output = Result<T, E>> + Send,
        E: Into<BoxError>,
    {
        let headers = Headers::new(headers);
        let method = method.as_ref().to_owned();
        let (posted, login) = match self.verify(&method, &headers, body).await {
            Ok(verified) => verified,
            Err(refusal) => return Err(refusal.reply()),
        };
        let answer = Mutex::new(None);
        let logged_in = async {
            let value = act(login).await.map_err(Into::into)?;
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        };
        self.accept(&posted.session_id, logged_in)
            .await
            .map_err(Refusal::reply)?;
        let answer = answer.into_inner().unwrap_or_else(PoisonError::into_inner);
        answer.ok_or_else(|| used_before().reply())
    }

    async fn verify(
        &self,
        method: &str,
        headers: &Headers,
        body: &[u8],
    ) -> Result<(LoginDetail, Login), Refusal> {
        check(method, headers, body)?;
        // Otherwise another site could log its visitors in here.
        if headers.get("origin") != Some(self.origin.as_str()) {
            let reason = "the request comes from another page".to_owned();
            return Err(Refusal::because(
                StatusCode::FORBIDDEN,
                "not logged in",
                reason,
            ));
        }
        let not_a_login = || Refusal::new(StatusCode::BAD_REQUEST, "not a login");
        let detail: LoginDetail = serde_json::from_slice(body).map_err(|_| not_a_login())?;
        if detail.payload.is_none() || detail.salt.is_none() || detail.proof.is_none() {
            return Err(not_a_login());
        }
        let expected = LoginExpectation::new(&self.origin);
        let find_key = shared(&self.find_key);
        let login = Logins(&self.client)
            .verify_with(&detail, &expected, find_key)
            .await;
        let login = login.map_err(|error| match error {
            Error::Login(refused) => {
                Refusal::because(StatusCode::FORBIDDEN, "not logged in", refused.reason)
            }
            error => error.into(),
        })?;
        Ok((detail, login))
    }

    async fn accept(
        &self,
        id: &str,
        act: impl Future<Output = Result<(), BoxError>> + Send,
    ) -> Result<(), Refusal> {
        // Done only now, so that a refused proof does not use up the login.
        store::remember(&*self.client.store, id, LOGIN_TTL, async { Ok(()) }).await?;
        match store::accept(&*self.client.store, id, act).await? {
            Acceptance::Accepted => Ok(()),
            Acceptance::Repeated | Acceptance::Unknown => Err(used_before()),
        }
    }
}

impl LoginHandlerBuilder {
    /// Builds the handler. `find_key` gets a key id, and returns the key if one of your users registered it,
    /// otherwise `None`.
    ///
    /// # Errors
    ///
    /// Fails if the client has no app key, or if the origin is malformed.
    pub fn find_key<E, F>(
        self,
        find_key: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Result<LoginHandler, Error>
    where
        F: Future<Output = Result<Option<KnownKey>, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.client.require_app_key()?;
        options::origin(&self.origin)?;
        Ok(LoginHandler {
            client: self.client,
            origin: self.origin,
            find_key: callback(find_key),
        })
    }
}

impl fmt::Debug for LoginHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginHandler")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for LoginHandlerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginHandlerBuilder")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

fn used_before() -> Refusal {
    let reason = "the login was used before".to_owned();
    Refusal::because(StatusCode::FORBIDDEN, "not logged in", reason)
}
