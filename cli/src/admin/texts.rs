//! Explains the effect of a text to the user of the simulated phone. Providers never get the
//! explanation; only the owner of the data can reach the admin socket.

use countersign_domain::app::code::{Code, NoCode};
use countersign_domain::confirmation::{Confirmation, Flow, State};
use countersign_domain::primitives::phone::PhoneNumber;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Needs, Offer, Request};
use super::{Admin, AdminError};

/// Explains the effect of a text that was sent to the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExplainText {
    /// The sender's number.
    pub(crate) from: String,
    /// The recipient's number.
    pub(crate) to: String,
    pub(crate) message: String,
}

/// The effect of a text, as far as the store shows it afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEffect {
    /// True if the confirmation is now verified with this sender.
    pub(crate) verified: bool,
    /// The confirmation that the text's code belongs to, if any.
    pub(crate) confirmation_id: Option<String>,
    /// A sentence that explains the effect of the text.
    pub(crate) summary: String,
}

impl Answer for TextEffect {}

impl Request for ExplainText {
    const NAME: &'static str = "explain_text";
    const NEEDS: Needs = Needs::Server;
    // It would confirm a guess at a masked number.
    const OFFER: Offer = Offer::Never;
    type Answer = TextEffect;

    async fn execute(self, admin: &Admin) -> Result<TextEffect, AdminError> {
        admin.running()?;
        let nothing = |summary: &str| {
            Ok(TextEffect {
                verified: false,
                confirmation_id: None,
                summary: format!("The text verified nothing: {summary}."),
            })
        };
        let Ok(from) = PhoneNumber::parse_sender(&self.from) else {
            return nothing(if self.from.is_empty() {
                "it came without its sender's number"
            } else {
                "its sender is not a number like +12025550100"
            });
        };
        let profile = admin.store.inbound_profile().await?;
        if !profile
            .recipients
            .iter()
            .any(|ours| ours.is_written(&self.to))
        {
            return nothing(
                "no app receives texts at its recipient; use the confirmation's sendTo",
            );
        }
        let code = match Code::find(&self.message, &profile.prefixes) {
            Ok(code) => code,
            Err(NoCode::Absent) => {
                return nothing("it holds no code; use the confirmation's confirmationMessage");
            }
            Err(NoCode::Ambiguous) => return nothing("it holds more than one code"),
        };
        let now = admin.clock.now();
        match admin
            .store
            .find::<Confirmation>(code.confirmation_id(), now)
            .await?
        {
            None => nothing("no confirmation has its code"),
            Some(item) => {
                let (verified, summary) = check(&item, &from, now < item.expires_at);
                let confirmation_id = Some(item.id.to_string());
                Ok(TextEffect {
                    verified,
                    confirmation_id,
                    summary: summary.to_owned(),
                })
            }
        }
    }
}

fn check(item: &Confirmation, from: &PhoneNumber, in_time: bool) -> (bool, &'static str) {
    match &item.state {
        State::Verified(verified) if verified.phone_number.present() == Some(from) => {
            (true, "The number is verified.")
        }
        State::Verified(_) => (
            false,
            "The text verified nothing: another text had already verified the confirmation.",
        ),
        State::Cancelled { .. } => (
            false,
            "The text verified nothing: the confirmation was cancelled.",
        ),
        State::Open { .. } if !in_time => (
            false,
            "The text verified nothing: the confirmation has expired.",
        ),
        State::Open { .. } => match item.flow {
            Flow::Confirmation { .. } => (
                false,
                "The text verified nothing: the confirmation expects it from another number.",
            ),
            Flow::Acquisition if item.refused_types.refuse(from) => (
                false,
                "The text verified nothing: the app refuses numbers of this type.",
            ),
            Flow::Acquisition => (false, "The text has not been processed yet."),
        },
    }
}
