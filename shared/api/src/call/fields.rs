use std::borrow::Cow;

use countersign_domain::primitives::canonical_json::{
    CanonicalError, CanonicalObject, JsonKind, Limits, Members,
};
use countersign_domain::primitives::phone::{PhoneNumber, PhoneNumberError};
use countersign_domain::web::callback_url::{
    CallbackPolicy, CallbackUrl, CallbackUrlError, MAX_BYTES,
};

use crate::problem::{Problem, ProblemCode};

/// The fields of a request's body. A field that is `null` counts as absent, and
/// those that nobody asks for are ignored.
pub(crate) struct Fields<'a>(Members<'a>);

impl<'a> Fields<'a> {
    /// Reads a body's members.
    pub(crate) fn read(body: &'a [u8]) -> Result<Self, Problem> {
        Members::parse(body).map(Self).map_err(of_body)
    }

    /// `phoneNumber`, which must be there.
    pub(crate) fn phone_number(&self) -> Result<PhoneNumber, Problem> {
        let at = "/phoneNumber";
        let text = self.text("phoneNumber", at)?.ok_or_else(|| {
            Problem::new(ProblemCode::FieldMissing)
                .detail("Say which number to confirm: phoneNumber, in international form.")
                .at(at)
        })?;
        PhoneNumber::parse_international(&text).map_err(|error| of_phone_number(error).at(at))
    }

    /// `callbackUrl`, where it is there.
    pub(crate) fn callback(&self, policy: &CallbackPolicy) -> Result<Option<CallbackUrl>, Problem> {
        let at = "/callbackUrl";
        self.text("callbackUrl", at)?
            .map(|text| CallbackUrl::parse(&text, policy))
            .transpose()
            .map_err(|error| of_callback(error).at(at))
    }

    /// `metadata`, or none.
    pub(crate) fn metadata(&self) -> Result<CanonicalObject, Problem> {
        self.0
            .object("metadata", Limits::METADATA)
            .map(Option::unwrap_or_default)
            .map_err(|error| of_metadata(error).at("/metadata"))
    }

    /// A boolean, where it is there.
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

    /// A string, where it is there.
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
                error => of_value(error),
            }
            .at(at)
        })
    }
}

/// What is wrong with a body as a whole.
fn of_body(error: CanonicalError) -> Problem {
    let code = match error {
        CanonicalError::NotAnObject { .. } => ProblemCode::BodyNotObject,
        CanonicalError::DuplicateKey { .. } => ProblemCode::DuplicateField,
        _ => ProblemCode::MalformedJson,
    };
    Problem::new(code).detail(sentence(&error))
}

/// What is wrong with a value, whatever the field.
fn of_value(error: CanonicalError) -> Problem {
    let code = match error {
        CanonicalError::LoneSurrogate { .. } => ProblemCode::FieldNotUnicode,
        _ => ProblemCode::FieldWrongType,
    };
    Problem::new(code).detail(sentence(&error))
}

fn of_metadata(error: CanonicalError) -> Problem {
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
        error => return of_value(error),
    };
    Problem::new(code).detail(sentence(&error))
}

fn of_phone_number(error: PhoneNumberError) -> Problem {
    match error {
        PhoneNumberError::NotInternational => {
            Problem::new(ProblemCode::PhoneNumberNotInternational).detail(
                "Write +, the country code and the number, as in +12025550100. Spaces, dots, \
                 hyphens and brackets may stand between.",
            )
        }
        PhoneNumberError::NotPossible => Problem::new(ProblemCode::PhoneNumberNotPossible)
            .detail("No country has that calling code, or it has no numbers of that length."),
    }
}

fn of_callback(error: CallbackUrlError) -> Problem {
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

/// An error's words as a sentence. The domain's errors hold no piece of what the caller sent.
pub(crate) fn sentence(error: &dyn std::error::Error) -> String {
    let words = error.to_string();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}
