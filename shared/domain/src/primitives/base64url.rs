//! Encoding of bytes in stored documents.

use serde_with::base64::{Base64, UrlSafe};
use serde_with::formats::Unpadded;

/// Bytes as base64url without padding.
pub(crate) type Base64Url = Base64<UrlSafe, Unpadded>;
