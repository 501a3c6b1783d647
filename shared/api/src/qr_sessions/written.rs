//! What browsers and phones write into the bodies of their requests.

use countersign_domain::login::{BrowserPublicKey, ClaimedUserId, Payload};

use super::refusal::of_payload;
use crate::call::{Fields, sentence};
use crate::problem::{Problem, ProblemCode};

/// `browserPublicKey`, where it is there.
pub(super) fn browser_key(body: &[u8]) -> Result<Option<BrowserPublicKey>, Problem> {
    let at = "/browserPublicKey";
    let text = Fields::read(body)?.text("browserPublicKey", at)?;
    text.map(|text| text.parse::<BrowserPublicKey>())
        .transpose()
        .map_err(|error| {
            Problem::new(ProblemCode::BrowserKeyMalformed)
                .detail(sentence(&error))
                .at(at)
        })
}

/// `publicUserId`, where it is there.
pub(super) fn public_user_id(body: &[u8]) -> Result<Option<ClaimedUserId>, Problem> {
    let at = "/publicUserId";
    let text = Fields::read(body)?.text("publicUserId", at)?;
    text.map(|text| text.parse::<ClaimedUserId>())
        .transpose()
        .map_err(|error| {
            Problem::new(ProblemCode::PublicUserIdMalformed)
                .detail(sentence(&error))
                .at(at)
        })
}

/// `payload`, which must be there, as `encrypted` says that it is.
pub(super) fn payload(body: &[u8]) -> Result<Payload, Problem> {
    let at = "/payload";
    let fields = Fields::read(body)?;
    let text = fields.text("payload", at)?.ok_or_else(|| {
        Problem::new(ProblemCode::FieldMissing)
            .detail("Send what the browser is to get: payload, a string that may be empty.")
            .at(at)
    })?;
    let encrypted = fields.boolean("encrypted", "/encrypted")?;
    let read = if encrypted.unwrap_or(false) {
        Payload::encrypted(text.into_owned())
    } else {
        Payload::clear(text.into_owned())
    };
    read.map_err(of_payload)
}
