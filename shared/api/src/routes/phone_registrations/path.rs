//! The id in the paths of phone registrations.

use countersign_domain::primitives::ids::PhoneRegistrationId;

use crate::extract::path_id::{self, GuessableId};
use crate::problem::ProblemCode;

pub(crate) type PathId = path_id::PathId<PhoneRegistrationId>;

impl GuessableId for PhoneRegistrationId {
    const PATTERN: &'static str = "^phr_[0-9a-f]{32}$";
    const DESCRIPTION: &'static str = "`registrationId` of the phone registration.";
    const UNKNOWN: ProblemCode = ProblemCode::RegistrationNotFound;
}
