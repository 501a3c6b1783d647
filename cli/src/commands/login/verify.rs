//! `countersign login verify`.

use std::path::Path;
use std::process::ExitCode;

use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::{Clock as _, Timestamp};
use countersign_proof::{
    AssociationPublicKey, Expected, ExpectedPayload, ExpectedUser, KnownKey, ProofError,
    VerifiedProof,
};
use countersign_system::clock::SystemClock;
use serde_json::{Value, json};

use crate::args::{LoginVerifyArgs, Output};
use crate::failure::Failure;
use crate::input;
use crate::terminal::print;

/// Checks a proof manually; fails if it violates a rule.
pub(crate) fn verify(args: &LoginVerifyArgs, output: Output) -> Result<ExitCode, Failure> {
    let key = read_key(&args.key)?;
    let checked = check(args, key, args.at.unwrap_or_else(|| SystemClock.now()));
    if output.json {
        print(&to_json(&checked).to_string())?;
    } else {
        print(&to_text(&checked))?;
    }
    Ok(match checked {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn check(
    args: &LoginVerifyArgs,
    key: AssociationPublicKey,
    now: Timestamp,
) -> Result<VerifiedProof, ProofError> {
    let expected = Expected {
        app: &args.app_key,
        origin: &args.origin,
        login: args.session_id,
        user: ExpectedUser::Exactly(args.public_user_id.as_ref()),
        context: args.context.as_deref(),
        payload: ExpectedPayload::Is {
            payload: &args.payload,
            salt: &args.salt,
        },
        now,
    };
    let known = KnownKey {
        key,
        owner: args.public_user_id.clone(),
        passkey: args.passkey.clone(),
    };
    let find = |id: &_| (*id == known.key.key_id()).then_some(known);
    countersign_proof::verify(args.proof.trim(), &expected, find)
}

/// Reads a public key in Base64, or in PEM, which adds a header and a footer line.
fn read_key(path: &Path) -> Result<AssociationPublicKey, Failure> {
    let text = input::read_key(path)?;
    let lines = text.lines().map(str::trim);
    let base64: String = lines.filter(|line| !line.starts_with("-----")).collect();
    let key = base64.parse::<AssociationPublicKey>();
    key.map_err(|error| Failure::because(path.display(), &error))
}

fn to_text(checked: &Result<VerifiedProof, ProofError>) -> String {
    match checked {
        Err(error) => format!("refused: {error} ({})", error.code()),
        Ok(proof) => {
            let user = proof.user().map(ClaimedUserId::as_str);
            let user = user.unwrap_or("the key's owner");
            format!(
                "verified: {user} confirmed {} at {}\nby the key {}",
                proof.login(),
                proof.issued_at(),
                proof.key_id()
            )
        }
    }
}

fn to_json(checked: &Result<VerifiedProof, ProofError>) -> Value {
    match checked {
        Err(error) => json!({
            "valid": false,
            "rule": error.code(),
            "verdict": error.to_string(),
        }),
        Ok(proof) => json!({
            "valid": true,
            "sessionId": proof.login().to_string(),
            "publicUserId": proof.user().map(ClaimedUserId::as_str),
            "keyId": proof.key_id().to_string(),
            "confirmedAt": proof.issued_at().to_string(),
        }),
    }
}

#[cfg(test)]
mod tests;
