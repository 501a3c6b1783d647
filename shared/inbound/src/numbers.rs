//! Phone numbers as providers write them.

/// Returns a sender in E.164 if it has that form but for the `+`, which several providers leave out.
/// Everything else, such as an alphanumeric sender, is returned as it is; the use case refuses it.
pub(crate) fn sender(text: &str) -> String {
    let bare = (7..=15).contains(&text.len())
        && !text.starts_with('0')
        && text.bytes().all(|c| c.is_ascii_digit());
    if bare {
        format!("+{text}")
    } else {
        text.to_owned()
    }
}

/// Removes the `+` for providers that write numbers without it.
pub(crate) fn bare(number: &str) -> &str {
    number.strip_prefix('+').unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_is_added_to_numbers_alone() {
        assert_eq!(sender("12025550100"), "+12025550100");
        for same in [
            "+12025550100",
            "ACME",
            "123456",
            "0123456789",
            "1234567890123456",
            "1202555010O",
            " 12025550100",
            "rcs:acme",
            "",
        ] {
            assert_eq!(sender(same), same);
        }
    }
}
