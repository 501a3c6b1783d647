//! Logins by QR code or app link.

use std::fmt;
use std::future::Future;

use futures_util::stream::BoxStream;
use http::Method;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::callback::{FindKey, once};
use crate::error::{BoxError, Error, LoginRefused};
use crate::inner::Inner;
use crate::lists::{List, ListLogins};
use crate::options;
use crate::proof::{self, BrowserEvidence, Expected, KnownKey, Login};
use crate::request::{Request, path_of, read, text_member};
use crate::store::{self, WEBHOOK_TTL, login_webhook_id};
use crate::types::{CreateLogin, InspectedLogin, LoginPage, NewLogin};

const LIST: List = List {
    path: "qr-sessions",
    member: "sessions",
    item: "login",
};

/// API calls for logins.
#[derive(Clone, Copy)]
pub struct Logins<'a>(pub(crate) &'a Inner);

/// The data from a page's event `confirmed`, which the page posts to your server. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoginDetail {
    /// The id of the login.
    pub session_id: String,
    /// The payload that the browser redeemed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// The salt of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// The proof of who confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

impl fmt::Debug for LoginDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginDetail")
            .field("session_id", &self.session_id)
            .finish_non_exhaustive()
    }
}

/// The expected properties of a login.
#[derive(Debug, Clone)]
pub struct LoginExpectation {
    origin: String,
    context: Option<String>,
    opened_by_server: bool,
}

impl LoginExpectation {
    /// Expects a login of a page with this origin.
    #[must_use]
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            context: None,
            opened_by_server: false,
        }
    }

    /// Sets the text with which you created the login.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Expects neither payload nor salt. **Only for an id that your server opened itself, for this browser, and took
    /// from its own record**: an id from a page proves nothing.
    #[must_use]
    pub fn opened_by_server(mut self) -> Self {
        self.opened_by_server = true;
        self
    }
}

impl<'a> Logins<'a> {
    /// Creates a login on behalf of the browser.
    ///
    /// `browser_token` is 32 random bytes in base64url, generated for this login. Keep it in the browser's own session
    /// on your server: it redeems the payload. Repeating a call with the same token and key returns the same answer.
    /// Compare `session_id` with the id that you compute before you show `url`, and count down from `expires_in`.
    pub fn create(self, browser_token: &str, request: CreateLogin) -> Call<'a, NewLogin> {
        let token = options::key("browser_token", browser_token);
        Call::new(self.0.limits(), move |limits| async move {
            let request = Request::post(path_of(&["qr-sessions"])?, &request)?.bearer(&token?)?;
            let answer = self.0.service.call(request, limits).await?;
            let id = login_webhook_id(text_member(&answer, "sessionId")?);
            let created = read(answer, "login")?;
            store::remember(&*self.0.store, &id, WEBHOOK_TTL, async { Ok(()) }).await?;
            Ok(created)
        })
    }

    /// Reads a login. Nothing in the answer logs a user in: an id proves nothing, because it is
    /// shown on a screen.
    pub fn get(self, id: &str) -> Call<'a, InspectedLogin> {
        let path = path_of(&["qr-sessions", id]);
        Call::new(self.0.limits(), move |limits| async move {
            read(
                self.0.service.call(Request::get(path?), limits).await?,
                "login",
            )
        })
    }

    /// Returns one page, with the start of the next one in `next_cursor`.
    pub fn page(self, query: ListLogins) -> Call<'a, LoginPage> {
        Call::new(self.0.limits(), move |limits| async move {
            let page = LIST.page(self.0, query.members(), limits).await?;
            Ok(LoginPage {
                logins: page.items,
                next_cursor: page.next_cursor,
            })
        })
    }

    /// Returns all logins that match, page by page. The service keeps a login for less than half an hour: the
    /// list shows current problems, not a history.
    #[must_use]
    pub fn list(self, query: ListLogins) -> BoxStream<'a, Result<InspectedLogin, Error>> {
        LIST.all(self.0, query.members())
    }

    /// Cancels a login that has not ended.
    pub fn cancel(self, id: &str) -> Call<'a, ()> {
        let path = path_of(&["qr-sessions", id]);
        Call::new(self.0.limits(), move |limits| async move {
            let mut request = Request::new(Method::DELETE, path?);
            request.may_be_empty = true;
            self.0.service.call(request, limits).await.map(|_| ())
        })
    }

    /// Returns who confirmed a login, and verifies that this browser redeemed its payload.
    ///
    /// The call has no side effects: accept each `session_id` only once, as
    /// [`LoginHandler`](crate::handlers::LoginHandler) does. `find_key` gets a key id and returns the key if one of
    /// your users registered it, otherwise `None`.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Login`] if the login is not proven, even if the page got no salt and no proof.
    pub async fn verify<E, F>(
        self,
        detail: &LoginDetail,
        expected: &LoginExpectation,
        find_key: impl FnOnce(String) -> F + Send,
    ) -> Result<Login, Error>
    where
        F: Future<Output = Result<Option<KnownKey>, E>> + Send,
        E: Into<BoxError>,
    {
        self.verify_with(detail, expected, once(find_key)).await
    }

    pub(crate) async fn verify_with(
        self,
        detail: &LoginDetail,
        expected: &LoginExpectation,
        find_key: FindKey<'_>,
    ) -> Result<Login, Error> {
        let app_key = self.0.require_app_key()?;
        let origin = options::origin(&expected.origin)?;
        let proof = detail
            .proof
            .as_deref()
            .ok_or_else(|| LoginRefused::because("there is no proof"))?;
        let brought = match (&detail.payload, &detail.salt) {
            (Some(payload), Some(salt)) => Some(BrowserEvidence { payload, salt }),
            (None, None) if expected.opened_by_server => None,
            _ => return Err(LoginRefused::because("payload or salt is missing").into()),
        };
        let expected = Expected {
            app_key,
            origin,
            session_id: &detail.session_id,
            context: expected.context.as_deref(),
        };
        self.prove(proof, brought.as_ref(), find_key, &expected, None)
            .await
    }

    /// Verifies a proof at a time in seconds since 1970, by default the service's time.
    pub(crate) async fn prove(
        self,
        proof: &str,
        brought: Option<&BrowserEvidence<'_>>,
        find_key: FindKey<'_>,
        expected: &Expected<'_>,
        at: Option<f64>,
    ) -> Result<Login, Error> {
        let key_id = proof::named_key(proof)?;
        let key = find_key(key_id).await.map_err(Error::Callback)?;
        let key = key.ok_or_else(|| LoginRefused::because("the key is unknown"))?;
        let now = match at {
            Some(at) => at,
            None => self.0.keys.time().await,
        };
        proof::verify(proof, brought, &key, expected, now)
    }
}

impl fmt::Debug for Logins<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logins")
    }
}
