//! The text that binds a sealed payload to one login and one page.

use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;

/// Purpose and version of the sealed payload.
const PURPOSE: &str = "countersign/qr/1";

/// Returns HPKE's `info`: purpose, login id and origin, each preceded by its length as two
/// big-endian bytes, so that different triples never coincide.
pub(crate) fn info(id: LoginId, origin: &WebOrigin) -> Vec<u8> {
    let mut info = Vec::new();
    for part in [PURPOSE, &id.to_string(), origin.as_str()] {
        // None of the three comes near 65,535 bytes: an origin has at most 280.
        let length = u16::try_from(part.len()).unwrap_or(u16::MAX);
        info.extend_from_slice(&length.to_be_bytes());
        info.extend_from_slice(part.as_bytes());
    }
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_follows_its_length() {
        let origin = "https://shop.example".parse::<WebOrigin>().unwrap();
        let written = info(LoginId::from_bytes([0xab; 16]), &origin);
        let expected = b"\x00\x10countersign/qr/1\
            \x00\x24qrs_abababababababababababababababab\
            \x00\x14https://shop.example";
        assert_eq!(written, expected);
    }
}
