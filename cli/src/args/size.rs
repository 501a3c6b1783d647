//! Sizes with units.

const UNITS: [(&str, u64); 5] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("B", 1),
];

/// Parses a number of bytes, such as `256MiB`.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let malformed = || "must be a number and a unit, such as 256MiB or 2GiB, or 0".to_owned();
    let unit = UNITS.iter().find_map(|(unit, bytes)| {
        let number = text.strip_suffix(unit)?;
        Some((number, *bytes))
    });
    let (number, unit) = unit.unwrap_or((text, 1));
    let number: u64 = number.trim().parse().map_err(|_| malformed())?;
    number.checked_mul(unit).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_need_a_unit_except_zero() {
        for (text, expected) in [
            ("0", 0),
            ("17", 17),
            ("17B", 17),
            ("256MiB", 256 << 20),
            ("2 GiB", 2 << 30),
            ("1TiB", 1 << 40),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "MiB", "1.5GiB", "-1", "1MB", "99999999TiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
