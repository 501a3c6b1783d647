//! The confirmations that a caller of the API may see and change.

use super::Confirmation;
use crate::app::api_key::KeyMode;
use crate::primitives::ids::AppId;

/// Those of one app: with a live key all of them, with a test key those that test keys started.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub app: &'a AppId,
    /// What the caller's key is for.
    pub mode: KeyMode,
}

impl<'a> Scope<'a> {
    /// Returns the scope of an app's live keys.
    #[must_use]
    pub const fn live(app: &'a AppId) -> Self {
        let mode = KeyMode::Live;
        Self { app, mode }
    }

    /// Returns whether the caller may see and change the confirmation.
    #[must_use]
    pub fn has(&self, item: &Confirmation) -> bool {
        item.app == *self.app && (item.test || self.mode == KeyMode::Live)
    }
}
