//! Sender pools: the numbers that receive texts (`sendTo`), chosen by country.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_with::DeserializeFromStr;
use thiserror::Error;

use crate::primitives::ids::ConfirmationId;
use crate::primitives::phone::{Country, PhoneNumber};

/// One of our numbers that receives texts: E.164, or a short code of 3 to 8 digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct Recipient(String);

/// The error for a text that is neither E.164 nor a short code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a recipient is a number in E.164 (+12025550199) or a short code of 3 to 8 digits")]
pub struct MalformedRecipient;

impl Recipient {
    /// Returns the number. The number is ours, so it is not a secret.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number's country; `None` for a short code.
    #[must_use]
    pub fn country(&self) -> Option<Country> {
        PhoneNumber::parse_e164(&self.0).ok()?.country()
    }

    /// Returns whether `written` is a provider's spelling of this number as the recipient of a text.
    /// Several providers omit the `+`, and some use a country's former numbering.
    #[must_use]
    pub fn is_written(&self, written: &str) -> bool {
        let digits = |text| str::strip_prefix(text, "+").unwrap_or(text);
        digits(&self.0) == digits(written)
            || PhoneNumber::parse_sender(written).is_ok_and(|number| number.as_str() == self.0)
    }
}

impl FromStr for Recipient {
    type Err = MalformedRecipient;

    /// Parses a number. A number in E.164 is converted to its country's current numbering if
    /// possible.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let short = (3..=8).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
        if short {
            return Ok(Self(text.to_owned()));
        }
        let as_given = PhoneNumber::parse_e164(text).map_err(|_| MalformedRecipient)?;
        let number = PhoneNumber::parse_sender(text).unwrap_or(as_given);
        Ok(Self(number.as_str().to_owned()))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An app's numbers: at least one that serves every country, and those for particular countries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Sender>", into = "Vec<Sender>")]
pub struct SenderPool {
    anywhere: Vec<PoolNumber>,
    by_country: BTreeMap<Country, Vec<PoolNumber>>,
}

/// A number of a pool. Its country is determined once, because that takes longer than the rest of a
/// start.
#[derive(Clone, Debug)]
pub struct PoolNumber {
    number: Recipient,
    country: OnceLock<Option<Country>>,
}

impl PoolNumber {
    const fn new(number: Recipient) -> Self {
        Self {
            number,
            country: OnceLock::new(),
        }
    }

    #[must_use]
    pub const fn number(&self) -> &Recipient {
        &self.number
    }

    /// Returns the country that the number belongs to, as [`Recipient::country`] does.
    #[must_use]
    pub fn country(&self) -> Option<Country> {
        *self.country.get_or_init(|| self.number.country())
    }
}

impl PartialEq for PoolNumber {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for PoolNumber {}

/// One number of a pool in its stored form.
#[serde_with::skip_serializing_none]
#[derive(Serialize, Deserialize)]
struct Sender {
    /// Absent if the number serves every country.
    country: Option<Country>,
    number: Recipient,
}

impl TryFrom<Vec<Sender>> for SenderPool {
    type Error = EmptyPool;

