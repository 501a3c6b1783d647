//! Numbering plans: the numbers of each calling code, and the countries that they belong to.
//!
//! Follows libphonenumber, with additions where a country has changed its numbers.
//! `tests/phone_numbers.rs` compares the two.

use std::borrow::Cow;
use std::str::FromStr as _;
use std::sync::LazyLock;

use super::number_type::NumberType;
use super::renumbered;
use super::shape::{Lengths, Pattern, Shape};

/// All territories, ordered by calling code. The main territory of a calling code comes first.
static TERRITORIES: LazyLock<Vec<Territory>> = LazyLock::new(|| {
    let mut territories = Vec::new();
    for line in include_str!("plans.txt").lines() {
        territories.extend(Territory::from_line(line, territories.last()));
    }
    territories
});

/// Maximum number of digits in a calling code.
const MAX_CALLING_CODE: usize = 3;
/// Number of digits in a national number, whatever its plan says.
const NATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 2..=17;

/// A number split into calling code and national number.
pub(super) struct Number<'a> {
    calling_code: &'a str,
    national: Cow<'a, str>,
    /// The territories that share the calling code; at least one.
    territories: &'static [Territory],
}

impl<'a> Number<'a> {
    /// Parses the digits after `+`. Drops a national prefix that people write but do not dial
    /// from abroad, as in `+44 (0)20`.
    pub(super) fn parse(digits: &'a str) -> Option<Self> {
        let (calling_code, national, main) = (1..=MAX_CALLING_CODE).find_map(|length| {
            let (code, national) = digits.split_at_checked(length)?;
            Some((code, national, sharing(code)?.first()?))
        })?;
        if !NATIONAL_DIGITS.contains(&national.len()) {
            return None;
        }
        let stripped = main.without_prefix(national);
        let national = match main.check_length(&stripped) {
            Length::TooShort | Length::Unused | Length::LocalOnly => Cow::Borrowed(national),
            Length::TooLong | Length::Possible => stripped,
        };
        let (calling_code, national) = renumbered::current(calling_code, national);
        Some(Self {
            calling_code,
            national,
            territories: sharing(calling_code)?,
        })
    }

    /// Returns whether numbers of this length exist. The result does not show whether the number is
    /// in use.
    pub(super) fn is_possible(&self) -> bool {
        let main = self.territories.first();
        main.is_some_and(|main| main.check_length(&self.national) == Length::Possible)
    }

    /// Returns whether one of the territories has numbers with these digits.
    pub(super) fn is_in_plan(&self) -> bool {
        let mut territories = self.territories.iter();
        territories.any(|it| it.every_number.matches(&self.national))
    }

    pub(super) fn calling_code(&self) -> u16 {
        self.territories.first().map_or(0, |it| it.calling_code)
    }

    /// Returns the number in E.164.
    pub(super) fn e164(&self) -> String {
        format!("+{}{}", self.calling_code, self.national)
    }

    /// Returns the two letters of the number's own country, or of the main country of its calling
    /// code. Returns three digits if the number belongs to no country.
    pub(super) fn country(&self) -> Option<&'static str> {
        let main = self.territories.first();
        Some(self.own_territory().or(main)?.country)
    }

    /// Returns the type of the number, if its own territory has such numbers.
    pub(super) fn number_type(&self) -> Option<NumberType> {
        self.own_territory()?.number_type(&self.national)
    }

    /// Returns the only territory of the calling code, or the one that has the number.
    fn own_territory(&self) -> Option<&'static Territory> {
        match self.territories {
            [only] => Some(only),
            several => several.iter().find(|it| it.has(&self.national)),
        }
    }
}

/// Returns the two letters of the main country of the calling code at the beginning of some digits. Returns three
/// digits if the calling code belongs to no country.
pub(super) fn main_country(digits: &str) -> Option<&'static str> {
    let mut codes = (1..=MAX_CALLING_CODE).filter_map(|length| digits.get(..length));
    let territories = codes.find_map(sharing)?;
    Some(territories.first()?.country)
}

/// Iterates over the countries that have numbering plans.
#[cfg(test)]
pub(super) fn countries() -> impl Iterator<Item = &'static str> {
    let countries = TERRITORIES.iter().map(|it| it.country);
    countries.filter(|country| country.len() == 2)
}

/// Returns whether a country has a numbering plan.
pub(super) fn is_numbered(country: &str) -> bool {
    of_country(country).is_some()
}

/// Returns the numbering plan of a country.
pub(super) fn of_country(country: &str) -> Option<&'static Territory> {
    TERRITORIES.iter().find(|it| it.country == country)
}

fn sharing(calling_code: &str) -> Option<&'static [Territory]> {
    // `+0` is not a calling code, and neither is `+01`.
    if calling_code.starts_with('0') {
        return None;
    }
    of_calling_code(u16::from_str(calling_code).ok()?)
}

fn of_calling_code(code: u16) -> Option<&'static [Territory]> {
    let start = TERRITORIES.partition_point(|it| it.calling_code < code);
    let territories = TERRITORIES.get(start..)?;
    let territories = &territories[..territories.partition_point(|it| it.calling_code == code)];
    (!territories.is_empty()).then_some(territories)
}

/// The numbering plan of a country, or of a service without one.
pub(super) struct Territory {
    pub(super) calling_code: u16,
    pub(super) country: &'static str,
    lengths: Lengths,
    local_lengths: Lengths,
    every_number: Pattern,
    /// Digits that callers dial before the calling code of another country.
    international_prefix: Pattern,
    prefix: Pattern,
    /// Replacement of the prefix, with references to its groups.
    replacement: &'static str,
    first_digits: Pattern,
    /// The existing types of numbers, ordered like [`NumberType`].
    types: Vec<(NumberType, Shape)>,
}

