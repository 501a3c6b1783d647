//! The confirmations and logins that a caller of the API may see and change.

use super::api_key::KeyMode;
use crate::primitives::ids::AppId;

/// The items of an app that a key may access: all for a live key, only test items for a test key.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub app: &'a AppId,
    /// The mode of the caller's key.
    pub mode: KeyMode,
}

impl<'a> Scope<'a> {
    /// Returns the scope of an app's live keys.
    #[must_use]
    pub const fn live(app: &'a AppId) -> Self {
        let mode = KeyMode::Live;
        Self { app, mode }
    }

    /// Returns whether the caller may see and change an item of this app that a test key or a live key started.
    #[must_use]
    pub fn has(&self, app: &AppId, is_test: bool) -> bool {
        *app == *self.app && (is_test || self.mode == KeyMode::Live)
    }
}
