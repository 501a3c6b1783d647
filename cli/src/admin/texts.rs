//! Explains the effect of a text to the person at the simulated phone. Providers never learn it;
//! only the owner of the data can reach the admin socket.

use countersign_domain::app::code::{Code, NoCode};
use countersign_domain::confirmation::{Confirmation, Flow, State};
use countersign_domain::primitives::phone::PhoneNumber;

use super::answer::{AdminAnswer, TextEffect};
use super::command::SentText;
use super::{Admin, AdminError};

impl Admin {
    pub(super) async fn explain_text(&self, text: SentText) -> Result<AdminAnswer, AdminError> {
        self.running()?;
        let nothing = |summary: &str| {
            Ok(AdminAnswer::Text(TextEffect {
                verified: false,
                confirmation_id: None,
                summary: format!("The text verified nothing: {summary}."),
            }))
        };
        let Ok(from) = PhoneNumber::parse_sender(&text.from) else {
            return nothing(if text.from.is_empty() {
                "it came without its sender's number"
            } else {
                "its sender is not a number like +12025550100"
            });
        };
        let profile = self.store.inbound_profile().await?;
        if !profile
            .recipients
            .iter()
            .any(|ours| ours.is_written(&text.to))
        {
            return nothing(
                "no app receives texts at its recipient; use the confirmation's sendTo",
            );
        }
        let code = match Code::find(&text.message, &profile.prefixes) {
            Ok(code) => code,
            Err(NoCode::Absent) => {
                return nothing("it holds no code; use the confirmation's confirmationMessage");
            }
            Err(NoCode::Ambiguous) => return nothing("it holds more than one code"),
        };
        let now = self.clock.now();
        match self
            .store
            .find::<Confirmation>(code.confirmation_id(), now)
            .await?
        {
            None => nothing("no confirmation has its code"),
            Some(item) => {
                let (verified, summary) = judge(&item, &from, now < item.expires_at);
                let confirmation_id = Some(item.id.to_string());
                Ok(AdminAnswer::Text(TextEffect {
                    verified,
                    confirmation_id,
                    summary: summary.to_owned(),
                }))
            }
        }
    }
}

fn judge(item: &Confirmation, from: &PhoneNumber, in_time: bool) -> (bool, &'static str) {
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
