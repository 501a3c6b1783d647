//! What an authenticator says about a ceremony.

use countersign_domain::login::RpId;
use sha2::{Digest as _, Sha256};

use crate::error::ProofError;

/// Somebody touched the authenticator.
const USER_PRESENT: u8 = 1;
/// The authenticator recognized its user, by a fingerprint or a code for example.
const USER_VERIFIED: u8 = 1 << 2;
/// The passkey may be copied to other devices.
const BACKUP_ELIGIBLE: u8 = 1 << 3;
/// The passkey has been copied.
const BACKED_UP: u8 = 1 << 4;
/// A new passkey follows, as at its creation.
const ATTESTED: u8 = 1 << 6;

/// Length of hash, flags and counter, in bytes.
const MIN_BYTES: usize = 37;

/// The authenticator data of an assertion (Web Authentication, section 6.1) that [`Self::parse`] accepted. The
/// counter is ignored, because passkeys that are copied have none, and so are extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AuthenticatorData {
    rp_id_hash: [u8; 32],
    flags: u8,
}

impl AuthenticatorData {
    /// Parses the data of an assertion whose user was present and verified.
    ///
    /// # Errors
    /// Fails with the first rule that the data breaks.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        let (Some(rp_id_hash), Some(&flags)) = (bytes.first_chunk(), bytes.get(32)) else {
            return Err(ProofError::AuthenticatorData);
        };
        let has = |flag: u8| flags & flag != 0;
        if bytes.len() < MIN_BYTES || has(ATTESTED) {
            return Err(ProofError::AuthenticatorData);
        }
        if !has(USER_PRESENT) || !has(USER_VERIFIED) {
            return Err(ProofError::UserVerification);
        }
        if has(BACKED_UP) && !has(BACKUP_ELIGIBLE) {
            return Err(ProofError::BackupState);
        }
        Ok(Self {
            rp_id_hash: *rp_id_hash,
            flags,
        })
    }

    /// Returns whether the passkey belongs to this domain.
    pub(crate) fn is_of(&self, rp_id: &RpId) -> bool {
        self.rp_id_hash == *Sha256::digest(rp_id.as_str().as_bytes())
    }

    /// Returns whether the passkey may be copied to other devices.
    pub(crate) const fn is_synced(&self) -> bool {
        self.flags & BACKUP_ELIGIBLE != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(flags: u8, length: usize) -> Vec<u8> {
        let mut bytes = Sha256::digest(b"login.shop.example").to_vec();
        bytes.push(flags);
        bytes.resize(length, 0);
        bytes
    }

    #[test]
    fn flags_decide() {
        for (flags, outcome) in [
            (0b0000_0101, Ok(false)),
            (0b0000_1101, Ok(true)),
            (0b0001_1101, Ok(true)),
            // Reserved bits and extensions.
            (0b1010_0111, Ok(false)),
            (0b0001_0101, Err(ProofError::BackupState)),
            (0b0000_0001, Err(ProofError::UserVerification)),
            (0b0000_0100, Err(ProofError::UserVerification)),
            (0b0000_0000, Err(ProofError::UserVerification)),
            (0b0100_0101, Err(ProofError::AuthenticatorData)),
        ] {
            let parsed = AuthenticatorData::parse(&data(flags, 37));
            assert_eq!(parsed.map(|data| data.is_synced()), outcome, "{flags:08b}");
        }
    }

    #[test]
    fn data_has_at_least_37_bytes() {
        for length in [0, 31, 32, 33, 36] {
            let mut short = data(5, 37);
            short.truncate(length);
            let parsed = AuthenticatorData::parse(&short);
            assert_eq!(parsed, Err(ProofError::AuthenticatorData), "{length}");
        }
        assert!(AuthenticatorData::parse(&data(0b1000_0101, 60)).is_ok());
    }

    #[test]
    fn domain_is_compared_as_a_whole() {
        let parsed = AuthenticatorData::parse(&data(5, 37)).unwrap();
        for (rp_id, is_same) in [
            ("login.shop.example", true),
            ("shop.example", false),
            ("a.login.shop.example", false),
        ] {
            assert_eq!(parsed.is_of(&rp_id.parse().unwrap()), is_same, "{rp_id}");
        }
    }
}
