use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, GeoIp, Located, NetworkClass, Place, PlaceCredit,
};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;

/// The time at which every test starts: 2026-01-02T03:04:05.678Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_767_323_045_678);

/// A clock that the test sets.
pub(crate) struct SetClock(AtomicU64);

impl Default for SetClock {
    fn default() -> Self {
        Self(AtomicU64::new(START.as_millis()))
    }
}

impl SetClock {
    pub(crate) fn get(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0
            .store(self.get().plus(by).as_millis(), Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        self.get()
    }
}

/// Entropy that never repeats bytes, and is the same in every run.
#[derive(Default)]
pub(crate) struct CountedEntropy(AtomicU64);

impl Entropy for CountedEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            // SplitMix64.
            let mut word = self.0.fetch_add(1, Ordering::SeqCst);
            word = word.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Metrics that record events.
#[derive(Default)]
pub(crate) struct KeptMetrics(Mutex<Vec<&'static str>>);

impl KeptMetrics {
    /// Returns the events counted since the last call.
    pub(crate) fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Metrics for KeptMetrics {
    fn count(&self, event: &Event, _: Labels<'_>) {
        self.0.lock().unwrap().push(event.name());
    }
}

/// A queue that only the test reads.
#[derive(Default)]
pub(crate) struct KeptQueue(Mutex<Vec<(DeliveryPointer, Duration)>>);

impl KeptQueue {
    /// Returns the pointers enqueued since the last call.
    pub(crate) fn take(&self) -> Vec<(DeliveryPointer, Duration)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[async_trait]
impl DeliveryQueue for KeptQueue {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        self.0.lock().unwrap().push((pointer, delay));
        Ok(Enqueued::Waiting)
    }
}

/// A push port that records notifications.
#[derive(Default)]
pub(crate) struct KeptPush(Mutex<Vec<WatcherId>>);

impl KeptPush {
    /// Returns the number of notifications since the last call.
    pub(crate) fn take(&self) -> usize {
        std::mem::take(&mut *self.0.lock().unwrap()).len()
    }
}

#[async_trait]
impl Push for KeptPush {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        self.0.lock().unwrap().push(watcher.clone());
        Ok(NotifyOutcome::Sent)
    }
}

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
