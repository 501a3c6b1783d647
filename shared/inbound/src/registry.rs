//! All providers. To add one, write its module and add a line here.

use crate::spec::ProviderSpec;

/// All providers, by name.
pub const SPECS: [&ProviderSpec; 14] = [
    &crate::bandwidth::SPEC,
    &crate::end_user_messaging::SPEC,
    &crate::generic::SPEC,
    &crate::infobip::SPEC,
    &crate::plivo::SPEC,
    &crate::sinch::SPEC,
    &crate::sinch_conversation::SPEC,
    &crate::sms_gate::SPEC,
    &crate::sns::SPEC,
    &crate::telnyx::SPEC,
    &crate::twilio::SPEC,
    &crate::vonage_messages::SPEC,
    &crate::vonage_sms::SPEC,
    &crate::whatsapp::SPEC,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::OptionKind;

    fn check(name: &str, secret: &str) -> Result<(), String> {
        let spec = SPECS.iter().find(|spec| spec.name == name).unwrap();
        spec.check_secret(secret).map_err(|error| error.to_string())
    }

    #[test]
    fn mistaken_secret_is_named_but_not_shown() {
        for (name, mistake, is) in [
            (
                "twilio",
                "AC0123456789abcdef0123456789abcdef",
                "an account SID",
            ),
            ("twilio", "SK0123456789abcdef0123456789abcdef", "an API key"),
            ("twilio", "\"0123456789abcdef0123456789abcdef\"", "quotes"),
            ("twilio", "'0123456789abcdef", "quotes"),
            ("sinch", "“0123456789abcdef”", "quotes"),
            ("plivo", "MAXXXXXXXXXXXXXXXXXX", "an auth ID"),
            ("vonage-sms", "abcd1234", "an API key"),
            (
                "vonage-messages",
                "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
                "an application",
            ),
        ] {
            let refused = check(name, mistake).unwrap_err();
            assert!(
                refused.contains(is) && !refused.contains(mistake),
                "{refused}"
            );
        }
        for (name, secret) in [
            ("twilio", "0123456789abcdef0123456789abcdef"),
            ("plivo", "MzA0YjY3ZTQ5NjNjYWE5ZjIxM2Y5"),
            ("vonage-sms", "sigsecret1234567"),
            ("infobip", "name:it's-a-\"password\"!"),
        ] {
            assert_eq!(check(name, secret), Ok(()));
        }
    }

    #[test]
    fn providers_are_sorted_and_complete() {
        assert!(SPECS.is_sorted_by(|a, b| a.name < b.name));
        for spec in SPECS {
            assert!(spec.steps.starts_with("1. "), "{}", spec.name);
            assert!(spec.name.len() >= 3 && !spec.anchor.is_empty());
        }
    }

    #[test]
    fn options_of_one_name_have_the_same_values() {
        let options = || SPECS.iter().flat_map(|spec| spec.options);
        for option in options() {
            let same = options().filter(|other| other.flag == option.flag);
            for other in same {
                let value =
                    |kind: &OptionKind| kind.value().map(|value| (value.name, value.possible));
                assert_eq!(value(&other.kind), value(&option.kind), "{}", option.flag);
            }
        }
    }

    /// Each provider has its own section and a row in the comparison.
    #[test]
    fn documentation_has_every_provider() {
        let page = include_str!("../../../docs/providers.md");
        let anchor = |title: &str| {
            let title = title.to_lowercase().replace(' ', "-");
            title.replace(|c: char| !c.is_alphanumeric() && c != '-', "")
        };
        let titles = page.lines().filter_map(|line| line.strip_prefix("## "));
        let sections: Vec<_> = titles.map(anchor).collect();
        for spec in SPECS {
            let row = format!("](#{})", spec.anchor);
            let rows = page
                .lines()
                .filter(|line| line.starts_with("| [") && line.contains(&row));
            assert!(rows.count() > 0, "{}: no row of the comparison", spec.name);
            let has_section = sections.iter().any(|section| section == spec.anchor);
            assert!(has_section, "{}: no section {}", spec.name, spec.anchor);
            assert_eq!(anchor(spec.title), spec.anchor);
        }
    }
}
