//! The shape of national numbers: their lengths, and patterns of their digits.

use std::sync::OnceLock;

use regex_lite::Regex;

/// Lengths of national numbers, as a bit set: bit 7 stands for seven digits.
#[derive(Clone, Copy)]
pub(super) struct Lengths(u32);

impl Lengths {
    /// Parses lengths such as `7,10`.
    pub(super) fn from_cell(cell: &str) -> Self {
        let lengths = cell.split(',').filter_map(|length| length.parse().ok());
        Self(lengths.fold(0, |bits, length: u32| bits | 1 << (length & 31)))
    }

    pub(super) fn contain(self, length: usize) -> bool {
        length < 32 && self.0 & (1 << length) != 0
    }

    /// Returns whether all numbers are longer.
    pub(super) fn exceed(self, length: usize) -> bool {
        length < self.0.trailing_zeros() as usize
    }

    /// Returns whether all numbers are shorter.
    pub(super) fn all_below(self, length: usize) -> bool {
        length >= (u32::BITS - self.0.leading_zeros()) as usize
    }

    /// Returns whether no lengths are listed, which allows all.
    pub(super) fn are_all(self) -> bool {
        self.0 == 0
    }
}

/// A regular expression, compiled on first use.
pub(super) struct Pattern {
    /// The expression without anchors. If empty, it matches nothing.
    source: &'static str,
    /// The anchor at the end: `$`, or empty.
    end: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Creates a pattern that matches whole numbers.
    pub(super) const fn of_whole(source: &'static str) -> Self {
        Self::new(source, "$")
    }

    /// Creates a pattern that matches the beginning of numbers.
    pub(super) const fn of_beginning(source: &'static str) -> Self {
        Self::new(source, "")
    }

    const fn new(source: &'static str, end: &'static str) -> Self {
        Self {
            source,
            end,
            compiled: OnceLock::new(),
        }
    }

    pub(super) const fn source(&self) -> &'static str {
        self.source
    }

    pub(super) fn regex(&self) -> Option<&Regex> {
        let compile = || match self.source {
            "" => None,
            source => Regex::new(&format!("^(?:{source}){}", self.end)).ok(),
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    pub(super) fn matches(&self, national: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(national))
    }

    #[cfg(test)]
    pub(super) fn is_well_formed(&self) -> bool {
        self.source.is_empty() || self.regex().is_some()
    }
}

/// The numbers of one type.
pub(super) struct Shape {
    /// The lengths of this type; if empty, those of all numbers.
    lengths: Lengths,
    pub(super) pattern: Pattern,
}

impl Shape {
    /// Creates a shape from a cell with lengths and a pattern of whole numbers.
    pub(super) fn new(lengths: &str, pattern: &'static str) -> Self {
        Self {
            lengths: Lengths::from_cell(lengths),
            pattern: Pattern::of_whole(pattern),
        }
    }

    pub(super) fn fits(&self, national: &str) -> bool {
        let possible = self.lengths.are_all() || self.lengths.contain(national.len());
        possible && self.pattern.matches(national)
    }
}
