//! Parameters of a request to the provider, from a query or a form.

use thiserror::Error;
use url::form_urlencoded;

/// The parameters of a request, in their order. A parameter without a value counts as absent (RFC 6749, section 3.1).
pub struct Parameters(Vec<(String, String)>);

/// The error for a parameter that a request has more than once (RFC 6749, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} is repeated")]
pub struct Repeated(pub &'static str);

impl Parameters {
    /// Parses the query of a URL, or a form (`application/x-www-form-urlencoded`). Every text has a reading.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(text);
        let pairs = pairs.map(|(name, value)| (name.into_owned(), value.into_owned()));
        Self(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }

    /// Returns the value of a parameter; `None` if it is absent.
    ///
    /// # Errors
    /// Fails if the request has it more than once.
    pub fn get(&self, name: &'static str) -> Result<Option<&str>, Repeated> {
        let mut values = self.0.iter().filter(|(found, _)| found == name);
        match (values.next(), values.next()) {
            (found, None) => Ok(found.map(|(_, value)| value.as_str())),
            (_, Some(_)) => Err(Repeated(name)),
        }
    }
}

/// Shows only the number of parameters, because their values are secret.
impl std::fmt::Debug for Parameters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Parameters({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_decoded_once() {
        let parameters = Parameters::parse(b"state=a%2Bb+c%2541&empty=&flag&state2=%ff");
        assert_eq!(parameters.get("state"), Ok(Some("a+b c%41")));
        for absent in ["empty", "flag", "other"] {
            assert_eq!(parameters.get(absent), Ok(None), "{absent}");
        }
        assert_eq!(parameters.get("state2"), Ok(Some("\u{fffd}")));
        assert_eq!(format!("{parameters:?}"), "Parameters(2)");
    }

    #[test]
    fn repeated_parameter_is_an_error() {
        let parameters = Parameters::parse(b"a=1&b=2&a=1&c=1&c=");
        assert_eq!(parameters.get("a"), Err(Repeated("a")));
        assert_eq!(parameters.get("b"), Ok(Some("2")));
        assert_eq!(parameters.get("c"), Ok(Some("1")));
    }
}
