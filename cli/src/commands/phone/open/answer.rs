//! The outcome, for people and for scripts.

use std::fmt;

use countersign_domain::login::{CheckCode, Encryption};
use countersign_domain::primitives::ids::LoginId;
use serde_json::{Value, json};

use crate::args::Decision;
use crate::phone::opened::Opened;

use super::screen::Digits;

/// The outcome of a login on this phone.
pub(super) struct Outcome<'a> {
    /// The login's id.
    pub(super) id: LoginId,
    /// The opened login.
    pub(super) opened: &'a Opened,
    /// The decision; `None` if nobody decided.
    pub(super) decision: Option<Decision>,
    /// Whether the phone sent a proof.
    pub(super) proven: bool,
}

impl Outcome<'_> {
    /// Returns an object with `session` as the service sent it and `decision` `confirmed`, `denied`
    /// or null. `checkCode` is null if the login needs none.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "sessionId": self.id.to_string(),
            "app": self.opened.app,
            "origin": self.opened.origin.as_str(),
            "session": self.opened.raw,
            "decision": self.decision.map(|decision| match decision {
                Decision::Confirm => "confirmed",
                Decision::Deny => "denied",
            }),
            "checkCode": self.opened.check_code.map(CheckCode::digits),
            "encrypted": self.opened.encryption.key().is_some(),
            "proven": self.proven,
        })
    }
}

impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let payload = match self.opened.encryption {
            Encryption::Plain => "could be read by the service",
            Encryption::Sealed(_) => "was encrypted",
        };
        match self.decision {
            Some(Decision::Confirm) => {
                let proven = if self.proven { ", with a proof" } else { "" };
                write!(f, "Confirmed{proven}. The payload {payload}.")?;
                match self.opened.check_code {
                    Some(code) => write!(f, "\n\n{}", Digits(code)),
                    None => Ok(()),
                }
            }
            Some(Decision::Deny) => f.write_str("Denied."),
            // Opened again, the code would belong to a second phone and be blocked.
            None => f.write_str(
                "Neither confirmed nor denied. A code can be opened once: have the page show a new \
                 one, and add --confirm or --deny, or ask from a terminal.",
            ),
        }
    }
}
