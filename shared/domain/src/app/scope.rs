//! The confirmations and logins that a caller of the API may see and change.

use super::api_key::KeyMode;
use crate::primitives::ids::AppId;

/// Items of one app: with a live key all of them, with a test key only tests.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub app: &'a AppId,
    /// The purpose of the caller's key.
    pub mode: KeyMode,
}

impl<'a> Scope<'a> {
    /// Returns the scope of an app's live keys.
    #[must_use]
    pub const fn live(app: &'a AppId) -> Self {
        let mode = KeyMode::Live;
        Self { app, mode }
    }

    /// Returns whether the caller may see and change something of this app, which a test key started or a live one.
    #[must_use]
    pub fn has(&self, app: &AppId, is_test: bool) -> bool {
        *app == *self.app && (is_test || self.mode == KeyMode::Live)
    }
}
