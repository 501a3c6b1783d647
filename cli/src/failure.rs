//! Errors that end a command, in the form shown to the user.

use std::error::Error;
use std::fmt;

use countersign_api::Causes;

/// One sentence that says what went wrong and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Describes the attempted action, then the error with all its causes.
    pub(crate) fn because(tried: impl fmt::Display, error: &dyn Error) -> Self {
        Self(format!("{tried}: {}", Causes(error)))
    }

    /// Describes an error with all its causes.
    pub(crate) fn because_of(error: &dyn Error) -> Self {
        Self(Causes(error).to_string())
    }
}

/// Describes an error with all its causes.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::because_of(&error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
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

    #[derive(Debug, Error)]
    #[error("quoting {0}")]
    struct Quoting(#[from] Outside);

    #[test]
    fn causes_follow_and_are_not_repeated() {
        let causes = format!("outside: {}", std::fmt::Error);
        let transparent = Transparent(Outside(std::fmt::Error));
        assert_eq!(
            Failure::because("a try", &transparent).to_string(),
            format!("a try: {causes}")
        );
        assert_eq!(Failure::from(transparent).to_string(), causes);
        let quoting = Quoting(Outside(std::fmt::Error));
        assert_eq!(
            Failure::from(quoting).to_string(),
            format!("quoting {causes}")
        );
    }
}
