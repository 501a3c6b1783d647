//! The device secret, and the phone's token for a login.

use countersign_domain::app::AppKey;
use countersign_domain::login::MobileToken;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::framing::framed;
use countersign_domain::primitives::ids::LoginId;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::{Zeroize as _, Zeroizing};

use crate::configuration::ServiceUrl;
use crate::error::SdkError;
use crate::ports::secrets::SecretStore;

/// Purpose and version of the phone's tokens.
const LABEL: &[u8] = b"countersign/sdk/mobile-token/1";

/// A secret that only this phone has.
pub(crate) struct DeviceSecret(Zeroizing<[u8; 32]>);

impl DeviceSecret {
    /// Loads the secret, and creates it first if it does not exist.
    pub(crate) fn load(store: &dyn SecretStore, entropy: &dyn Entropy) -> Result<Self, SdkError> {
        let saved = if let Some(saved) = store.load()? {
            saved
        } else {
            let mut new = Zeroizing::new([0; 32]);
            entropy.fill(new.as_mut());
            store.save_new(new.to_vec())?
        };
        Self::parse(saved)
    }

    fn parse(mut saved: Vec<u8>) -> Result<Self, SdkError> {
        let bytes = <[u8; 32]>::try_from(saved.as_slice());
        saved.zeroize();
        let bytes = bytes.map_err(|_| SdkError::StorageFailed {
            detail: "the device secret is not 32 bytes".to_owned(),
        })?;
        Ok(Self(Zeroizing::new(bytes)))
    }

    /// Derives the phone's token for a login: HMAC-SHA-256 over a label, the service's URL, the app key
    /// and the session id, each preceded by its length in two bytes, big-endian. A phone whose app lost
    /// its memory derives the same token again, so it continues the same login.
    pub(crate) fn token(
        &self,
        service: &ServiceUrl,
        app: &AppKey,
        id: LoginId,
    ) -> Result<MobileToken, SdkError> {
        let id = id.to_string();
        let parts = framed(&[
            LABEL,
            service.as_str().as_bytes(),
            app.as_str().as_bytes(),
            id.as_bytes(),
        ]);
        // HMAC accepts keys of any length.
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_ref());
        let mut mac = mac.map_err(|error| SdkError::Internal {
            detail: error.to_string(),
        })?;
        mac.update(&parts);
        Ok(MobileToken::from_bytes(mac.finalize().into_bytes().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemorySecrets;
    use crate::ports::StoreError;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    fn token(secret: u8, service: &str, app: &str, id: &str) -> String {
        let secret = DeviceSecret::parse(vec![secret; 32]).unwrap();
        let token = secret.token(
            &service.parse().unwrap(),
            &app.parse().unwrap(),
            id.parse().unwrap(),
        );
        token.unwrap().reveal()
    }

    const SERVICE: &str = "https://login.shop.example";
    const APP: &str = "cs_app_0123456789abcdefABCDEF";
    const ID: &str = "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e";

    #[test]
    fn token_agrees_with_another_tool() {
        // Computed with Python's hmac, hashlib and base64.
        assert_eq!(
            token(7, SERVICE, APP, ID),
            "omW69aqf8Vfxqqjgt9vGynbqBw68m8Pcaf2wisok2zY"
        );
    }

    #[test]
    fn token_depends_on_secret_service_app_and_login() {
        let tokens = [
            token(7, SERVICE, APP, ID),
            token(8, SERVICE, APP, ID),
            token(7, "https://login.shop.example:8443", APP, ID),
            token(7, SERVICE, "cs_app_0000000000000000000002", ID),
            token(7, SERVICE, APP, "qrs_00112233445566778899aabbccddeeff"),
        ];
        for (n, token) in tokens.iter().enumerate() {
            assert!(!tokens[n + 1..].contains(token));
        }
        assert_eq!(token(7, SERVICE, APP, ID), tokens[0]);
    }

    #[test]
    fn secret_is_created_once() {
        let store = MemorySecrets::default();
        DeviceSecret::load(&store, &Fixed(1)).unwrap();
        DeviceSecret::load(&store, &Fixed(2)).unwrap();
        assert_eq!(store.load(), Ok(Some(vec![1; 32])));
    }

    /// A store to which another process saves first.
    struct Raced;

    impl SecretStore for Raced {
        fn load(&self) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(None)
        }

        fn save_new(&self, _: Vec<u8>) -> Result<Vec<u8>, StoreError> {
            Ok(vec![9; 32])
        }
    }

    #[test]
    fn secret_of_the_process_that_saved_first_counts() {
        let secret = DeviceSecret::load(&Raced, &Fixed(1)).unwrap();
        assert_eq!(*secret.0, [9; 32]);
    }

    #[test]
    fn damaged_secret_is_refused_and_stays() {
        let store = MemorySecrets::default();
        store.save_new(vec![1; 31]).unwrap();
        let refused = DeviceSecret::load(&store, &Fixed(2)).err();
        assert_eq!(refused.unwrap().code(), "storage_failed");
        assert_eq!(store.load(), Ok(Some(vec![1; 31])));
    }
}
