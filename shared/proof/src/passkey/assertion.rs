//! Checks of an assertion.

use countersign_domain::login::{KeyPoint, Passkey, PasskeyAssertion};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};

use super::Challenge;
use super::authenticator_data::AuthenticatorData;
use super::client_data::ClientData;
use crate::error::ProofError;
use crate::key::AssociationPublicKey;

/// An assertion whose content was checked, but not its signature.
pub(crate) struct Checked {
    signed: Vec<u8>,
    signature: Signature,
    data: AuthenticatorData,
}

impl Checked {
    /// Returns whether the passkey may be copied to other devices.
    pub(crate) const fn is_synced(&self) -> bool {
        self.data.is_synced()
    }
}

/// Checks an assertion without its key: that it is over this challenge, and made in the page of this passkey. Without
/// a passkey, any page is accepted.
///
/// # Errors
/// Fails with the first rule that the assertion breaks.
pub(crate) fn check(
    assertion: &PasskeyAssertion,
    challenge: &Challenge,
    passkey: Option<&Passkey>,
) -> Result<Checked, ProofError> {
    let client = ClientData::parse(assertion.client_data(), challenge)?;
    if passkey.is_some_and(|passkey| client.origin() != passkey.origin.as_str()) {
        return Err(ProofError::Page);
    }
    let data = AuthenticatorData::parse(assertion.authenticator_data())?;
    if passkey.is_some_and(|passkey| !data.is_of(&passkey.rp_id)) {
        return Err(ProofError::RelyingParty);
    }
    // Both halves of the signature may be in the upper half of the order: phones do not normalize it.
    let signature = Signature::from_der(assertion.signature());
    let signature = signature.map_err(|_| ProofError::Signature)?;
    let hash = Sha256::digest(assertion.client_data());
    let signed = [assertion.authenticator_data(), &hash].concat();
    Ok(Checked {
        signed,
        signature,
        data,
    })
}

/// Verifies an assertion of this key over this challenge, made in the page of this passkey.
///
/// # Errors
/// Fails with the first rule that the assertion breaks.
pub(crate) fn verify(
    assertion: &PasskeyAssertion,
    challenge: &Challenge,
    key: &AssociationPublicKey,
    passkey: &Passkey,
) -> Result<Checked, ProofError> {
    let checked = check(assertion, challenge, Some(passkey))?;
    let valid = key.verifying().verify(&checked.signed, &checked.signature);
    valid.map(|()| checked).map_err(|_| ProofError::Signature)
}

/// Returns the keys for which an assertion is valid. An ECDSA signature fits up to four keys, one for each point that
/// its first half can mean.
pub(crate) fn recover_keys(
    assertion: &PasskeyAssertion,
    challenge: &Challenge,
    passkey: &Passkey,
) -> Vec<KeyPoint> {
    let Ok(checked) = check(assertion, challenge, Some(passkey)) else {
        return Vec::new();
    };
    let hash = Sha256::digest(&checked.signed);
    let recover = |id: u8| {
        let id = RecoveryId::from_byte(id)?;
        let key = VerifyingKey::recover_from_prehash(&hash, &checked.signature, id).ok()?;
        // The signature is over the same bytes, so this only guards against a fault of the recovery.
        key.verify(&checked.signed, &checked.signature).ok()?;
        Some(AssociationPublicKey::from_verifying(key).point())
    };
    (0..=RecoveryId::MAX).filter_map(recover).collect()
}
