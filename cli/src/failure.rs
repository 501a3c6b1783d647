//! What a person at the terminal reads when a command did not work.

use std::error::Error;
use std::fmt;

/// One clear sentence that says what is wrong and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure in these words.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// What was tried, and why it did not work: the error with all its causes.
    pub(crate) fn because(tried: impl fmt::Display, error: &dyn Error) -> Self {
        Self(format!("{tried}: {}", chain(error)))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An error and its causes, from the outside in. A cause that its wrapper tells already is not
/// told twice.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use thiserror::Error;

    #[derive(Debug, Error)]
    #[error("outside")]
    struct Outside(#[source] std::fmt::Error);

    #[derive(Debug, Error)]
    #[error(transparent)]
    struct Transparent(#[from] Outside);

    #[test]
    fn causes_follow_and_are_not_repeated() {
        let error = Transparent(Outside(std::fmt::Error));
        assert_eq!(chain(&error), format!("outside: {}", std::fmt::Error));
        assert_eq!(
            Failure::because("a try", &error).to_string(),
            format!("a try: outside: {}", std::fmt::Error)
        );
    }
}
