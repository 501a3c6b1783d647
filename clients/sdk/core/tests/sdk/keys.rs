//! Association keys with working and faulty stores.

use std::sync::Arc;

use countersign_proof::{AssociationPrivateKey, AssociationPublicKey};
use countersign_sdk::memory::MemoryKeys;
use countersign_sdk::{ANON, AssociationKeys, KeyError, KeyRing, SdkError};
use countersign_system::entropy::OsEntropy;

use crate::support::World;

fn ring() -> KeyRing {
    KeyRing::new(Arc::new(MemoryKeys::new(Arc::new(OsEntropy))))
}

fn public(text: &str) -> AssociationPublicKey {
    text.parse().unwrap()
}

#[test]
fn key_is_kept_for_its_user_and_anonymous_is_the_default() {
    let ring = ring();
    let refused = ring.get_association_key(None);
    assert_eq!(refused, Err(SdkError::UnknownKey));
    let zoes = ring
        .generate_association_key(Some("zoe@example.com"))
        .unwrap();
    let anonymous = ring.generate_association_key(None).unwrap();
    assert_ne!(zoes, anonymous);
    assert_eq!(ring.get_association_key(Some("zoe@example.com")), Ok(zoes));
    assert_eq!(ring.get_association_key(Some(ANON)), Ok(anonymous));
    let users = [ANON, "zoe@example.com"].map(str::to_owned).to_vec();
    assert_eq!(ring.list_association_key(), Ok(users));
    for malformed in ["", "a\nb", &"x".repeat(257)] {
        let refused = ring.generate_association_key(Some(malformed));
        assert_eq!(refused, Err(SdkError::InvalidPublicUserId));
    }
}

#[test]
fn signature_is_by_the_key_of_its_user() {
    let ring = ring();
    let zoes = public(&ring.generate_association_key(Some("zoe")).unwrap());
    let anonymous = public(&ring.generate_association_key(None).unwrap());
    let data = "Zoë's data";
    let signature = ring.generate_user_signature(Some("zoe"), data).unwrap();
    assert!(zoes.verify_user_signature(data, &signature));
    assert!(!anonymous.verify_user_signature(data, &signature));
    let signature = ring.generate_user_signature(None, data).unwrap();
    assert!(anonymous.verify_user_signature(data, &signature));
    let refused = ring.generate_user_signature(Some("mallory"), data);
    assert_eq!(refused, Err(SdkError::UnknownKey));
}

#[test]
fn generating_again_replaces_the_pair() {
    let ring = ring();
    let first = ring.generate_association_key(None).unwrap();
    let signed = ring.generate_user_signature(None, "data").unwrap();
    let second = ring.generate_association_key(None).unwrap();
    assert_ne!(first, second);
    assert_eq!(ring.get_association_key(None).as_ref(), Ok(&second));
    assert_eq!(ring.list_association_key().unwrap().len(), 1);
    let again = ring.generate_user_signature(None, "data").unwrap();
    assert!(public(&second).verify_user_signature("data", &again));
    assert!(!public(&first).verify_user_signature("data", &again));
    assert!(public(&first).verify_user_signature("data", &signed));
}

#[test]
fn data_that_could_be_a_proof_is_not_signed() {
    let ring = ring();
    ring.generate_association_key(None).unwrap();
    let header = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImNvdW50ZXJzaWduLWxvZ2luK2p3dCJ9";
    let refused = ring.generate_user_signature(None, &format!("{header}.e30"));
    assert_eq!(refused, Err(SdkError::ReservedData));
    assert!(ring.generate_user_signature(None, header).is_ok());
}

/// A faulty key store.
enum Faulty {
    /// Signs with a different key than the published one.
    SignsWithAnother,
    /// Signs other data.
    SignsOtherData,
    /// Returns invalid signatures.
    Garbage,
    /// Returns invalid public keys.
    NoKey,
    /// Requires the user to unlock the key.
    Locked,
}

fn key(byte: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[byte; 32]).unwrap()
}

impl AssociationKeys for Faulty {
    fn generate(&self, user: String) -> Result<Vec<u8>, KeyError> {
        Ok(self.public_key(user)?.unwrap())
    }

    fn public_key(&self, _: String) -> Result<Option<Vec<u8>>, KeyError> {
        Ok(Some(match self {
            Self::NoKey => vec![7; 91],
            _ => key(7).public_key().to_der(),
        }))
    }

    fn list(&self) -> Result<Vec<String>, KeyError> {
        let detail = "the store is gone".to_owned();
        Err(KeyError::Failed { detail })
    }

    fn sign(&self, _: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        match self {
            Self::SignsWithAnother => Ok(key(8).sign_der(&data)),
            Self::SignsOtherData => Ok(key(7).sign_der(b"other data")),
            Self::Garbage => Ok(vec![0x30; 70]),
            Self::NoKey => Ok(key(7).sign_der(&data)),
            Self::Locked => Err(KeyError::UserAuthenticationRequired),
        }
    }
}

#[test]
fn faults_of_the_store_are_errors_and_nothing_is_sent() {
    for (fault, code) in [
        (Faulty::SignsWithAnother, "key_store_failed"),
        (Faulty::SignsOtherData, "key_store_failed"),
        (Faulty::Garbage, "key_store_failed"),
        (Faulty::NoKey, "key_store_failed"),
        (Faulty::Locked, "user_authentication_required"),
    ] {
        let mut world = World::new();
        world.platform.keys = Arc::new(fault);
        let ring = world.client().keys();
        let refused = ring.generate_user_signature(None, "data").unwrap_err();
        assert_eq!(refused.code(), code);
        let session = world.open().unwrap();
        let refused = world.run(session.confirm("a token")).unwrap_err();
        assert_eq!(refused.code(), code);
        assert_eq!(world.service.routes(), ["initiate"]);
        assert!(world.platform.answers.names().unwrap().is_empty());
    }
    let ring = KeyRing::new(Arc::new(Faulty::NoKey));
    let refused = ring.generate_association_key(None).unwrap_err();
    assert_eq!(refused.code(), "key_store_failed");
    let refused = ring.list_association_key().unwrap_err();
    assert_eq!(refused.to_string(), "the store is gone");
}
