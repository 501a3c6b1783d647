//! The reasons to refuse a document, and how to add each to a document.

use countersign_domain::primitives::canonical_json::CanonicalError;

use super::spelling;
use super::{MAX_DEPTH, MAX_KEYS};
use crate::chance::Chance;

/// A reason to refuse a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    NotJson,
    DuplicateKey,
    ForbiddenKey,
    IntegerOutOfRange,
    NumberNotFinite,
    LoneSurrogate,
    TooDeep,
    TooManyKeys,
    TooLarge,
}

impl Hazard {
    /// All reasons.
    pub const ALL: [Self; 9] = [
        Self::NotJson,
        Self::DuplicateKey,
        Self::ForbiddenKey,
        Self::IntegerOutOfRange,
        Self::NumberNotFinite,
        Self::LoneSurrogate,
        Self::TooDeep,
        Self::TooManyKeys,
        Self::TooLarge,
    ];

    /// Returns whether `error` states this reason.
    #[must_use]
    pub fn explains(self, error: CanonicalError) -> bool {
        let named = match error {
            CanonicalError::NotJson { .. } => Self::NotJson,
            CanonicalError::DuplicateKey { .. } => Self::DuplicateKey,
            CanonicalError::ForbiddenKey { .. } => Self::ForbiddenKey,
            CanonicalError::IntegerOutOfRange { .. } => Self::IntegerOutOfRange,
            CanonicalError::NumberNotFinite { .. } => Self::NumberNotFinite,
            CanonicalError::LoneSurrogate { .. } => Self::LoneSurrogate,
            CanonicalError::TooDeep { .. } => Self::TooDeep,
            CanonicalError::TooManyKeys { .. } => Self::TooManyKeys,
            CanonicalError::TooLarge { .. } => Self::TooLarge,
            _ => return false,
        };
        named == self
    }

    /// Adds the hazard to the members of a valid document.
    pub(super) fn add_to(self, members: &mut Vec<String>, chance: &mut Chance) {
        let carrier = match self {
            // `damage` corrupts the whole text later.
            Self::NotJson => return,
            Self::TooManyKeys => {
                let keys = MAX_KEYS + 1 + chance.below(20);
                members.truncate(10);
                members.extend((members.len()..keys).map(|n| format!("\"\u{2003}{n}\":{n}")));
                return;
            }
            // Makes room for one more member.
            _ => {
                members.truncate(MAX_KEYS - 1);
                self.carrier(chance)
            }
        };
        // No other key contains this character.
        let member = format!("\"\u{2003}\":{}", wrap(carrier, chance));
        members.insert(chance.between(0, members.len()), member);
    }

    /// Returns a value that contains the hazard.
    fn carrier(self, chance: &mut Chance) -> String {
        match self {
            Self::DuplicateKey => {
                let key = spelling::key(chance);
                let first = spelling::string(&key, chance);
                let second = spelling::string(&key, chance);
                let between = chance.pick(&["", "\"\u{2003}\":0,"]);
                format!("{{{first}:1,{between}{second}:1}}")
            }
            Self::ForbiddenKey if chance.once_in(2) => {
                format!("{{{}:1}}", spelling::string("__proto__", chance))
            }
            Self::ForbiddenKey => {
                let outer = spelling::string("constructor", chance);
                let inner = spelling::string("prototype", chance);
                format!("{{{outer}:{{\"a\":0,{inner}:{{}}}}}}")
            }
            Self::IntegerOutOfRange => {
                let sign = chance.pick(&["", "-"]);
                let beyond = (1 << 53) + chance.below(3);
                let zeros = "0".repeat(chance.pick(&[0, 0, 1, 5, 30]));
                format!("{sign}{beyond}{zeros}")
            }
            Self::NumberNotFinite => chance
                .pick(&["1e309", "-1e309", "1.8e308", "1E+999", "-0.1e400"])
                .to_owned(),
            Self::LoneSurrogate => {
                let half =
                    chance.pick(&[r"\ud800", r"\uDBFF", r"\udc00", r"\uDFFFx", r"\ud83d\ud83d"]);
                let place = chance.pick(&["[\"@\"]", "{\"@\":1}", "[\"é@\\n\"]"]);
                place.replace('@', half)
            }
            Self::TooDeep => {
                let levels = MAX_DEPTH + chance.pick(&[0, 0, 1, 100, 300]);
                format!("{}{}", "[".repeat(levels), "]".repeat(levels))
            }
            Self::TooLarge => format!("\"{}\"", "x".repeat(4096 + chance.below(4096))),
            Self::NotJson | Self::TooManyKeys => unreachable!("added without a value"),
        }
    }
}

/// Wraps `value` in up to three objects and arrays, so that a hazard is not always near the top.
fn wrap(value: String, chance: &mut Chance) -> String {
    (0..chance.below(4)).fold(value, |inner, _| match chance.below(2) {
        0 => format!("[0,{inner}]"),
        _ => format!("{{\"a\":[],\"w\":{inner}}}"),
    })
}

/// Turns a JSON object into text that is almost JSON.
pub(super) fn damage(object: &str, chance: &mut Chance) -> String {
    let object = object.trim();
    let without_end = &object[..object.len() - 1];
    match chance.below(9) {
        0 => without_end.to_owned(),
        1 => format!("{object}}}"),
        2 => format!("{without_end},}}"),
        3 => format!("\u{feff}{object}"),
        4 => format!("{object} // comment"),
        5 => format!("{without_end}\u{a0}}}"),
        6 => format!(
            "{{\"a\":{},\"b\":{object}}}",
            chance.pick(&["01", "+1", ".5", "1.", "NaN", "0x1"])
        ),
        7 => format!(
            "{{\"a\":\"{}\",\"b\":{object}}}",
            chance.pick(&["\n", "\\x", "\\u12G4", "\u{1}", "\u{1f}"])
        ),
        _ => format!("{{a:{object}}}"),
    }
}
