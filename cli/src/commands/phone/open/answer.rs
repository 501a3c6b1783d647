//! The outcome, for users and for scripts.

use std::fmt;

use countersign_sdk::{ReturnLink, Session};
use serde_json::{Value, json};

use crate::args::Decision;

use super::screen::Digits;

/// The outcome of a login on this phone.
pub(super) struct Outcome<'a> {
    /// The opened login.
    pub(super) session: &'a Session,
    /// The decision; `None` if the login ended without one.
    pub(super) decision: Option<Decision>,
    /// True if the phone sent a proof.
    pub(super) proven: bool,
}

impl Outcome<'_> {
    /// Returns an object with `session` as the service sent it, and `decision`: `confirmed`,
    /// `denied` or null. `checkCode` and `returnUrl` are null if the login does not need them.
    pub(super) fn to_json(&self) -> Value {
        let session = self.session;
        json!({
            "sessionId": session.id(),
            "app": session.app_name(),
            "origin": session.origin(),
            "session": serde_json::from_str::<Value>(session.json()).unwrap_or_default(),
            "decision": self.decision.map(|decision| match decision {
                Decision::Confirm => "confirmed",
                Decision::Deny => "denied",
            }),
            "checkCode": session.check_code(),
            "returnUrl": session.return_url().map(ReturnLink::reveal),
            "encrypted": session.is_encrypted(),
            "proven": self.proven,
        })
    }
}

impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let payload = if self.session.is_encrypted() {
            "was encrypted"
        } else {
            "could be read by the service"
        };
        match self.decision {
            Some(Decision::Confirm) => {
                let proven = if self.proven { ", with a proof" } else { "" };
                write!(f, "Confirmed{proven}. The payload {payload}.")?;
                if let Some(page) = self.session.return_url().map(ReturnLink::reveal) {
                    write!(f, "\n\nGo on in the browser that shows the link:\n{page}")?;
                }
                match self.session.check_code() {
                    Some(code) => write!(f, "\n\n{}", Digits(code)),
                    None => Ok(()),
                }
            }
            Some(Decision::Deny) => f.write_str("Denied."),
            // If opened again, the code would belong to a second phone and be blocked.
            None => f.write_str(
                "Neither confirmed nor denied. A code can be opened once: have the page show a new \
                 one, and add --confirm or --deny, or ask from a terminal.",
            ),
        }
    }
}
