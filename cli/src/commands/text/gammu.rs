//! A text in the environment of the program that gammu-smsd runs with `RunOnReceive`.
//!
//! See <https://docs.gammu.org/smsd/run.html>. A message in several parts comes whole in `DECODED_1_TEXT`, or
//! else in parts, in order, in `SMS_1_TEXT`, `SMS_2_TEXT` and so on.

/// A message that gammu-smsd received.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The sender, as the network wrote it.
    pub(super) from: String,
    /// The name that the operator gave the modem; empty if none.
    pub(super) phone_id: String,
    /// The content; `None` for a message that is no text, such as a notice about an MMS.
    pub(super) text: Option<String>,
}

impl Message {
    /// Reads the message from the variables that `get` returns; `None` if they are not gammu-smsd's.
    pub(super) fn read(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        // At most as many parts as a long text can have (3GPP TS 23.040, section 9.2.3.24.1).
        let number = |name| get(name)?.parse::<u8>().ok();
        let messages = number("SMS_MESSAGES")?;
        let joined = |prefix: &str, parts: u8| {
            let parts = (1..=parts).filter_map(|part| get(&format!("{prefix}_{part}_TEXT")));
            let text: String = parts.collect();
            (!text.is_empty()).then_some(text)
        };
        let decoded = number("DECODED_PARTS").unwrap_or_default();
        Some(Self {
            from: get("SMS_1_NUMBER").unwrap_or_default(),
            phone_id: get("PHONE_ID").unwrap_or_default(),
            text: joined("DECODED", decoded).or_else(|| joined("SMS", messages)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Option<Message> {
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
    fn binary_message_has_no_text_and_other_environments_no_message() {
        assert_eq!(
            text_of(&[("SMS_MESSAGES", "1"), ("SMS_1_NUMBER", "1")]),
            None
        );
        assert_eq!(read(&[("SMS_1_TEXT", "CS-0")]), None);
        assert_eq!(read(&[("SMS_MESSAGES", "none")]), None);
    }
}
