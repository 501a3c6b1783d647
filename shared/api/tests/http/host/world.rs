use std::net::IpAddr;

use async_trait::async_trait;
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, GeoIp, Located, NetworkClass, Place, PlaceCredit,
};
use countersign_domain::primitives::unavailable::Unavailable;

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
