//! Results of approvals.

use serde::Serialize;

/// The outcome of an approval. As JSON, it has `status` and the members of the variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "status",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum ApprovalResult {
    /// The user has not decided yet, or has yet to type the digits. Asking uses up nothing.
    Pending {
        /// The approval's id.
        id: String,
        /// The seconds that are left.
        expires_in: u64,
    },
    /// The user approved the context, and a proof by a key of this user says so.
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
    /// The user denied, or the approval was blocked, or its proof is not this user's.
    Denied {
        /// The approval's id.
        id: String,
        /// Which of these. Why a proof is not this user's is in the log: pages need not know.
        reason: DenialReason,
    },
    /// The user did not decide in time, or the approval was cancelled.
    Expired {
        /// The approval's id.
        id: String,
        /// Which of these.
        reason: ExpiryReason,
    },
    /// An earlier call returned the result, or a webhook brought it: your own record has it.
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
    /// The user denied.
    Denied,
    /// The service stopped it.
    Blocked,
    /// It was confirmed without a proof by a key of this user.
    Unverified,
}

/// Why an approval is over without a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExpiryReason {
    /// The time was over.
    Expired,
    /// The server cancelled it.
    Cancelled,
}
