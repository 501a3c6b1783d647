//! Building blocks of the API's description.

pub(crate) mod metadata;
pub(crate) mod problems;
pub(crate) mod words;
