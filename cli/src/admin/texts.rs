//! Telling the person at the simulated phone what a text did. Providers are told nothing of the
//! kind; whoever reaches the admin socket owns the data anyway.

use countersign_domain::app::code::{Code, NoCode};
use countersign_domain::confirmation::store::ConfirmationStore as _;
use countersign_domain::confirmation::{Confirmation, Flow, State};
use countersign_domain::primitives::phone::PhoneNumber;

use super::answer::{Answer, TextEffect};
use super::command::SentText;
use super::{Admin, AdminError};

impl Admin {
    pub(super) async fn explain_text(&self, text: SentText) -> Result<Answer, AdminError> {
        let running = self.running()?;
        let nothing = |summary: &str| {
            Ok(Answer::Text(TextEffect {
                verified: false,
                confirmation_id: None,
                summary: format!("The text changed nothing: {summary}."),
            }))
        };
        let Ok(from) = PhoneNumber::parse_sender(&text.from) else {
            return nothing("its sender is not a number of the form +12025550100");
        };
        let profile = self.apps.inbound_profile().await?;
        if !profile
            .recipients
            .iter()
            .any(|ours| ours.as_str() == text.to)
        {
            return nothing("its recipient is no number of ours; use the session's sendTo");
        }
        let code = match Code::find(&text.message, &profile.prefixes) {
            Ok(code) => code,
            Err(NoCode::Absent) => {
                return nothing("there is no code in it; use the session's confirmationMessage");
            }
            Err(NoCode::Ambiguous) => return nothing("there is more than one code in it"),
        };
        let now = self.clock.now();
        match running.store.find(code.confirmation_id(), now).await? {
            None => nothing("no session has its code"),
            Some(item) => {
                let (verified, summary) = judge(&item, &from, now < item.expires_at);
                let confirmation_id = Some(item.id.to_string());
                Ok(Answer::Text(TextEffect {
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
            (true, "The text did it: the number is verified.")
        }
        State::Verified(_) => (
            false,
            "The text changed nothing: another text had completed the session.",
        ),
        State::Cancelled { .. } => (
            false,
            "The text changed nothing: the session was cancelled.",
        ),
        State::Open if !in_time => (false, "The text changed nothing: the session has expired."),
        State::Open => match item.flow {
            Flow::Confirmation { .. } => (
                false,
                "The text changed nothing: the session expects it from another number.",
            ),
            Flow::Acquisition => (false, "The text has not been taken yet."),
        },
    }
}
