//! The one suite, and chance in the form that it takes it.

use std::convert::Infallible;

use countersign_domain::primitives::entropy::Entropy;
use hpke::rand_core::{TryCryptoRng, TryRng};

/// How the key is agreed on.
pub(crate) type Kem = hpke::kem::DhP256HkdfSha256;

/// How keys are derived from it.
pub(crate) type Kdf = hpke::kdf::HkdfSha256;

/// How the payload is encrypted with them.
pub(crate) type Aead = hpke::aead::AesGcm256;

/// How long an encapsulated key is, in bytes: an uncompressed point.
pub(crate) const ENCAPSULATED: usize = 65;

/// What is longer when it is sealed, besides the encapsulated key, in bytes: AES-GCM's tag.
pub(crate) const TAG: usize = 16;

/// The port's chance as the suite's.
pub(crate) struct Chance<'a>(pub(crate) &'a dyn Entropy);

impl TryRng for Chance<'_> {
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

// The port demands the operating system's generator.
impl TryCryptoRng for Chance<'_> {}
