//! The members of a JSON body.

use std::borrow::Cow;

use countersign_domain::primitives::canonical_json::{
    CanonicalError, CanonicalObject, JsonKind, Limits, Members,
};
use countersign_domain::primitives::phone::{PhoneNumber, PhoneNumberError};
use countersign_domain::web::callback_url::{
    CallbackPolicy, CallbackUrl, CallbackUrlError, MAX_BYTES,
};

use crate::problem::{Problem, ProblemCode};

/// Problems of a body whose members are read.
pub(crate) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::MalformedJson,
    ProblemCode::BodyNotObject,
    ProblemCode::DuplicateField,
    ProblemCode::FieldWrongType,
    ProblemCode::FieldNotUnicode,
];

/// Problems of `phoneNumber`.
pub(crate) const PHONE_NUMBER_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::FieldMissing,
    ProblemCode::PhoneNumberNotInternational,
    ProblemCode::PhoneNumberNotPossible,
];

/// Problems of `callbackUrl`.
pub(crate) const CALLBACK_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::CallbackUrlTooLong,
    ProblemCode::CallbackUrlMalformed,
    ProblemCode::CallbackUrlNotHttps,
    ProblemCode::CallbackPortForbidden,
    ProblemCode::CallbackAddressForbidden,
];

/// Problems of `metadata`.
pub(crate) const METADATA_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::MetadataTooLarge,
    ProblemCode::MetadataTooManyKeys,
    ProblemCode::MetadataTooDeep,
    ProblemCode::MetadataDuplicateKey,
    ProblemCode::MetadataKeyForbidden,
    ProblemCode::MetadataNumberInexact,
];

/// The members of a body. `null` counts as absent; unknown members are ignored.
pub(crate) struct Fields<'a>(Members<'a>);

impl<'a> Fields<'a> {
    /// Parses a body's members.
    pub(crate) fn read(body: &'a [u8]) -> Result<Self, Problem> {
        Members::parse(body).map(Self).map_err(body_problem)
    }

    /// Returns `phoneNumber`, which is required.
    pub(crate) fn phone_number(&self) -> Result<PhoneNumber, Problem> {
        let at = "/phoneNumber";
        let text = self.text("phoneNumber", at)?.ok_or_else(|| {
            Problem::new(ProblemCode::FieldMissing)
                .detail("Send the number to confirm as phoneNumber, in international form.")
                .at(at)
        })?;
        PhoneNumber::parse_international(&text).map_err(|error| phone_number_problem(error).at(at))
    }

    /// Returns `callbackUrl`, if present.
    pub(crate) fn callback(&self, policy: &CallbackPolicy) -> Result<Option<CallbackUrl>, Problem> {
        let at = "/callbackUrl";
        self.text("callbackUrl", at)?
            .map(|text| CallbackUrl::parse(&text, policy))
            .transpose()
            .map_err(|error| callback_problem(error).at(at))
    }

    /// Returns `metadata`, empty if absent.
    pub(crate) fn metadata(&self) -> Result<CanonicalObject, Problem> {
        self.0
            .object("metadata", Limits::METADATA)
            .map(Option::unwrap_or_default)
            .map_err(|error| metadata_problem(error).at("/metadata"))
    }

    /// Returns a boolean, if present.
    pub(crate) fn boolean(&self, name: &str, at: &'static str) -> Result<Option<bool>, Problem> {
        match self.0.get(name) {
            None => Ok(None),
            Some(json) if json.kind() == JsonKind::Null => Ok(None),
            Some(json) => match json.as_boolean() {
                Some(value) => Ok(Some(value)),
                None => Err(Problem::new(ProblemCode::FieldWrongType)
                    .detail("It must be true or false.")
                    .at(at)),
            },
        }
    }

    /// Returns a string, if present.
    pub(crate) fn text(
        &self,
        name: &str,
        at: &'static str,
    ) -> Result<Option<Cow<'a, str>>, Problem> {
        self.0.text(name).map_err(|error| {
            match error {
                CanonicalError::NotAString { .. } => {
                    Problem::new(ProblemCode::FieldWrongType).detail("It must be a string.")
                }
                error => value_problem(error),
            }
            .at(at)
        })
    }
}

/// Returns the problem of a body as a whole.
fn body_problem(error: CanonicalError) -> Problem {
    let code = match error {
        CanonicalError::NotAnObject { .. } => ProblemCode::BodyNotObject,
        CanonicalError::DuplicateKey { .. } => ProblemCode::DuplicateField,
        _ => ProblemCode::MalformedJson,
    };
    Problem::new(code).detail(sentence(&error))
}

/// Returns the problem of a value, whichever the field.
fn value_problem(error: CanonicalError) -> Problem {
    let code = match error {
        CanonicalError::LoneSurrogate { .. } => ProblemCode::FieldNotUnicode,
        _ => ProblemCode::FieldWrongType,
    };
    Problem::new(code).detail(sentence(&error))
}

fn metadata_problem(error: CanonicalError) -> Problem {
    let code = match error {
        CanonicalError::TooLarge { .. } => ProblemCode::MetadataTooLarge,
        CanonicalError::TooManyKeys { .. } => ProblemCode::MetadataTooManyKeys,
        CanonicalError::TooDeep { .. } => ProblemCode::MetadataTooDeep,
        CanonicalError::DuplicateKey { .. } => ProblemCode::MetadataDuplicateKey,
        CanonicalError::ForbiddenKey { .. } => ProblemCode::MetadataKeyForbidden,
        CanonicalError::IntegerOutOfRange { .. } | CanonicalError::NumberNotFinite { .. } => {
            ProblemCode::MetadataNumberInexact
        }
        CanonicalError::NotAnObject { .. } => {
            return Problem::new(ProblemCode::FieldWrongType).detail("It must be an object.");
        }
        error => return value_problem(error),
    };
    Problem::new(code).detail(sentence(&error))
}

fn phone_number_problem(error: PhoneNumberError) -> Problem {
    match error {
        PhoneNumberError::NotInternational => {
            Problem::new(ProblemCode::PhoneNumberNotInternational).detail(
                "Write + and the country code before the number, as in +12025550100. Spaces, dots, \
                 hyphens and brackets are allowed.",
            )
        }
        PhoneNumberError::NotPossible => Problem::new(ProblemCode::PhoneNumberNotPossible)
            .detail("The country code does not exist, or has no numbers of this length."),
    }
}

fn callback_problem(error: CallbackUrlError) -> Problem {
    let code = match error {
        CallbackUrlError::TooLong => {
            return Problem::new(ProblemCode::CallbackUrlTooLong)
                .detail(format!("Send at most {MAX_BYTES} bytes."));
        }
        CallbackUrlError::ForbiddenCharacter
        | CallbackUrlError::Malformed
        | CallbackUrlError::UserInfo
        | CallbackUrlError::Fragment => ProblemCode::CallbackUrlMalformed,
        CallbackUrlError::NotHttps => ProblemCode::CallbackUrlNotHttps,
        CallbackUrlError::Port(_) => ProblemCode::CallbackPortForbidden,
        CallbackUrlError::HostForbidden | CallbackUrlError::AddressForbidden(_) => {
            ProblemCode::CallbackAddressForbidden
        }
    };
    Problem::new(code).detail(sentence(&error))
}

/// Turns an error's text into a sentence. The domain's errors never quote what the caller sent.
pub(crate) fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}
