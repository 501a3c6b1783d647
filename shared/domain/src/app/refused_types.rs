//! The types of numbers that an app refuses.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

use crate::primitives::phone::{NumberType, PhoneNumber};

/// A type of number that an app may refuse: any type except those of mobile phones.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, SerializeDisplay, DeserializeFromStr,
)]
pub struct RefusableType(NumberType);

/// The error for a type of number that cannot be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "not a type of number that can be refused: premium-rate, toll-free, shared-cost, voip, personal, pager, uan, \
     voicemail or fixed-line"
)]
pub struct NotRefusable;

impl TryFrom<NumberType> for RefusableType {
    type Error = NotRefusable;

    fn try_from(number_type: NumberType) -> Result<Self, NotRefusable> {
        match number_type {
            NumberType::PremiumRate
            | NumberType::TollFree
            | NumberType::SharedCost
            | NumberType::Voip
            | NumberType::Personal
            | NumberType::Pager
            | NumberType::Uan
            | NumberType::Voicemail
            | NumberType::FixedLine => Ok(Self(number_type)),
            NumberType::Mobile | NumberType::FixedLineOrMobile => Err(NotRefusable),
        }
    }
}

impl FromStr for RefusableType {
    type Err = NotRefusable;

    /// Parses the type's name, with underscores (as in answers) or hyphens (as on command lines).
    fn from_str(text: &str) -> Result<Self, NotRefusable> {
        let number_type = text.replace('-', "_").parse::<NumberType>();
        number_type.map_err(|_| NotRefusable)?.try_into()
    }
}

impl fmt::Display for RefusableType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.into_str())
    }
}

/// The types of numbers that an app refuses. Empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RefusedTypes(BTreeSet<RefusableType>);

impl RefusedTypes {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = RefusableType> {
        self.0.iter().copied()
    }

    /// Returns whether the number has one of these types; false if its type is unknown.
    #[must_use]
    pub fn refuse(&self, number: &PhoneNumber) -> bool {
        let refusable = || RefusableType::try_from(number.number_type()?).ok();
        !self.is_empty() && refusable().is_some_and(|it| self.0.contains(&it))
    }
}

impl FromIterator<RefusableType> for RefusedTypes {
    fn from_iter<T: IntoIterator<Item = RefusableType>>(types: T) -> Self {
        Self(types.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn every_type_but_those_of_mobile_phones_can_be_refused() {
        for number_type in NumberType::VARIANTS {
            let name = number_type.into_str();
            let of_phones = matches!(
                number_type,
                NumberType::Mobile | NumberType::FixedLineOrMobile
            );
            for spelling in [name.to_owned(), name.replace('_', "-")] {
                let parsed = spelling.parse::<RefusableType>();
                let written = parsed.ok().map(|it| it.to_string());
                assert_eq!(written.as_deref(), (!of_phones).then_some(name));
            }
        }
        assert_eq!("cellular".parse::<RefusableType>(), Err(NotRefusable));
    }

    #[test]
    fn number_is_refused_only_by_its_own_type() {
        let refused = |types: &[&str], number| {
            let types = types
                .iter()
                .map(|it| it.parse::<RefusableType>().unwrap())
                .collect::<RefusedTypes>();
            types.refuse(&PhoneNumber::parse_e164(number).unwrap())
        };
        assert!(refused(&["toll_free"], "+18005550100"));
        assert!(refused(&["voip", "fixed_line"], "+442079460018"));
        assert!(!refused(&["premium_rate"], "+18005550100"));
        assert!(!refused(&["fixed_line"], "+12025550100"));
        assert!(!refused(&["fixed_line"], "+447700900123"));
        assert!(!refused(&[], "+18005550100"));
    }
}
