//! The id in the paths of logins.

use countersign_domain::primitives::ids::LoginId;

use crate::extract::path_id::{self, GuessableId};
use crate::problem::ProblemCode;

pub(crate) type PathId = path_id::PathId<LoginId>;

impl GuessableId for LoginId {
    /// `qrs_` if the login's browser has a key, `qrp_` if not.
    const PATTERN: &'static str = "^qr[sp]_[0-9a-f]{32}$";
    const DESCRIPTION: &'static str = "`sessionId` of the login.";
    const UNKNOWN: ProblemCode = ProblemCode::SessionNotFound;
}