    fn try_from(senders: Vec<Sender>) -> Result<Self, EmptyPool> {
        Self::new(
            senders
                .into_iter()
                .map(|sender| (sender.country, sender.number)),
        )
    }
}

impl From<SenderPool> for Vec<Sender> {
    fn from(pool: SenderPool) -> Self {
        let numbers = pool.numbers();
        numbers
            .map(|(country, number)| Sender {
                country,
                number: number.clone(),
            })
            .collect()
    }
}

/// The error for a pool without a number that serves every country. Acquisitions need one because
/// they know no country.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a sender pool needs at least one number that serves every country")]
pub struct EmptyPool;

impl SenderPool {
    /// Creates a pool of numbers, each for one country or (`None`) for every country.
    ///
    /// # Errors
    ///
    /// Fails if no number serves every country.
    pub fn new(
        numbers: impl IntoIterator<Item = (Option<Country>, Recipient)>,
    ) -> Result<Self, EmptyPool> {
        let mut pool = Self {
            anywhere: Vec::new(),
            by_country: BTreeMap::new(),
        };
        for (country, number) in numbers {
            let numbers = match country {
                Some(country) => pool.by_country.entry(country).or_default(),
                None => &mut pool.anywhere,
            };
            let number = PoolNumber::new(number);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        if pool.anywhere.is_empty() {
            Err(EmptyPool)
        } else {
            Ok(pool)
        }
    }

    /// Chooses the number for a confirmation: one for the country if there are any, else one for the country whose
    /// numbering it shares, else one that serves every country. The id spreads confirmations evenly over the numbers.
    #[must_use]
    pub fn choose(&self, country: Option<Country>, id: &ConfirmationId) -> &PoolNumber {
        let of = |country: Country| self.by_country.get(&country);
        let numbers = country
            .and_then(|country| of(country).or_else(|| of(country.numbered_with())))
            .filter(|numbers| !numbers.is_empty())
            .unwrap_or(&self.anywhere);
        &numbers[usize::from(id.as_bytes()[15]) % numbers.len()]
    }

    /// Iterates over all numbers with their countries, starting with those that serve every
    /// country.
    pub fn numbers(&self) -> impl Iterator<Item = (Option<Country>, &Recipient)> {
        let anywhere = self.anywhere.iter().map(|own| (None, &own.number));
        let by_country = self
            .by_country
            .iter()
            .flat_map(|(country, numbers)| numbers.iter().map(|own| (Some(*country), &own.number)));
        anywhere.chain(by_country)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Recipient {
        text.parse::<Recipient>().unwrap()
    }

    #[test]
    fn recipient_is_recognised_without_its_plus() {
        let ours = number("+12025550199");
        assert!(ours.is_written("+12025550199") && ours.is_written("12025550199"));
        assert!(number("12345").is_written("12345"));
        for other in [
            "",
            "+",
            "++12025550199",
            " 12025550199",
            "+1202555019",
            "2025550199",
        ] {
            assert!(!ours.is_written(other), "{other}");
        }
    }

    #[test]
    fn recipient_is_a_number_or_a_short_code() {
        for good in ["+12025550199", "12345", "999"] {
            assert!(good.parse::<Recipient>().is_ok(), "{good}");
        }
        for bad in ["", "12", "123456789", "ACME", "+1 202", "12 34"] {
            assert!(bad.parse::<Recipient>().is_err(), "{bad}");
        }
    }

    #[test]
    fn country_decides_the_number() {
        let gb = "GB".parse::<Country>().unwrap();
        let pool = SenderPool::new([
            (None, number("+12025550199")),
            (Some(gb), number("+447700900001")),
            (Some(gb), number("+447700900002")),
        ])
        .unwrap();
        let id = |last| ConfirmationId::from_bytes([last; 16]);
        let choose = |country: Option<Country>, last| {
            let chosen = pool.choose(country, &id(last));
            assert_eq!(chosen.country(), chosen.number().country());
            chosen.number().as_str()
        };
        assert_eq!(choose(None, 0), "+12025550199");
        assert_eq!(choose("FR".parse::<Country>().ok(), 0), "+12025550199");
        assert_eq!(choose(Some(gb), 0), "+447700900001");
        assert_eq!(choose(Some(gb), 1), "+447700900002");
        let jersey = "JE".parse::<Country>().ok();
        assert_eq!(choose(jersey, 1), "+447700900002");
        assert_eq!(pool.numbers().count(), 3);
    }

    #[test]
    fn pool_without_a_number_for_every_country_is_refused() {
        assert_eq!(SenderPool::new([]), Err(EmptyPool));
        let gb = "GB".parse::<Country>().ok();
        assert_eq!(
            SenderPool::new([(gb, number("+447700900001"))]),
            Err(EmptyPool)
        );
    }
}
