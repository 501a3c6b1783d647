//! Parameters in a query or a form (`application/x-www-form-urlencoded`).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

use crate::error::MalformedText;

/// Maximum number of parameters. Providers send fewer than forty.
const MAX: usize = 256;

/// Decoded parameters, in the order in which they were sent.
pub(crate) struct Form(pub(crate) Vec<(String, String)>);

/// Decoded parameters as bytes, as a signature covers them.
pub(crate) type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

impl Form {
    /// Decodes parameters, with U+FFFD in place of invalid UTF-8. Nothing is trimmed, and parameters without a
    /// value are kept.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, MalformedText> {
        let text_of = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let pairs = decode_all(text)?.into_iter();
        Ok(Self(pairs.map(|(n, v)| (text_of(n), text_of(v))).collect()))
    }

    /// Returns the value of a parameter, or `None` if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if the parameter occurs more than once.
    pub(crate) fn optional(&self, name: &'static str) -> Result<Option<&str>, MalformedText> {
        let mut values = self.0.iter().filter(|(other, _)| other == name);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Ok(Some(value)),
            (None, _) => Ok(None),
            (Some(_), Some(_)) => Err(MalformedText::Repeated(name)),
        }
    }

    /// Returns the value of a parameter that must occur once.
    pub(crate) fn required(&self, name: &'static str) -> Result<String, MalformedText> {
        let value = self.optional(name)?.ok_or(MalformedText::Missing(name))?;
        Ok(value.to_owned())
    }
}

/// Returns the parameters in each way that the provider may have signed them: the bytes that it sent, and if they are
/// not UTF-8 also with U+FFFD, as its own libraries read them. No provider documents which way it uses.
pub(crate) fn signed(text: &[u8]) -> Result<Vec<Pairs>, MalformedText> {
    let sent = decode_all(text)?;
    let read: Pairs = Form::parse(text)?
        .0
        .into_iter()
        .map(|(name, value)| (name.into_bytes(), value.into_bytes()))
        .collect();
    Ok(if read == sent {
        vec![sent]
    } else {
        vec![sent, read]
    })
}

fn decode_all(text: &[u8]) -> Result<Pairs, MalformedText> {
    let pairs: Vec<_> = text
        .split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .take(MAX + 1)
        .map(|pair| {
            let at = pair.iter().position(|byte| *byte == b'=');
            let (name, value) = at.map_or((pair, &[][..]), |at| (&pair[..at], &pair[at + 1..]));
            (decode(name), decode(value))
        })
        .collect();
    if pairs.len() > MAX {
        return Err(MalformedText::TooMany);
    }
    Ok(pairs)
}

fn decode(bytes: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> = bytes
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    percent_decode(&spaced).collect()
}

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// Encodes parameters as a form.
pub(crate) fn encode(pairs: &[(&str, &str)]) -> String {
    let escaped = |text| utf8_percent_encode(text, ESCAPED).to_string();
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    pairs.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        Form::parse(text.as_bytes()).unwrap().0
    }

    #[test]
    fn form_is_decoded_without_trimming() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            pairs("a=+b+&c&=d&e=f=g&&%61=%zz&h=%e2%82%ac"),
            [
                pair("a", " b "),
                pair("c", ""),
                pair("", "d"),
                pair("e", "f=g"),
                pair("a", "%zz"),
                pair("h", "€"),
            ]
        );
    }

    #[test]
    fn what_is_not_utf_8_is_replaced_and_signed_in_both_ways() {
        assert_eq!(
            pairs("a=CS-1+%ff%ed%a0%bd&b%ff=c"),
            [
                (
                    "a".to_owned(),
                    "CS-1 \u{fffd}\u{fffd}\u{fffd}\u{fffd}".to_owned()
                ),
                ("b\u{fffd}".to_owned(), "c".to_owned()),
            ]
        );
        let pair = |value: &[u8]| vec![(b"a".to_vec(), value.to_vec())];
        let spellings = signed(b"a=%ff").unwrap();
        assert_eq!(spellings, [pair(b"\xff"), pair("\u{fffd}".as_bytes())]);
        assert_eq!(signed(b"a=%c3%a9").unwrap(), [pair("é".as_bytes())]);
    }

    #[test]
    fn form_with_too_many_parameters_is_refused() {
        let many = "a&".repeat(257);
        assert!(Form::parse(&many.as_bytes()[2..]).is_ok());
        let parsed = Form::parse(many.as_bytes());
        assert_eq!(parsed.map(|_| ()), Err(MalformedText::TooMany));
    }

    #[test]
    fn repeated_parameter_has_no_value() {
        let form = Form::parse(b"a=1&a=1&b=2").unwrap();
        assert_eq!(form.required("a"), Err(MalformedText::Repeated("a")));
        assert_eq!(form.required("b").as_deref(), Ok("2"));
        assert_eq!(form.required("c"), Err(MalformedText::Missing("c")));
    }

    proptest! {
        #[test]
        fn encoded_form_is_decoded(list in prop::collection::vec(("\\PC{1,9}", "\\PC{0,9}"), 0..9)) {
            let borrowed: Vec<_> = list.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            prop_assert_eq!(pairs(&encode(&borrowed)), list);
        }
    }
}
