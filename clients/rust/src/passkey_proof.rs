//! Verifies proofs that passkeys signed. Nothing here performs I/O.

use std::fmt;

use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::error::{LoginRefused, holds};
use crate::identity::{base64url, from_base64url};

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const ATTESTED: u8 = 1 << 6;
/// Length of hash, flags and counter.
const MIN_AUTHENTICATOR_DATA: usize = 37;

/// The page whose passkey a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passkey {
    pub(crate) rp_id: String,
    pub(crate) origin: String,
}

/// Returns the claims of a proof that this passkey signed: header, claims, authenticator data, client data and
/// signature. The claims are not checked.
pub(crate) fn signed_claims(
    parts: [&str; 5],
    key: &VerifyingKey,
    passkey: &Passkey,
) -> Result<Vec<u8>, LoginRefused> {
    let malformed = || LoginRefused::because("the proof is malformed");
    let decode = |text: &str| from_base64url(text).ok_or_else(malformed);
    let [header, claims, data, client, signature] = parts;
    let (data, client, signature) = (decode(data)?, decode(client)?, decode(signature)?);
    let challenge = Sha256::new()
        .chain_update(b"countersign/webauthn/1\0")
        .chain_update(format!("{header}.{claims}"))
        .finalize();
    check_client_data(&client, &base64url(challenge), &passkey.origin)?;
    check_authenticator_data(&data, &passkey.rp_id)?;
    // The signature is over the bytes that the browser hashed, not over JSON written again.
    let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
    let signature = Signature::from_der(&signature).map_err(|_| malformed())?;
    let verified = key.verify(&signed, &signature);
    verified.map_err(|_| LoginRefused::because("signed by another key"))?;
    let claims = decode(claims)?;
    members(&claims).ok_or_else(malformed)?;
    Ok(claims)
}

fn check_client_data(json: &[u8], challenge: &str, origin: &str) -> Result<(), LoginRefused> {
    let members = members(json);
    let members = members.ok_or_else(|| LoginRefused::because("the client data is malformed"))?;
    let is = |name: &str, text: &str| members.get(name).and_then(Value::as_str) == Some(text);
    holds(is("type", "webauthn.get"), "not an assertion of a passkey")?;
    holds(
        is("challenge", challenge),
        "the passkey signed something else",
    )?;
    holds(is("origin", origin), "the passkey was used on another page")?;
    let own = matches!(members.get("crossOrigin"), None | Some(Value::Bool(false)));
    holds(
        own && !members.contains_key("topOrigin"),
        "the passkey was used in a frame of another site",
    )
}

fn check_authenticator_data(data: &[u8], rp_id: &str) -> Result<(), LoginRefused> {
    let hash = Sha256::digest(rp_id);
    let (hashed, flags) = (data.get(..32), data.get(32).copied().unwrap_or_default());
    let has = |flag: u8| flags & flag != 0;
    holds(
        data.len() >= MIN_AUTHENTICATOR_DATA,
        "the authenticator data is too short",
    )?;
    holds(
        hashed == Some(hash.as_slice()),
        "the passkey belongs to another domain",
    )?;
    holds(
        has(USER_PRESENT) && has(USER_VERIFIED),
        "the phone did not verify its user",
    )?;
    holds(
        has(BACKUP_ELIGIBLE) || !has(BACKED_UP),
        "the passkey was copied although it cannot be",
    )?;
    holds(!has(ATTESTED), "not an assertion of a passkey")
}

/// Returns the members of a JSON object; `None` for another value, or if two members have one name. Otherwise
/// verifiers that keep the first of them and verifiers that keep the last would read two different proofs.
fn members(json: &[u8]) -> Option<Map<String, Value>> {
    struct Distinct;

    impl<'de> Visitor<'de> for Distinct {
        type Value = Option<Map<String, Value>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut members, mut is_distinct) = (Map::new(), true);
            while let Some((name, value)) = map.next_entry::<String, Value>()? {
                is_distinct &= members.insert(name, value).is_none();
            }
            Ok(is_distinct.then_some(members))
        }
    }

    let mut json = serde_json::Deserializer::from_slice(json);
    let members = json.deserialize_map(Distinct).ok()?;
    json.end().ok()?;
    members
}
