use std::net::IpAddr;
use std::sync::Mutex;

use async_trait::async_trait;
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, GeoIp, Located, NetworkClass, Place, PlaceCredit,
};
use countersign_domain::primitives::unavailable::Unavailable;
use p256::ecdsa::signature::hazmat::PrehashSigner as _;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;

/// Locates every address in Berlin, except a Tor exit and an address in Sydney, whose place comes from
/// DB-IP.
pub(crate) struct TestGeoIp;

impl GeoIp for TestGeoIp {
    fn locate(&self, address: IpAddr) -> Located {
        let network = if address.to_string() == super::TOR {
            NetworkClass::Tor
        } else {
            NetworkClass::Access
        };
        if address.to_string() == super::ABROAD {
            let place = Place {
                country: "AU".parse::<CountryCode>().ok(),
                city: City::new("Sydney"),
                coordinates: Coordinates::from_degrees(-33.87, 151.21).ok(),
                credit: Some(PlaceCredit::DbIp),
            };
            return Located { place, network };
        }
        let place = Place {
            country: "DE".parse::<CountryCode>().ok(),
            city: City::new("Berlin"),
            coordinates: Coordinates::from_degrees(52.52, 13.405).ok(),
            credit: None,
        };
        Located { place, network }
    }
}

/// A locator that panics.
pub(crate) struct PanickingGeoIp;

impl GeoIp for PanickingGeoIp {
    fn locate(&self, _: IpAddr) -> Located {
        panic!("the test's locator panics")
    }
}

/// A signer with two public keys that never signs.
pub(crate) struct FixedSigner;

impl FixedSigner {
    /// Returns two keys, whose points may not be on the curve.
    pub(crate) fn keys() -> Vec<PublicKey> {
        let head = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";
        let mut spki = Vec::new();
        for pair in head.as_bytes().chunks(2) {
            let pair = std::str::from_utf8(pair).unwrap();
            spki.push(u8::from_str_radix(pair, 16).unwrap());
        }
        [7, 9]
            .map(|byte| PublicKey::from_spki_der(&[spki.clone(), vec![byte; 64]].concat()).unwrap())
            .to_vec()
    }
}

#[async_trait]
impl Signer for FixedSigner {
    async fn sign(&self, _digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        Err(Unavailable::new("signer", "the API signs nothing"))
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(Self::keys())
    }
}

/// A signer of ID tokens with keys that the test chooses, of which the last one signs.
pub(crate) struct TokenSigner(Mutex<Vec<SigningKey>>);

impl TokenSigner {
    pub(crate) fn new(seed: u8) -> Self {
        Self(Mutex::new(vec![key(seed)]))
    }

    /// Adds a key that signs from now on.
    pub(crate) fn replace(&self, seed: u8) {
        self.0.lock().unwrap().push(key(seed));
    }
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

fn public(key: &SigningKey) -> PublicKey {
    let public = p256::PublicKey::from(key.verifying_key());
    PublicKey::from_spki_der(public.to_public_key_der().unwrap().as_bytes()).unwrap()
}

#[async_trait]
impl Signer for TokenSigner {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let keys = self.0.lock().unwrap();
        let key = keys.last().unwrap();
        let signature: DerSignature = key.sign_prehash(digest).unwrap();
        Ok(Signature {
            der: signature.as_bytes().to_vec(),
            key_id: public(key).key_id(),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(self.0.lock().unwrap().iter().rev().map(public).collect())
    }
}
