//! The text that binds a sealed payload to one login and one page.

use countersign_domain::primitives::framing::framed;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;

/// Purpose and version of the sealed payload.
const PURPOSE: &str = "countersign/qr/2";

/// Returns HPKE's `info`: purpose, login id and origin, each preceded by its length.
pub(crate) fn info(id: LoginId, origin: &WebOrigin) -> Vec<u8> {
    let id = id.to_string();
    framed(&[PURPOSE, &id, origin.as_str()].map(str::as_bytes))
}

#[cfg(test)]
mod tests {
    use countersign_domain::primitives::ids::LoginKind;

    use super::*;

    #[test]
    fn each_part_follows_its_length() {
        let origin = "https://shop.example".parse::<WebOrigin>().unwrap();
        let id = LoginId::from_bytes(LoginKind::Sealed, [0xab; 16]);
        let expected = b"\x00\x10countersign/qr/2\
            \x00\x24qrs_abababababababababababababababab\
            \x00\x14https://shop.example";
        assert_eq!(info(id, &origin), expected);
    }
}
