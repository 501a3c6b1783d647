//! Extractors: the types with which handlers parse a request.
//!
//! Each extractor rejects with the [`Problem`](crate::Problem) to answer, and lists its possible
//! problems so that routes can describe them.

pub(crate) mod accept;
pub(crate) mod accept_language;
pub(crate) mod api_key;
pub(crate) mod app_key;
pub(crate) mod bearer;
pub(crate) mod body;
pub(crate) mod fields;
pub(crate) mod idempotency_key;
pub(crate) mod if_none_match;
pub(crate) mod json_body;
pub(crate) mod path_id;
pub(crate) mod period;
pub(crate) mod sender;
pub(crate) mod visitor;
