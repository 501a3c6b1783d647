//! Errors as codes for programs and as sentences for users.

use super::SdkError;

impl SdkError {
    /// Returns the error's stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.words().0
    }

    /// Returns a sentence for users, in English. Apps in other languages choose their own texts by
    /// [`code`](Self::code).
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.words().1
    }

    const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Network { .. } => (
                "network",
                "The service cannot be reached. Check your connection and try again.",
            ),
            Self::Problem(_) => ("problem", "The service refused the login. Scan a new code."),
            Self::MalformedAnswer(_) => (
                "malformed_answer",
                "The service did not answer as expected. Try again later.",
            ),
            Self::Expired(_) => ("expired", "The login has expired. Scan a new code."),
            Self::Blocked(_) => (
                "blocked",
                "The login was blocked, because somebody else may have seen the code. Scan a new one.",
            ),
            Self::Ended(_) => ("ended", "The login is over. Scan a new code."),
            Self::NotFound(_) => (
                "not_found",
                "There is no such login, or its code is too old. Scan the code on the screen.",
            ),
            Self::RiskDenied(_) => (
                "risk_denied",
                "This login looks too risky, so it was blocked.",
            ),
            Self::ProofRequired(_) => (
                "proof_required",
                "This phone is not set up to approve this. Log in to the app first.",
            ),
            Self::KeyMismatch(_) => (
                "key_mismatch",
                "Somebody may be trying to read along. Nothing was sent. Do not log in this way.",
            ),
            Self::AlreadyAnswered { .. } => {
                ("already_answered", "You have already answered this login.")
            }
            Self::ContextUnsupported => (
                "context_unsupported",
                "This version of the app cannot show what you would approve. Update the app.",
            ),
            Self::PlainRefused => (
                "plain_refused",
                "The browser cannot receive the login safely. Use a newer browser.",
            ),
            Self::InvalidLink(_) => ("invalid_link", "This code is not a login of this app."),
            Self::InvalidAppKey => ("invalid_app_key", "The app is not set up correctly."),
            Self::InvalidSessionId => (
                "invalid_session_id",
                "This code is not a login of this app.",
            ),
            Self::InvalidPublicUserId => {
                ("invalid_public_user_id", "The app is not set up correctly.")
            }
            Self::PayloadTooLong => (
                "payload_too_long",
                "The app's answer is too long. Nothing was sent.",
            ),
            Self::UnusableBrowserKey => (
                "unusable_browser_key",
                "The browser cannot receive the login safely. Nothing was sent.",
            ),
            Self::ProofTooLong => ("proof_too_long", "The app is not set up correctly."),
            Self::UnknownKey => ("unknown_key", "This phone has no key for this user."),
            Self::ReservedData => ("reserved_data", "The app may not sign this."),
            Self::UserAuthenticationRequired => (
                "user_authentication_required",
                "Unlock your phone and try again.",
            ),
            Self::KeyStoreFailed { .. } => (
                "key_store_failed",
                "The phone's keys cannot be used. Try again.",
            ),
            Self::StorageFailed { .. } => (
                "storage_failed",
                "The phone's storage cannot be used. Try again.",
            ),
            Self::Cancelled => ("cancelled", "Nothing was sent."),
            Self::Internal { .. } => ("internal", "Something went wrong. Try again."),
        }
    }
}
