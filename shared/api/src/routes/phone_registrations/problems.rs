//! Problems that several routes of phone registrations share.

use countersign_domain::login::association_key::transitions::RegisterRefusal;
use countersign_domain::login::phone_registration::{Failure, SetupRefusal};
use countersign_domain::use_cases::phone_registrations::SetupError;

use crate::extract::fields::sentence;
use crate::problem::{Problem, ProblemCode};

/// Problems of a request about a registration.
pub(super) const PROBLEMS: &[ProblemCode] = &[ProblemCode::RegistrationNotFound];

/// Problems of a request that is not possible after the registration has ended.
pub(super) const ENDED_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::RegistrationCompleted,
    ProblemCode::RegistrationCancelled,
    ProblemCode::RegistrationFailed,
    ProblemCode::RegistrationExpired,
];

/// Problems of a key that cannot be registered.
pub(super) const KEY_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::AssociationKeyTaken,
    ProblemCode::AssociationKeyRevoked,
];

const PUBLIC_KEY: &str = "/publicKey";
const SIGNATURE: &str = "/signature";
const DIGITS: &str = "/digits";

impl From<SetupError> for Problem {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Refused(refusal) => refused(refusal),
            SetupError::Key(refusal) => key_refused(&refusal),
            SetupError::PasskeyRequired => Self::new(ProblemCode::PasskeyRequired)
                .detail("Make a passkey, or open the link in a browser that has them."),
            SetupError::AssertionFalse => Self::new(ProblemCode::PasskeyFalse).detail(
                "Sign the challenge of this registration at the link host, with the user verified.",
            ),
            SetupError::Unavailable(cause) => cause.into(),
        }
    }
}

fn refused(refusal: SetupRefusal) -> Problem {
    match refusal {
        SetupRefusal::Unknown => Problem::new(ProblemCode::RegistrationNotFound),
        SetupRefusal::Expired => Problem::new(ProblemCode::RegistrationExpired),
        SetupRefusal::AlreadyOpened => Problem::new(ProblemCode::RegistrationOpened)
            .detail("If that was not your phone, cancel the registration and begin again."),
        SetupRefusal::NotSigned => Problem::new(ProblemCode::RegistrationNotSigned),
        SetupRefusal::SignedDifferently => Problem::new(ProblemCode::RegistrationSignedDifferently),
        SetupRefusal::Completed => Problem::new(ProblemCode::RegistrationCompleted),
        SetupRefusal::Failed(Failure::Cancelled) => {
            Problem::new(ProblemCode::RegistrationCancelled)
        }
        SetupRefusal::Failed(Failure::WrongDigits) | SetupRefusal::DigitsBlocked => {
            Problem::new(ProblemCode::RegistrationFailed)
                .detail("The digits were wrong three times. Begin a new registration.")
        }
        SetupRefusal::Failed(Failure::KeyRefused) => Problem::new(ProblemCode::RegistrationFailed)
            .detail("The key could not be registered. Begin a new registration."),
        SetupRefusal::DigitsWrong { tries_left } => Problem::new(ProblemCode::CheckCodeWrong)
            .detail(if tries_left == 1 {
                "Once more, and the registration ends."
            } else {
                "Two more wrong ones end the registration."
            })
            .at(DIGITS)
            .tries_left(tries_left),
        SetupRefusal::Withdrawn => Problem::new(ProblemCode::WebPhoneOff)
            .detail("The app's settings have changed and no longer allow this registration."),
    }
}

fn key_refused(refusal: &RegisterRefusal) -> Problem {
    let (code, at) = match refusal {
        RegisterRefusal::QuotaExceeded(exceeded) => return (*exceeded).into(),
        RegisterRefusal::AppFull => {
            return Problem::new(ProblemCode::AppAssociationKeysExceeded)
                .detail("Ask the operator to raise the quota. Revoked keys count, too.");
        }
        RegisterRefusal::Anonymous => (ProblemCode::PublicUserIdAnonymous, None),
        RegisterRefusal::MalformedKey => (ProblemCode::AssociationKeyMalformed, Some(PUBLIC_KEY)),
        RegisterRefusal::SignatureMissing => (ProblemCode::KeySignatureMissing, Some(SIGNATURE)),
        RegisterRefusal::SignatureFalse => (ProblemCode::KeySignatureFalse, Some(SIGNATURE)),
        RegisterRefusal::OwnedByAnother | RegisterRefusal::OtherKind => {
            (ProblemCode::AssociationKeyTaken, None)
        }
        RegisterRefusal::Revoked => (ProblemCode::AssociationKeyRevoked, None),
        RegisterRefusal::TooMany => (ProblemCode::TooManyAssociationKeys, None),
    };
    let problem = Problem::new(code).detail(match refusal {
        // The app knows the key, whoever's it is.
        RegisterRefusal::OwnedByAnother => "Make a new key.".to_owned(),
        _ => sentence(refusal),
    });
    match at {
        Some(at) => problem.at(at),
        None => problem,
    }
}
