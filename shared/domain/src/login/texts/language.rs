//! The languages of the texts for people.

/// A language of the texts for people.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, strum::VariantArray,
)]
pub enum Language {
    /// English, the default for people whose language is not among these.
    #[default]
    English,
    German,
    French,
    Spanish,
    /// Portuguese, in its Brazilian form.
    Portuguese,
    Italian,
    Japanese,
    Arabic,
}

/// The direction in which a language is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    LeftToRight,
    RightToLeft,
}

impl Language {
    /// Returns the language tag (RFC 5646).
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Portuguese => "pt",
            Self::Italian => "it",
            Self::Japanese => "ja",
            Self::Arabic => "ar",
        }
    }

    /// Returns the direction of the language's script.
    #[must_use]
    pub const fn direction(self) -> Direction {
        match self {
            Self::Arabic => Direction::RightToLeft,
            Self::English
            | Self::German
            | Self::French
            | Self::Spanish
            | Self::Portuguese
            | Self::Italian
            | Self::Japanese => Direction::LeftToRight,
        }
    }
}

impl Direction {
    /// Returns the value of the HTML attribute `dir`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
        }
    }
}
