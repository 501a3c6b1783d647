//! Phone numbers as providers write them.

/// Removes the `+` for providers that write numbers without it.
pub(crate) fn bare(number: &str) -> &str {
    number.strip_prefix('+').unwrap_or(number)
}
