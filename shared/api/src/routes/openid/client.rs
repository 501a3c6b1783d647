//! Authentication of clients at the token endpoint (RFC 6749, section 2.3).

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::app::client_secret::PresentedClientSecret;
use countersign_domain::app::{App, AppKey};
use countersign_domain::openid::parameters::Parameters;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use percent_encoding::percent_decode_str;
use zeroize::Zeroizing;

use super::error::ClientError;
use crate::header::Single;
use crate::rate_limit::source::Source;
use crate::state::ApiState;

/// The scheme, in lower case.
const BASIC: &[u8] = b"basic ";

/// The error of credentials that are wrong. Which part is wrong, it does not say.
const WRONG: ClientError =
    ClientError::InvalidClient("there is no such client, or its secret is wrong");

/// What a client presents.
pub(super) struct Credentials {
    client: String,
    /// `None` for a client that has no secret.
    secret: Option<Zeroizing<String>>,
}

impl Credentials {
    /// Reads the credentials from the header (`client_secret_basic`) or the form (`client_secret_post`, `none`).
    pub(super) fn read(headers: &HeaderMap, form: &Parameters) -> Result<Self, ClientError> {
        let (client, secret) = (form.get("client_id")?, form.get("client_secret")?);
        if form.get("client_assertion")?.is_some() {
            return Err(ClientError::InvalidClient(
                "use client_secret_basic, client_secret_post or none",
            ));
        }
        let Some(basic) = basic(headers)? else {
            let client = client.ok_or(ClientError::InvalidClient("client_id is missing"))?;
            return Ok(Self {
                client: client.to_owned(),
                secret: secret.map(|secret| Zeroizing::new(secret.to_owned())),
            });
        };
        if secret.is_some() || client.is_some_and(|client| client != basic.client) {
            return Err(ClientError::InvalidRequest(
                "authenticate in the header or in the body, not in both",
            ));
        }
        Ok(basic)
    }

    /// Returns the app of the client if its secret is right. A failure counts toward the limit of the caller's address,
    /// and affects no code.
    pub(super) async fn authenticate(
        self,
        state: &ApiState,
        source: Source,
    ) -> Result<Arc<App>, ClientError> {
        let found = self.find(state).await?;
        if found.is_none() {
            state.rate_limiter().count_miss(source, state.clock.now())?;
        }
        found.ok_or(WRONG)
    }

    async fn find(&self, state: &ApiState) -> Result<Option<Arc<App>>, ClientError> {
        let Ok(client) = self.client.parse::<AppKey>() else {
            return Ok(None);
        };
        let app = state.store.lookup_app_key(&client).await?;
        let Some(app) = app.filter(|app| app.openid.is_on()) else {
            return Ok(None);
        };
        let fits = match &self.secret {
            None => app.openid.public_client,
            // A public client has no secret, so one that presents a secret is mistaken about itself.
            Some(_) if app.openid.public_client => false,
            Some(secret) => match secret.parse::<PresentedClientSecret>() {
                Ok(secret) => state.store.client_secret_fits(&app.id, &secret).await?,
                Err(_) => false,
            },
        };
        Ok(fits.then_some(app))
    }
}

/// Reads `Authorization: Basic`, whose parts are encoded as in a form. An empty password is no secret.
fn basic(headers: &HeaderMap) -> Result<Option<Credentials>, ClientError> {
    let value = match Single::find(headers, AUTHORIZATION.as_str()) {
        Single::Absent => return Ok(None),
        Single::Once(value) => value.as_bytes(),
        Single::Repeated => return Err(ClientError::InvalidRequest("Authorization is repeated")),
    };
    let malformed = ClientError::InvalidClient("Authorization must be Basic");
    let scheme = value.get(..BASIC.len());
    if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(BASIC)) {
        return Err(malformed);
    }
    let decoded = BASE64_STANDARD.decode(value[BASIC.len()..].trim_ascii());
    let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.map(Zeroizing::new);
    let Some((client, secret)) = decoded.as_ref().and_then(|text| text.split_once(':')) else {
        return Err(malformed);
    };
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    Ok(Some(Credentials {
        client: decode(client),
        secret: (!secret.is_empty()).then(|| Zeroizing::new(decode(secret))),
    }))
}
