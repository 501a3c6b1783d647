//! Numbers without `+`, in the forms used within a country.
//!
//! The same digits may be read in several ways: with or without the national prefix, as a number of
//! another territory that is dialed in the same way, with the country's calling code, or after the
//! international prefix. A wrong reading would be someone else's number. Therefore, a reading is
//! accepted only if it is the only one, or the only one that is a phone's number.

use super::number_type::NumberType;
use super::plan::{self, Territory};

/// Maximum length of digits that are treated as a short code, unless a phone of the country can have
/// them as its number.
const MAX_SHORT: usize = 6;

/// The international prefix that ITU-T E.164 recommends. Phones use it even where the country has a
/// different prefix.
const COMMON_INTERNATIONAL_PREFIX: &str = "00";

/// Groups of countries with separate calling codes whose numbers are dialed as if they were one
/// country. The last country has the widest ranges: a number that another country has belongs to
/// that country.
const DIALLED_TOGETHER: [&[Member]; 2] = [
    // According to ARCEP's plan, 0508, 0590, 0594, 0596, 0262, 0269, 0639, 069… are overseas.
    &[
        Member::new("GP"),
        Member::new("BL"),
        Member::new("MF"),
        Member::new("MQ"),
        Member::new("GF"),
        Member::new("RE"),
        Member::new("YT"),
        Member::new("PM"),
        Member {
            country: "PM",
            dialled: "508",
        },
        Member::new("FR"),
    ],
    &[Member::new("PS"), Member::new("IL")],
];

/// A country that is dialed together with others.
struct Member {
    country: &'static str,
    /// Digits that the other countries dial before its national numbers.
    dialled: &'static str,
}

/// Confidence in a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// Numbers of this length exist, but the plan has none with these digits.
    Possible,
    /// Numbers that begin like this exist, but the plan does not determine their type.
    InPlan,
    /// The plan has the number, but not as one that phones send texts from.
    Typed,
    /// Mobile phones have such numbers.
    Mobile,
}

/// A reading of the digits.
#[derive(Debug)]
struct Reading {
    /// The digits in E.164, in the country's current numbering.
    e164: String,
    certainty: Certainty,
}

impl Member {
    const fn new(country: &'static str) -> Self {
        Self {
            country,
            dialled: "",
        }
    }

    fn territory(&self) -> Option<&'static Territory> {
        plan::of_country(self.country)
    }

    /// Returns the type of a number and its E.164 form, if the plan has it.
    fn number(&self, dialled: &str) -> Option<(NumberType, String)> {
        let national = dialled.strip_prefix(self.dialled)?;
        let territory = self.territory()?;
        let number_type = territory.number_type(national)?;
        Some((number_type, format!("{}{national}", territory.calling_code)))
    }
}

/// Returns the E.164 digits for digits written within a country; `None` if the country has no such
/// number, or if they could be several.
pub(super) fn complete(digits: &str, country: &str) -> Option<String> {
    let territory = plan::of_country(country)?;
    let mut readings = Vec::new();
    let known = |reading: &Reading| reading.certainty >= Certainty::InPlan;
    readings.extend(within(digits, territory).filter(known));
    readings.extend(with_calling_code(digits, territory).filter(known));
    let unprefixed = [
        territory.after_international_prefix(digits),
        digits.strip_prefix(COMMON_INTERNATIONAL_PREFIX),
    ];
    readings.extend(
        unprefixed
            .into_iter()
            .flatten()
            .filter_map(Reading::from_digits),
    );
    let best = readings.iter().map(|reading| reading.certainty).max()?;
    if best < Certainty::Mobile && digits.len() <= MAX_SHORT {
        return None;
    }
    // A phone's number takes precedence over others, and a number in a plan over one that only has the
    // right length.
    let least = best.min(match best {
        Certainty::Mobile => Certainty::Mobile,
        _ => Certainty::InPlan,
    });
    readings.retain(|reading| reading.certainty >= least);
    let mut numbers = readings.into_iter().map(|reading| reading.e164);
    let first = numbers.next()?;
    numbers.all(|other| other == first).then_some(first)
}

/// Returns whether a phone with a SIM of the country can have the number: its calling code is the
/// country's, or that of a country that is dialed together with it.
pub(super) fn can_have(country: &str, calling_code: u16) -> bool {
    let has = |country| {
        let territory = plan::of_country(country);
        territory.is_some_and(|it| it.calling_code == calling_code)
    };
    has(country) || together(country).iter().any(|member| has(member.country))
}

impl Reading {
    /// Reads digits that begin with a calling code.
    fn from_digits(digits: &str) -> Option<Self> {
        let number = plan::Number::parse(digits).filter(plan::Number::is_possible)?;
        let certainty = match number.number_type() {
            Some(NumberType::Mobile | NumberType::FixedLineOrMobile) => Certainty::Mobile,
            Some(_) => Certainty::Typed,
            None if number.is_in_plan() => Certainty::InPlan,
            None => Certainty::Possible,
        };
        let e164 = number.e164().trim_start_matches('+').to_owned();
        Some(Self { e164, certainty })
    }
}

/// Reads digits in national form, with or without the national prefix.
fn within(digits: &str, territory: &Territory) -> Option<Reading> {
    let national = territory.without_prefix(digits);
    if let Some(number) = of_another(&national, territory) {
        return Reading::from_digits(&number);
    }
    let own = format!("{}{national}", territory.calling_code);
    territory
        .shares(&national)
        .then(|| Reading::from_digits(&own))?
}

/// Returns the E.164 form of a number that belongs to another country that is dialed in the same
/// way.
fn of_another(national: &str, territory: &Territory) -> Option<String> {
    let (widest, others) = together(territory.country).split_last()?;
    let own_type = territory.number_type(national);
    // Service numbers are dialed everywhere.
    let is_service = |number_type: &NumberType| {
        !matches!(
            number_type,
            NumberType::FixedLine
                | NumberType::Mobile
                | NumberType::FixedLineOrMobile
                | NumberType::Voip
        )
    };
    if own_type.as_ref().is_some_and(is_service) {
        return None;
    }
    let is_own = others.iter().any(|it| it.country == territory.country);
    if is_own && own_type.is_some() {
        return None;
    }
    let mut numbers = others.iter().filter_map(|other| other.number(national));
    let found = numbers.find(|(number_type, _)| !is_service(number_type));
    let found = found.or_else(|| widest.number(national));
    found.map(|(_, e164)| e164)
}

/// Reads digits that begin with the country's calling code.
fn with_calling_code(digits: &str, territory: &Territory) -> Option<Reading> {
    let has_code = digits.starts_with(&territory.calling_code.to_string());
    has_code.then(|| Reading::from_digits(digits))?
}

fn together(country: &str) -> &'static [Member] {
    let mut groups = DIALLED_TOGETHER.iter();
    let group = groups.find(|group| group.iter().any(|member| member.country == country));
    group.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
