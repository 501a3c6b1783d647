//! The service's refusals (RFC 9457).

use std::fmt;

use serde::Deserialize;

use super::SdkError;

/// A refusal of the service. `docs/problems.md` lists the codes. `Display` writes title, detail and
/// code; all three come from the service, so a terminal must not interpret them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct ServiceProblem {
    /// The answer's status code.
    pub status: u16,
    /// The stable code, such as `session_blocked`.
    pub code: String,
    /// Title of the problem.
    pub title: String,
    /// Advice on what to change, if the service gives it.
    pub detail: Option<String>,
}

#[derive(Deserialize)]
struct ProblemBody {
    title: String,
    detail: Option<String>,
    code: String,
}

impl ServiceProblem {
    /// Parses an answer's body; `None` if it is not a problem with a code.
    #[must_use]
    pub fn read(status: u16, body: &[u8]) -> Option<Self> {
        let ProblemBody {
            title,
            detail,
            code,
        } = serde_json::from_slice(body).ok()?;
        Some(Self {
            status,
            code,
            title,
            detail,
        })
    }
}

impl fmt::Display for ServiceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        if let Some(detail) = &self.detail {
            write!(f, ". {detail}")?;
        }
        write!(f, " ({})", self.code)
    }
}

impl From<ServiceProblem> for SdkError {
    fn from(problem: ServiceProblem) -> Self {
        match problem.code.as_str() {
            "session_expired" | "session_over" => Self::Expired(Some(problem)),
            "second_phone" | "session_blocked" => Self::Blocked(problem),
            "session_ended" | "session_confirmed" | "session_consumed" | "session_denied"
            | "session_cancelled" => Self::Ended(problem),
            "session_not_found" => Self::NotFound(problem),
            "risk_denied" => Self::RiskDenied(problem),
            "proof_required" => Self::ProofRequired(problem),
            _ => Self::Problem(problem),
        }
    }
}
