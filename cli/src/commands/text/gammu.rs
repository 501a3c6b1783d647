//! A text in the environment of the program that gammu-smsd runs through `RunOnReceive`.
//!
//! See <https://docs.gammu.org/smsd/run.html>. A multipart message comes either complete in `DECODED_1_TEXT`,
//! or as its parts, in order, in `SMS_1_TEXT`, `SMS_2_TEXT` and so on.

use thiserror::Error;

/// A message that gammu-smsd received.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The sender, as reported by the network.
    pub(super) from: String,
    /// The operator's name for the modem; empty if unnamed.
    pub(super) phone_id: String,
    /// The content; `None` for a message that is not a text, such as a notice about an MMS.
    pub(super) text: Option<String>,
}

/// Why the parts of a message do not form one text. gammu-smsd joins parts by their part numbers, which any
/// sender can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum MixedParts {
    #[error("part {0} of the message is from a different number than the first part")]
    Sender(u8),
    #[error("part {0} of the message has a different reference from the first part")]
    Reference(u8),
    #[error("part {0} of the message has no text, but others have")]
    Missing(u8),
}

impl Message {
    /// Reads the message from the variables that `get` returns; `None` if gammu-smsd did not set
    /// them.
    ///
    /// # Errors
    ///
    /// Fails if the parts of a longer message do not belong together, or if a part is missing.
    pub(super) fn read(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, MixedParts> {
        // A long text cannot have more parts (3GPP TS 23.040, section 9.2.3.24.1).
        let number = |name| get(name)?.parse::<u8>().ok();
        let Some(parts) = number("SMS_MESSAGES") else {
            return Ok(None);
        };
        let of_part = |part: u8, what: &str| get(&format!("SMS_{part}_{what}"));
        for part in 2..=parts {
            if of_part(part, "NUMBER") != of_part(1, "NUMBER") {
                return Err(MixedParts::Sender(part));
            }
            if of_part(part, "REFERENCE") != of_part(1, "REFERENCE") {
                return Err(MixedParts::Reference(part));
            }
        }
        let decoded = number("DECODED_PARTS").unwrap_or_default();
        let decoded = (1..=decoded).filter_map(|part| get(&format!("DECODED_{part}_TEXT")));
        let decoded: String = decoded.collect();
        let raw: Vec<_> = (1..=parts).map(|part| of_part(part, "TEXT")).collect();
        let missing = (1..=parts).find(|part| of_part(*part, "TEXT").is_none());
        let text = match missing {
            _ if !decoded.is_empty() => decoded,
            // Skipping a missing part would join text that is not adjacent.
            Some(part) if raw.iter().any(Option::is_some) => return Err(MixedParts::Missing(part)),
            _ => raw.into_iter().flatten().collect(),
        };
        Ok(Some(Self {
            from: of_part(1, "NUMBER").unwrap_or_default(),
            phone_id: get("PHONE_ID").unwrap_or_default(),
            text: Some(text).filter(|text| !text.is_empty()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Option<Message> {
        message_from(variables).unwrap()
    }

    fn message_from(variables: &[(&str, &str)]) -> Result<Option<Message>, MixedParts> {
        Message::read(|name| {
            let mut variables = variables.iter();
            let found = variables.find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        })
    }

    fn text_of(variables: &[(&str, &str)]) -> Option<String> {
        read(variables).unwrap().text
    }

    #[test]
    fn short_text_is_read() {
        let message = read(&[
            ("SMS_MESSAGES", "1"),
            ("SMS_1_CLASS", "-1"),
            ("SMS_1_NUMBER", "+12025550100"),
            ("SMS_1_TEXT", "Sign in: CS-0 é"),
            ("DECODED_PARTS", "0"),
            ("PHONE_ID", "+12025550199"),
        ]);
        let expected = Message {
            from: "+12025550100".to_owned(),
            phone_id: "+12025550199".to_owned(),
            text: Some("Sign in: CS-0 é".to_owned()),
        };
        assert_eq!(message, Some(expected));
    }

    #[test]
    fn long_text_comes_once_whether_gammu_joined_its_parts_or_not() {
        let parts = [
            ("SMS_MESSAGES", "2"),
            ("SMS_1_TEXT", "CS-"),
            ("SMS_2_TEXT", "0"),
        ];
        let joined = [("DECODED_PARTS", "1"), ("DECODED_1_TEXT", "CS-0")];
        assert_eq!(text_of(&parts).as_deref(), Some("CS-0"));
        assert_eq!(
            text_of(&[&parts[..], &joined].concat()).as_deref(),
            Some("CS-0")
        );
        let undecoded = [&parts[..], &[("DECODED_PARTS", "1")]].concat();
        assert_eq!(text_of(&undecoded).as_deref(), Some("CS-0"));
    }

    #[test]
    fn parts_that_do_not_belong_together_are_no_text() {
        let [victim, attacker] = ["+12025550100", "+12025550101"];
        let whole = [
            ("SMS_MESSAGES", "3"),
            ("SMS_1_NUMBER", victim),
            ("SMS_2_NUMBER", victim),
            ("SMS_3_NUMBER", victim),
            ("SMS_1_REFERENCE", "0"),
            ("SMS_2_REFERENCE", "0"),
            ("SMS_3_REFERENCE", "0"),
            ("SMS_1_TEXT", "Hello "),
            ("SMS_2_TEXT", "CS-"),
            ("SMS_3_TEXT", "0"),
        ];
        assert_eq!(text_of(&whole).as_deref(), Some("Hello CS-0"));
        let joined = [("DECODED_PARTS", "1"), ("DECODED_1_TEXT", "Hello CS-0")];
        let with = |name: &str, value: Option<&'static str>| {
            let others = whole.iter().filter(|(known, _)| *known != name).copied();
            let mut changed: Vec<_> = others.collect();
            let name = whole.iter().find(|(known, _)| *known == name).unwrap().0;
            changed.extend(value.map(|value| (name, value)));
            changed
        };
        for (changed, why) in [
            (with("SMS_2_NUMBER", Some(attacker)), MixedParts::Sender(2)),
            (with("SMS_3_NUMBER", Some(attacker)), MixedParts::Sender(3)),
            (with("SMS_1_NUMBER", Some(attacker)), MixedParts::Sender(2)),
            (with("SMS_3_NUMBER", None), MixedParts::Sender(3)),
            (with("SMS_3_NUMBER", Some("")), MixedParts::Sender(3)),
            (with("SMS_2_REFERENCE", Some("7")), MixedParts::Reference(2)),
            (with("SMS_3_REFERENCE", None), MixedParts::Reference(3)),
        ] {
            assert_eq!(message_from(&changed), Err(why), "{changed:?}");
            let decoded = [&changed[..], &joined].concat();
            assert_eq!(message_from(&decoded), Err(why), "{decoded:?}");
        }
        for (part, name) in [(1, "SMS_1_TEXT"), (2, "SMS_2_TEXT"), (3, "SMS_3_TEXT")] {
            let hole = with(name, None);
            assert_eq!(message_from(&hole), Err(MixedParts::Missing(part)));
            let decoded = [&hole[..], &joined].concat();
            assert_eq!(text_of(&decoded).as_deref(), Some("Hello CS-0"));
        }
        // Parts beyond the count do not belong to the message.
        let short = with("SMS_MESSAGES", Some("2"));
        assert_eq!(text_of(&short).as_deref(), Some("Hello CS-"));
        assert_eq!(text_of(&with("SMS_MESSAGES", Some("0"))), None);
        assert_eq!(read(&with("SMS_MESSAGES", Some("256"))), None);
    }

    #[test]
    fn binary_message_has_no_text_and_other_environments_no_message() {
        assert_eq!(
            text_of(&[("SMS_MESSAGES", "1"), ("SMS_1_NUMBER", "1")]),
            None
        );
        assert_eq!(read(&[("SMS_1_TEXT", "CS-0")]), None);
        assert_eq!(read(&[("SMS_MESSAGES", "none")]), None);
    }
}
