//! Serves an app server's requests about association keys.

use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::Allowance;
use countersign_domain::app::scope::Scope;
use countersign_domain::login::association_key::transitions::{RegisterRefusal, RevokeOutcome};
use countersign_domain::use_cases::association_keys::{
    AssociationKeyPorts, RegisterError, RegisterRequest, register, revoke,
};

use super::Handler;
use countersign_proof::Proofs;

use crate::association_keys::{KeyAnswer, KeyRequest};

impl Handler {
    /// Serves a request about an association key.
    pub async fn serve_key(self, request: KeyRequest) -> KeyAnswer {
        let ports = AssociationKeyPorts {
            store: &self.store,
            proofs: &Proofs,
            clock: &self.link,
        };
        let app = &self.app.0;
        match request {
            KeyRequest::Register(asked) => {
                let request = RegisterRequest {
                    app,
                    mode: KeyMode::Live,
                    owner: &asked.owner,
                    public_key: &asked.public_key,
                    signature: asked.signature.as_ref().map(|it| it.text.as_str()),
                    allowance: Allowance::Unlimited,
                };
                match register(ports, request).await {
                    Ok(id) => KeyAnswer::Registered(id),
                    Err(RegisterError::Refused(refusal)) => refused(&refusal),
                    Err(RegisterError::Unavailable(_)) => KeyAnswer::Unavailable,
                }
            }
            KeyRequest::List(owner) => {
                match self.store.association_keys_of(&app.id, &owner).await {
                    Ok(keys) => KeyAnswer::Keys(keys),
                    Err(_) => KeyAnswer::Unavailable,
                }
            }
            KeyRequest::Revoke(id) => match revoke(ports, Scope::live(&app.id), id).await {
                Ok(RevokeOutcome::Revoked | RevokeOutcome::AlreadyRevoked) => KeyAnswer::Revoked,
                Ok(RevokeOutcome::Unknown) => KeyAnswer::Unknown,
                Err(_) => KeyAnswer::Unavailable,
            },
        }
    }
}

const fn refused(error: &RegisterRefusal) -> KeyAnswer {
    match error {
        RegisterRefusal::Anonymous | RegisterRefusal::MalformedKey => KeyAnswer::Malformed,
        RegisterRefusal::SignatureMissing => KeyAnswer::SignatureMissing,
        RegisterRefusal::SignatureFalse => KeyAnswer::SignatureFalse,
        RegisterRefusal::OwnedByAnother | RegisterRefusal::OtherKind => KeyAnswer::OwnedByAnother,
        RegisterRefusal::Revoked => KeyAnswer::WasRevoked,
        RegisterRefusal::TooMany | RegisterRefusal::AppFull | RegisterRefusal::QuotaExceeded(_) => {
            KeyAnswer::TooMany
        }
    }
}