/// The verdict on a national number's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    TooShort,
    TooLong,
    /// No number has this length, although there are shorter and longer ones.
    Unused,
    /// The number can be dialed only within the same area.
    LocalOnly,
    Possible,
}

impl Territory {
    /// Parses a line of `plans.txt`, whose header describes the format. Returns `None` for
    /// comments.
    fn from_line(line: &'static str, above: Option<&Self>) -> Option<Self> {
        let mut cells = line.split('\t');
        let mut cell = || cells.next();
        Some(Self {
            calling_code: cell()?.parse().ok()?,
            country: cell()?,
            lengths: Lengths::from_cell(cell()?),
            local_lengths: Lengths::from_cell(cell()?),
            every_number: Pattern::of_whole(cell()?),
            international_prefix: Pattern::of_beginning(cell().unwrap_or_default()),
            prefix: Pattern::of_beginning(cell().unwrap_or_default()),
            replacement: cell().unwrap_or_default(),
            first_digits: Pattern::of_beginning(cell().unwrap_or_default()),
            types: NumberType::IN_PLANS
                .into_iter()
                .map_while(|kind| Some((kind, cell()?, cell()?)))
                .filter(|(_, _, pattern)| !pattern.is_empty())
                .filter_map(|(kind, lengths, pattern)| {
                    let pattern = match pattern {
                        "=" => above?.shape(kind)?.pattern.source(),
                        own => own,
                    };
                    Some((kind, Shape::new(lengths, pattern)))
                })
                .collect(),
        })
    }

    fn shape(&self, wanted: NumberType) -> Option<&Shape> {
        let mut types = self.types.iter();
        types.find_map(|(kind, shape)| (*kind == wanted).then_some(shape))
    }

    /// Drops or replaces the national prefix, unless the number is in this plan only with the
    /// prefix.
    pub(super) fn without_prefix<'a>(&self, national: &'a str) -> Cow<'a, str> {
        let Some(prefix) = self.prefix.regex() else {
            return Cow::Borrowed(national);
        };
        let Some(captures) = prefix.captures(national) else {
            return Cow::Borrowed(national);
        };
        let group = |index| captures.get(index).map(|group| !group.is_empty());
        let replaces = !self.replacement.is_empty()
            && matches!(
                (group(1), group(2)),
                (Some(_), Some(true)) | (Some(true), None)
            );
        let stripped = if replaces {
            prefix.replace(national, self.replacement)
        } else {
            let end = captures.get(0).map_or(0, |prefix| prefix.end());
            Cow::Borrowed(&national[end..])
        };
        if self.every_number.matches(national) && !self.every_number.matches(&stripped) {
            Cow::Borrowed(national)
        } else {
            stripped
        }
    }

    /// Returns the digits after the international prefix.
    pub(super) fn after_international_prefix<'a>(&self, digits: &'a str) -> Option<&'a str> {
        let prefix = self.international_prefix.regex()?.find(digits)?;
        Some(&digits[prefix.end()..])
    }

    /// Returns whether a territory with the same calling code has this number.
    pub(super) fn shares(&self, national: &str) -> bool {
        let mut territories = of_calling_code(self.calling_code).into_iter().flatten();
        territories.any(|it| {
            it.check_length(national) == Length::Possible && it.every_number.matches(national)
        })
    }

    fn check_length(&self, national: &str) -> Length {
        let length = national.len();
        if self.local_lengths.contain(length) {
            Length::LocalOnly
        } else if self.lengths.contain(length) {
            Length::Possible
        } else if self.lengths.exceed(length) {
            Length::TooShort
        } else if self.lengths.all_below(length) {
            Length::TooLong
        } else {
            Length::Unused
        }
    }

    /// Returns whether a number of a shared calling code belongs to this territory.
    fn has(&self, national: &str) -> bool {
        self.first_digits.matches(national) || self.number_type(national).is_some()
    }

    /// Returns the first type that matches. A number that matches fixed lines and mobiles can be
    /// either.
    pub(super) fn number_type(&self, national: &str) -> Option<NumberType> {
        if !self.lengths.contain(national.len()) || !self.every_number.matches(national) {
            return None;
        }
        let mut fitting = self.types.iter().filter(|(_, shape)| shape.fits(national));
        let mut next = || fitting.next().map(|(kind, _)| *kind);
        match (next()?, next()) {
            (NumberType::FixedLine, Some(_)) => Some(NumberType::FixedLineOrMobile),
            (first, _) => Some(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_and_every_pattern_is_well_formed() {
        let lines = include_str!("plans.txt").lines();
        let lines = lines.filter(|line| !line.starts_with('#')).count();
        assert_eq!(TERRITORIES.len(), lines);
        assert!(TERRITORIES.is_sorted_by_key(|it| it.calling_code));
        for territory in TERRITORIES.iter() {
            assert!(!territory.lengths.are_all(), "{}", territory.country);
            let types = territory.types.iter().map(|(_, shape)| &shape.pattern);
            for pattern in types.chain([
                &territory.every_number,
                &territory.international_prefix,
                &territory.prefix,
                &territory.first_digits,
            ]) {
                assert!(pattern.is_well_formed(), "{}", territory.country);
            }
        }
    }
}
