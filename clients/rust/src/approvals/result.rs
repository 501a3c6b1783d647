//! Results of approvals.

use serde::Serialize;

/// The outcome of an approval. Its JSON has `status` and the members of the variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "status",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum ApprovalResult {
    /// The user has not decided yet, or has not typed the digits yet. Reading the result again has
    /// no side effects.
    Pending {
        /// The approval's id.
        id: String,
        /// Remaining time in seconds.
        expires_in: u64,
    },
    /// The user approved the context; this is proven by one of the user's keys.
    Approved {
        /// The approval's id.
        id: String,
        /// The user.
        user_id: String,
        /// The key that signed.
        key_id: String,
        /// The text that was approved.
        context: String,
        /// The page's origin.
        origin: String,
    },
    /// The user denied the approval, or it was blocked, or its proof is not from this user.
    Denied {
        /// The approval's id.
        id: String,
        /// Why the approval was denied. The log explains a proof that is not from this user: pages
        /// need not know.
        reason: DenialReason,
    },
    /// The user did not decide in time, or the approval was cancelled.
    Expired {
        /// The approval's id.
        id: String,
        /// Why the approval ended without a decision.
        reason: ExpiryReason,
    },
    /// An earlier call or a webhook already reported the result: read your own record.
    AlreadyReported {
        /// The approval's id.
        id: String,
    },
}

impl ApprovalResult {
    /// Returns the approval's id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Pending { id, .. }
            | Self::Approved { id, .. }
            | Self::Denied { id, .. }
            | Self::Expired { id, .. }
            | Self::AlreadyReported { id } => id,
        }
    }

    /// Returns the status, such as `approved`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Pending { .. } => "pending",
            Self::Approved { .. } => "approved",
            Self::Denied { .. } => "denied",
            Self::Expired { .. } => "expired",
            Self::AlreadyReported { .. } => "already_reported",
        }
    }
}

/// Why an approval is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DenialReason {
    /// The user denied the approval.
    Denied,
    /// The service blocked the approval.
    Blocked,
    /// The approval was confirmed without a proof by one of this user's keys.
    Unverified,
}

/// Why an approval ended without a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExpiryReason {
    /// The approval expired.
    Expired,
    /// The server cancelled the approval.
    Cancelled,
}
