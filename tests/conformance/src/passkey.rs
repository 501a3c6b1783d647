//! A passkey in software, for tests: it makes the assertions of a phone's browser, and false ones.

use countersign_domain::login::{KeyPoint, Passkey, PasskeyAssertion};
use countersign_domain::web::link_host::LinkHost;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Flags of authenticator data: a user is present.
pub const PRESENT: u8 = 1;
/// The user is verified.
pub const VERIFIED: u8 = 1 << 2;
/// The passkey may be copied to other devices.
pub const ELIGIBLE: u8 = 1 << 3;
/// The passkey has been copied.
pub const BACKED_UP: u8 = 1 << 4;
/// A new passkey follows.
pub const ATTESTED: u8 = 1 << 6;

/// A passkey of the page on a link host.
#[derive(Clone, Debug)]
pub struct SoftwarePasskey {
    key: SigningKey,
    /// The page, and whether the passkey is synced.
    pub passkey: Passkey,
}

/// What an assertion says. A test may change all of it before it is signed.
#[derive(Clone, Debug)]
pub struct Ceremony {
    /// The domain whose hash is in the authenticator data.
    pub rp_id: String,
    /// The flags in the authenticator data.
    pub flags: u8,
    /// The bytes after the flags: the counter, and extensions.
    pub rest: Vec<u8>,
    /// The client data, JSON.
    pub client_data: String,
}

impl SoftwarePasskey {
    /// Creates the `n`th passkey of the page on a host, which must be a domain. It is synced.
    ///
    /// # Panics
    /// If the host is not a domain, or if `n` is zero.
    #[must_use]
    #[expect(clippy::expect_used, reason = "tests name their own hosts")]
    pub fn new(n: u8, host: &str) -> Self {
        let host = host.parse::<LinkHost>().expect("a link host");
        Self {
            key: SigningKey::from_slice(&[n; 32]).expect("a private key"),
            passkey: Passkey::of_host(&host, true).expect("a domain"),
        }
    }

    /// Returns the same passkey, not synced.
    #[must_use]
    pub fn bound_to_device(mut self) -> Self {
        self.passkey.synced = false;
        self
    }

    /// Returns the public half.
    ///
    /// # Panics
    /// Never: an uncompressed point has 65 bytes.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the point's form is that of SEC 1")]
    pub fn point(&self) -> KeyPoint {
        let point = self.key.verifying_key().to_sec1_bytes();
        let coordinates: &[u8; 64] = point[1..].try_into().expect("two coordinates");
        KeyPoint::from_coordinates(coordinates)
    }

    /// Returns what this passkey says about a challenge, given in base64url.
    #[must_use]
    pub fn ceremony(&self, challenge: &str) -> Ceremony {
        let Passkey {
            rp_id,
            origin,
            synced,
        } = &self.passkey;
        let backup = if *synced { ELIGIBLE | BACKED_UP } else { 0 };
        Ceremony {
            rp_id: rp_id.to_string(),
            flags: PRESENT | VERIFIED | backup,
            rest: vec![0; 4],
            client_data: format!(
                r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"{origin}","crossOrigin":false}}"#
            ),
        }
    }

    /// Signs a challenge, given in base64url, as a phone's browser does.
    #[must_use]
    pub fn assert(&self, challenge: &str) -> PasskeyAssertion {
        self.assert_with(challenge, |_| ())
    }

    /// Signs a challenge after a change of what the assertion says.
    #[must_use]
    pub fn assert_with(
        &self,
        challenge: &str,
        change: impl FnOnce(&mut Ceremony),
    ) -> PasskeyAssertion {
        let mut ceremony = self.ceremony(challenge);
        change(&mut ceremony);
        self.sign(&ceremony)
    }

    /// Signs whatever a ceremony says.
    ///
    /// # Panics
    /// If the client data is empty or too long.
    #[must_use]
    #[expect(clippy::expect_used, reason = "tests choose the length")]
    pub fn sign(&self, ceremony: &Ceremony) -> PasskeyAssertion {
        let mut data = Sha256::digest(ceremony.rp_id.as_bytes()).to_vec();
        data.push(ceremony.flags);
        data.extend_from_slice(&ceremony.rest);
        let client = ceremony.client_data.as_bytes();
        let signed = [data.as_slice(), &Sha256::digest(client)].concat();
        let signature: Signature = self.key.sign(&signed);
        let der = signature.to_der().as_bytes().to_vec();
        PasskeyAssertion::new(data, client.to_vec(), der).expect("an assertion")
    }
}

/// Returns an assertion as it is in a request.
#[must_use]
pub fn to_json(assertion: &PasskeyAssertion) -> Value {
    let [data, client, signature] = assertion.to_base64url();
    json!({"authenticatorData": data, "clientDataJSON": client, "signature": signature})
}
