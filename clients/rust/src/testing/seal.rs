//! Seals payloads for browsers, as phones do: HPKE ([RFC 9180](https://www.rfc-editor.org/rfc/rfc9180)), base mode.

use hpke::aead::AesGcm256;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::{Deserializable as _, Kem, OpModeS, Serializable as _};

use crate::error::Error;

/// Returns the encapsulated key, 65 bytes, and the ciphertext.
pub(super) fn seal(plain: &[u8], browser_key: &[u8], info: &[u8]) -> Result<Vec<u8>, Error> {
    let broken = |_| Error::invalid("the browser's key cannot be used");
    let key = <DhP256HkdfSha256 as Kem>::PublicKey::from_bytes(browser_key).map_err(broken)?;
    let sealed = hpke::single_shot_seal::<AesGcm256, HkdfSha256, DhP256HkdfSha256>(
        &OpModeS::Base,
        &key,
        info,
        plain,
        b"",
    );
    let (encapsulated, ciphertext) = sealed.map_err(broken)?;
    Ok([encapsulated.to_bytes().as_slice(), &ciphertext].concat())
}
