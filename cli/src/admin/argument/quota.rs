use std::num::NonZeroU32;

use super::Word;

/// A number of a quota, or the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuotaNumber {
    /// What an app has that nothing was said about.
    Default,
    /// This many.
    Is(NonZeroU32),
}

impl QuotaNumber {
    /// The number, where it is not the default.
    pub(crate) const fn number(self) -> Option<NonZeroU32> {
        match self {
            Self::Default => None,
            Self::Is(number) => Some(number),
        }
    }
}

impl Word for QuotaNumber {
    fn read(text: &str) -> Result<Self, String> {
        if text == "default" {
            return Ok(Self::Default);
        }
        let number = text.parse().map(Self::Is);
        number.map_err(|_| format!("a number from 1 to {}, or `default`", u32::MAX))
    }

    fn write(&self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::Is(number) => number.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_the_default_read_back() {
        for text in ["1", "4294967295", "default"] {
            let read = QuotaNumber::read(text);
            assert_eq!(read.map(|word| word.write()).as_deref(), Ok(text));
        }
        for bad in ["", "0", "-1", "1.5", "4294967296", "many"] {
            assert!(QuotaNumber::read(bad).is_err(), "{bad}");
        }
    }
}
