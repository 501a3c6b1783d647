//! The names of mobile networks by their codes, from a manually maintained table.

/// The table. Lines with `#` are comments.
const TABLE: &str = include_str!("networks.txt");

/// Returns the name of a network, if the table has its code.
pub(crate) fn name_of(code: &str) -> Option<&'static str> {
    networks().find_map(|(known, name)| (known == code).then_some(name))
}

fn networks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkCode;

    fn name(code: &str) -> Option<&'static str> {
        NetworkCode::parse(code).unwrap().carrier()
    }

    #[test]
    fn every_line_is_a_code_and_a_name() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), networks().count());
        for (code, name) in networks() {
            assert!(NetworkCode::parse(code).is_some(), "{code}");
            // Geographic country codes, from Greece to the Falkland Islands.
            assert!(("202".."751").contains(&&code[..3]), "{code}");
            assert!(!name.is_empty() && name.trim() == name, "{code}");
            assert!(name.chars().count() <= 32, "{code}");
            assert!(!name.contains(char::is_control), "{code}");
        }
    }

    #[test]
    fn codes_are_sorted_and_unique() {
        let codes: Vec<_> = networks().map(|(code, _)| code).collect();
        assert!(codes.is_sorted_by(|a, b| a < b));
    }

    /// Otherwise codes with 5 and 6 digits could be ambiguous.
    #[test]
    fn no_code_begins_with_another() {
        let codes: Vec<_> = networks().map(|(code, _)| code).collect();
        let clash = codes.windows(2).find(|two| two[1].starts_with(two[0]));
        assert_eq!(clash, None);
    }

    #[test]
    fn large_networks_have_their_names() {
        for (code, expected) in [
            ("26201", "Telekom"),
            ("310260", "T-Mobile"),
            ("310410", "AT&T"),
            ("311480", "Verizon"),
            ("23415", "Vodafone"),
            ("20801", "Orange"),
            ("44010", "NTT Docomo"),
            ("405857", "Jio"),
            ("63902", "Safaricom"),
            ("334020", "Telcel"),
        ] {
            assert_eq!(name(code), Some(expected), "{code}");
        }
    }

    #[test]
    fn unknown_code_has_no_name() {
        // Test networks, and a code that no country has.
        for code in ["00101", "99999", "262010", "26299"] {
            assert_eq!(name(code), None, "{code}");
        }
    }
}
