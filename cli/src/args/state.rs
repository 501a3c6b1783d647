//! Parsing the states of confirmations and logins.

use std::str::FromStr;

use strum::VariantArray;

/// Parses a state; an error names all of them.
pub(super) fn state<T>(text: &str) -> Result<T, String>
where
    T: FromStr + VariantArray + Copy + Into<&'static str>,
{
    text.parse().map_err(|_| {
        let names: Vec<&str> = T::VARIANTS.iter().map(|&state| state.into()).collect();
        format!("must be one of {}", names.join(", "))
    })
}
