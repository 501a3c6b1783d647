//! Documents of the `OpenID` provider: subjects of numbers, and the confirmations that they come from.

use super::Store;
use super::document::Key;
use crate::app::scope::Scope;
use crate::confirmation::subject::SubjectKey;
use crate::confirmation::transitions::{RedactOutcome, redact};
use crate::confirmation::{Confirmation, OpenIdConfirmation};
use crate::delivery::Decision;
use crate::openid::subject::{self, NumberSubject, Subject};
use crate::primitives::ids::ConfirmationId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

impl Store {
    /// Erases the numbers and the metadata of a finished confirmation. If a person logged in with it through the
    /// `OpenID` provider, this also ends the subject of the number, so that nothing links a later login to this one.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn redact(
        &self,
        id: ConfirmationId,
        scope: Scope<'_>,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let mut ended = None;
        loop {
            let decide = |current: Option<Confirmation>| {
                let has = current.as_ref().and_then(subject_of);
                let Decision { outcome, write } = redact(current, scope, now);
                match has.filter(|_| write.is_some() && has != ended) {
                    // The subject ends first: its key is erased together with the number.
                    Some(subject) => Decision::refuse(Err(subject)),
                    None => Decision {
                        outcome: Ok(outcome),
                        write,
                    },
                }
            };
            match self.change(id, decide).await? {
                Ok(outcome) => return Ok(outcome),
                Err(subject) => {
                    let end = |current| subject::end(current, now);
                    self.change(Key::Subject(subject), end).await?;
                    ended = Some(subject);
                }
            }
        }
    }

    /// Records in a verified confirmation of the `OpenID` provider where the subject of its number is stored. Returns
    /// whether the confirmation still has the number.
    pub(crate) async fn note_subject(
        &self,
        id: ConfirmationId,
        key: SubjectKey,
    ) -> Result<bool, Unavailable> {
        let decide = |current: Option<Confirmation>| {
            let numbered = |item: &Confirmation| {
                item.verified()
                    .is_some_and(|it| it.phone_number.present().is_some())
            };
            let Some(mut item) = current.filter(numbered) else {
                return Decision::refuse(false);
            };
            let known = subject_of(&item) == Some(key);
            item.openid = Some(OpenIdConfirmation { subject: Some(key) });
            Decision {
                outcome: true,
                write: (!known).then_some(item),
            }
        };
        self.change(id, decide).await
    }

    /// Records a login with a number, and returns the number's subject: `fresh`, unless it has one that is in use.
    pub(crate) async fn log_in(
        &self,
        key: SubjectKey,
        fresh: NumberSubject,
        silence: Option<std::time::Duration>,
        now: Timestamp,
    ) -> Result<NumberSubject, Unavailable> {
        let decide = |current: Option<Subject>| subject::log_in(current, fresh, silence, now);
        self.change(Key::Subject(key), decide).await
    }
}

fn subject_of(item: &Confirmation) -> Option<SubjectKey> {
    item.openid.and_then(|openid| openid.subject)
}
