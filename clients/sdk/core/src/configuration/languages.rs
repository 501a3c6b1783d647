//! The languages of user-visible texts.

use super::ConfigurationError;

/// Maximum number of languages; each one has its own weight.
pub const MAX_LANGUAGES: usize = 9;

/// Maximum length of a language tag (RFC 5646, section 4.4.1), in bytes.
const MAX_TAG: usize = 35;

/// The header `Accept-Language`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AcceptLanguage(String);

impl AcceptLanguage {
    /// Builds the header; `None` without any tags.
    pub(super) fn from_tags(tags: &[String]) -> Result<Option<Self>, ConfigurationError> {
        if tags.len() > MAX_LANGUAGES {
            return Err(ConfigurationError::TooManyLanguages);
        }
        let mut parts = Vec::new();
        for (index, tag) in tags.iter().enumerate() {
            if !is_tag(tag) {
                return Err(ConfigurationError::Language(tag.clone()));
            }
            parts.push(match index {
                0 => tag.clone(),
                _ => format!("{tag};q=0.{}", 10 - index),
            });
        }
        Ok((!parts.is_empty()).then(|| Self(parts.join(", "))))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether the text has the form of a language tag: letters and digits in parts of up to eight,
/// separated by hyphens.
fn is_tag(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_alphanumeric())
    };
    let starts = text.bytes().next().is_some_and(|c| c.is_ascii_alphabetic());
    starts && text.len() <= MAX_TAG && text.split('-').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(tags: &[&str]) -> Result<Option<String>, ConfigurationError> {
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        let header = AcceptLanguage::from_tags(&tags)?;
        Ok(header.map(|header| header.as_str().to_owned()))
    }

    #[test]
    fn languages_have_falling_weights() {
        assert_eq!(header(&[]), Ok(None));
        assert_eq!(header(&["de-AT"]), Ok(Some("de-AT".to_owned())));
        let three = header(&["de-AT", "en", "zh-Hant-TW"]).unwrap().unwrap();
        assert_eq!(three, "de-AT, en;q=0.9, zh-Hant-TW;q=0.8");
        let nine = header(&["de"; MAX_LANGUAGES]).unwrap().unwrap();
        assert!(nine.ends_with(";q=0.2"), "{nine}");
        let ten = header(&["de"; MAX_LANGUAGES + 1]);
        assert_eq!(ten, Err(ConfigurationError::TooManyLanguages));
    }

    #[test]
    fn texts_that_are_not_tags_are_refused() {
        for bad in [
            "",
            "de_AT",
            "de-",
            "*",
            "de\r\nx: y",
            "de,en",
            "1de",
            "überall",
        ] {
            let refused = ConfigurationError::Language(bad.to_owned());
            assert_eq!(header(&[bad]), Err(refused));
        }
    }
}
