//! The effect of a change of a document on the hourly counts.

use super::document::Document;
use crate::hourly::{Counted, confirmation_steps, login_steps};
use crate::primitives::ids::AppId;

/// The effect of a change on the hourly counts of a store that keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountChange {
    /// Each is to be counted once.
    pub steps: Vec<Counted>,
    /// The app whose counts are added to those that are not kept apart, because it was deleted.
    pub forgotten: Option<AppId>,
}

impl CountChange {
    /// Returns the effect of a change; `before` is `None` if the change creates the document.
    #[must_use]
    pub fn new(before: Option<&Document>, after: &Document) -> Self {
        match (before, after) {
            (None, Document::Confirmation(after)) => confirmation_steps(None, after).into(),
            (Some(Document::Confirmation(before)), Document::Confirmation(after)) => {
                confirmation_steps(Some(before), after).into()
            }
            (None, Document::Login(after)) => login_steps(None, after).into(),
            (Some(Document::Login(before)), Document::Login(after)) => {
                login_steps(Some(before), after).into()
            }
            (Some(Document::App(before)), Document::App(after))
                if after.is_deleted() && !before.is_deleted() =>
            {
                Self {
                    forgotten: Some(after.app.id.clone()),
                    ..Self::default()
                }
            }
            _ => Self::default(),
        }
    }

    /// Returns whether the counts stay as they are.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.forgotten.is_none()
    }
}

impl From<Vec<Counted>> for CountChange {
    fn from(steps: Vec<Counted>) -> Self {
        Self {
            steps,
            forgotten: None,
        }
    }
}
