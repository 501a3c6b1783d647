//! The members of a JSON body.

use std::str::FromStr;

use countersign_domain::app::template::TemplateLanguage;
use countersign_domain::primitives::canonical_json::{
    CanonicalError, CanonicalObject, Limits, Members,
};
use countersign_domain::primitives::phone::{Country, PhoneNumber, PhoneNumberError};
use countersign_domain::web::callback_url::{
    CallbackPolicy, CallbackUrl, CallbackUrlError, MAX_BYTES,
};
use serde::Deserialize;
use serde_json::value::RawValue;

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
    ProblemCode::PhoneNumberNotNational,
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

/// Problems of `country` and `language`.
pub(crate) const PLACE_PROBLEMS: &[ProblemCode] = &[
    ProblemCode::CountryMalformed,
    ProblemCode::LanguageMalformed,
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

/// Reads a body as the type that describes it. `null` counts as absent; unknown members are ignored.
pub(crate) fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Problem> {
    // Refuses what serde would accept: duplicate names, and values other than an object.
    Members::parse(body).map_err(body_problem)?;
    let mut json = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let at = error.path().iter().map(|segment| format!("/{segment}"));
        member_problem(error.inner()).at(at.collect::<String>())
    })
}

/// Returns a member that is required. `detail` tells the caller what to send.
pub(crate) fn required<T>(
    member: Option<T>,
    at: &'static str,
    detail: &'static str,
) -> Result<T, Problem> {
    let missing = || Problem::new(ProblemCode::FieldMissing).detail(detail);
    member.ok_or_else(|| missing().at(at))
}

/// Parses a member, if present. `code` is the problem to return for a malformed member.
pub(crate) fn parsed<T>(
    text: Option<&str>,
    at: &'static str,
    code: ProblemCode,
) -> Result<Option<T>, Problem>
where
    T: FromStr<Err: std::error::Error>,
{
    text.map(str::parse::<T>)
        .transpose()
        .map_err(|error| Problem::new(code).detail(sentence(&error)).at(at))
}

/// Parses `phoneNumber`, which is required. It may be in national form if the country is known.
pub(crate) fn phone_number(
    text: Option<&str>,
    country: Option<Country>,
) -> Result<PhoneNumber, Problem> {
    let at = "/phoneNumber";
    let detail = "Send the number to confirm as phoneNumber, in international form.";
    let text = required(text, at, detail)?;
    let number = match country {
        Some(country) => PhoneNumber::parse_within(text, country),
        None => PhoneNumber::parse_international(text),
    };
    number.map_err(|error| phone_number_problem(error).at(at))
}

/// Parses `country`, if present.
pub(crate) fn country(text: Option<&str>) -> Result<Option<Country>, Problem> {
    let parsed = text.map(Country::parse_or_prefix).transpose();
    parsed.map_err(|error| {
        Problem::new(ProblemCode::CountryMalformed)
            .detail(sentence(&error))
            .at("/country")
    })
}

/// Parses `language`, if present.
pub(crate) fn language(text: Option<&str>) -> Result<Option<TemplateLanguage>, Problem> {
    parsed(text, "/language", ProblemCode::LanguageMalformed)
}

/// Parses `callbackUrl`, if present.
pub(crate) fn callback(
    text: Option<&str>,
    policy: &CallbackPolicy,
) -> Result<Option<CallbackUrl>, Problem> {
    text.map(|text| CallbackUrl::parse(text, policy))
        .transpose()
        .map_err(|error| callback_problem(error).at("/callbackUrl"))
}

/// Parses `metadata`, empty if absent.
pub(crate) fn metadata(json: Option<&RawValue>) -> Result<CanonicalObject, Problem> {
    json.map(|json| CanonicalObject::parse(json.get(), Limits::METADATA))
        .transpose()
        .map(Option::unwrap_or_default)
        .map_err(|error| metadata_problem(error).at("/metadata"))
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

/// Returns the problem of a member that has another type. serde's own words would quote its value.
fn member_problem(error: &serde_json::Error) -> Problem {
    if !error.is_data() {
        return Problem::new(ProblemCode::FieldNotUnicode).detail(sentence(
            &CanonicalError::LoneSurrogate { at: error.column() },
        ));
    }
    let text = error.to_string();
    let expected = text.rsplit("expected ").next().unwrap_or_default();
    Problem::new(ProblemCode::FieldWrongType).detail(if expected.starts_with("a boolean") {
        "It must be true or false."
    } else if expected.starts_with("u64") || expected.starts_with("f64") {
        "It must be a whole number."
    } else {
        "It must be a string."
    })
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
        CanonicalError::LoneSurrogate { .. } => ProblemCode::FieldNotUnicode,
        _ => ProblemCode::FieldWrongType,
    };
    Problem::new(code).detail(sentence(&error))
}

fn phone_number_problem(error: PhoneNumberError) -> Problem {
    match error {
        PhoneNumberError::NotInternational => {
            Problem::new(ProblemCode::PhoneNumberNotInternational).detail(
                "Write + and the country code before the number, as in +12025550100, or send the \
                 country. Spaces, dots, hyphens, slashes and brackets are allowed.",
            )
        }
        PhoneNumberError::NotNational => Problem::new(ProblemCode::PhoneNumberNotNational).detail(
            "The country has no such number, or the digits could be several. Ask for the number with \
             + and the country code.",
        ),
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
    let end = if text.ends_with('?') { "" } else { "." };
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}{end}", first.to_uppercase(), letters.as_str())
    })
}
