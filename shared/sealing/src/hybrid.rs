//! The HPKE suite, and an adapter for its random numbers.

use std::convert::Infallible;

use countersign_domain::primitives::entropy::Entropy;
use hpke::rand_core::{TryCryptoRng, TryRng};

/// The key encapsulation.
pub(crate) type Kem = hpke::kem::DhP256HkdfSha256;

/// The key derivation.
pub(crate) type Kdf = hpke::kdf::HkdfSha256;

/// The payload's encryption.
pub(crate) type Aead = hpke::aead::AesGcm256;

/// Length of an encapsulated key, in bytes: an uncompressed point.
pub(crate) const ENCAPSULATED: usize = 65;

/// Length of AES-GCM's tag, in bytes.
pub(crate) const TAG: usize = 16;

/// Adapts the entropy port to the suite's generator.
pub(crate) struct Random<'a>(pub(crate) &'a dyn Entropy);

impl TryRng for Random<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, buffer: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(buffer);
        Ok(())
    }
}

// The port requires the operating system's generator.
impl TryCryptoRng for Random<'_> {}
