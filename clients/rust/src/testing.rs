//! A simulated phone for an app's own tests. It needs a client with a test key, but no human.
//!
//! ```no_run
//! # async fn test(client: countersign_client::Countersign, url: &str) -> Result<(), countersign_client::Error> {
//! use countersign_client::testing::TestPhone;
//!
//! let phone = TestPhone::new(&client, "zoe")?;
//! phone.register().await?;
//! let opened = phone.open(url).await?;
//! assert_eq!(opened.context(), Some("Pay 20 EUR to Zoë"));
//! opened.confirm("").await?;
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;
use serde::{Deserialize, Serialize};

use crate::association_keys::AssociationKeys;
use crate::client::Countersign;
use crate::error::Error;
use crate::identity;
use crate::inner::Inner;
use crate::options;
use crate::proof::{Claims, KnownKey, header_of, id_of};
use crate::types::{CreateLogin, NewLogin, RegisterKey};

mod contexts;
mod link;
mod open;
mod opened;
mod seal;

pub use open::Open;
pub use opened::OpenedLogin;

const REGISTRATION: &str = "countersign-association-key/1";

/// A simulated phone with its own key. Clones are the same phone.
///
/// It rejects a client with a live key, and the service does not let it open live logins.
#[derive(Clone)]
pub struct TestPhone(Arc<Phone>);

struct Phone {
    client: Arc<Inner>,
    app_key: String,
    user_id: String,
    key: SigningKey,
    key_id: String,
    public_key: String,
}

/// The JSON of a key, which a phone sends to your server while its user is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    /// The user.
    pub public_user_id: String,
    /// The public half of the key.
    pub public_key: String,
    /// The signature that proves possession of the private half.
    pub signature: String,
}

impl TestPhone {
    /// Creates a user's phone.
    ///
    /// # Errors
    ///
    /// Fails unless the client has a test key, `cs_test_…`, and an app key.
    pub fn new(client: &Countersign, user_id: &str) -> Result<Self, Error> {
        let client = Arc::clone(&client.inner);
        let app_key = client.require_app_key()?.to_owned();
        options::text("user_id", user_id)?;
        if !client.api_key.starts_with("cs_test_") {
            return Err(Error::invalid(
                "a test phone needs a client with a test key: cs_test_…",
            ));
        }
        let key = identity::generate_key()?;
        let der = key.verifying_key().to_public_key_der();
        let der = der.map_err(|_| Error::invalid("the key has no public half"))?;
        Ok(Self(Arc::new(Phone {
            client,
            app_key,
            user_id: user_id.to_owned(),
            key_id: id_of(key.verifying_key()),
            public_key: BASE64_STANDARD.encode(der.as_bytes()),
            key,
        })))
    }

    /// Returns the phone's user.
    #[must_use]
    pub fn user_id(&self) -> &str {
        &self.0.user_id
    }

    /// Returns the id of the phone's key, as used in its proofs.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.0.key_id
    }

    /// Returns the public half of the phone's key, in the format that the mobile SDK sends to your
    /// server.
    #[must_use]
    pub fn public_key(&self) -> &str {
        &self.0.public_key
    }

    /// Returns the key for your own table, which `find_key` searches.
    #[must_use]
    pub fn known_key(&self) -> KnownKey {
        KnownKey::new(&self.0.public_key, &self.0.user_id)
    }

    /// Returns the key with its signature, for a test that posts it to your own registration route.
    #[must_use]
    pub fn registration(&self) -> Registration {
        let phone = &self.0;
        let signed = format!("{REGISTRATION}\n{}\n{}", phone.app_key, phone.user_id);
        Registration {
            public_user_id: phone.user_id.clone(),
            public_key: phone.public_key.clone(),
            signature: BASE64_STANDARD.encode(phone.sign(&signed).to_der().as_bytes()),
        }
    }

    /// Registers the phone's key with the service, and returns its id.
    ///
    /// # Errors
    ///
    /// Fails if the service refuses it.
    pub async fn register(&self) -> Result<String, Error> {
        let handed = self.registration();
        let key =
            RegisterKey::new(handed.public_user_id, handed.public_key).signature(handed.signature);
        Ok(AssociationKeys(&self.0.client).register(key).await?.key_id)
    }

    /// Opens a login link, as if the phone had scanned it; await the result.
    pub fn open(&self, link: &str) -> Open<'_> {
        Open::new(self, link)
    }
}

impl Phone {
    fn sign(&self, text: &str) -> Signature {
        self.key.sign(text.as_bytes())
    }

    /// Returns a proof with these claims.
    fn prove(&self, claims: &Claims) -> Result<String, Error> {
        let claims =
            serde_json::to_vec(claims).map_err(|_| Error::invalid("the claims are no JSON"))?;
        let signed = format!(
            "{}.{}",
            header_of(&self.key_id),
            identity::base64url(claims)
        );
        let signature = identity::base64url(self.sign(&signed).to_bytes());
        Ok(format!("{signed}.{signature}"))
    }
}

impl fmt::Debug for TestPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestPhone")
            .field("key_id", &self.0.key_id)
            .finish_non_exhaustive()
    }
}

/// Creates a login on behalf of a page, with a key and a token like those of `<countersign-login>`.
///
/// A test phone opens its `url`, and [`OpenedLogin::confirm`] returns the data that the page would
/// get.
///
/// # Errors
///
/// Fails if the service refuses it.
pub async fn start_test_login(client: &Countersign, origin: &str) -> Result<NewLogin, Error> {
    let token = identity::base64url(identity::random::<32>()?);
    let key = identity::point_of(identity::generate_key()?.verifying_key());
    let request = CreateLogin::new(origin).browser_public_key(identity::base64url(key));
    client.logins().create(&token, request).await
}
