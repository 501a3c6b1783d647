use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use std::cell::Cell;

use super::*;

/// P-256's generator point, in the format that Android's `getEncoded` returns. The thumbprint was
/// computed with Node's crypto.
const GENERATOR: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==";

fn key(byte: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[byte; 32]).unwrap()
}

#[test]
fn public_key_and_thumbprint_agree_with_other_tools() {
    let mut one = [0; 32];
    one[31] = 1;
    let private = AssociationPrivateKey::from_bytes(&one).unwrap();
    assert_eq!(private.public_key().to_string(), GENERATOR);
    let id = private.public_key().key_id().to_string();
    assert_eq!(id, "xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M");
}

#[test]
fn public_key_has_one_spelling() {
    let text = key(7).public_key().to_string();
    assert_eq!(
        text.parse::<AssociationPublicKey>(),
        Ok(key(7).public_key())
    );
    let der = BASE64_STANDARD.decode(&text).unwrap();
    let encode = |der: &[u8]| BASE64_STANDARD.encode(der);
    let mut off_curve = der.clone();
    off_curve[90] ^= 1;
    let mut other_curve = der.clone();
    other_curve[22] = 6;
    let compressed = key(7).public_key().verifying().to_sec1_point(true);
    for bad in [
        String::new(),
        text.trim_end_matches('=').to_owned(),
        text.replace(['+', '/'], "_"),
        format!(" {text}"),
        format!("{text}\n"),
        encode(&der[27..]),
        encode(compressed.as_bytes()),
        encode(&off_curve),
        encode(&other_curve),
        encode(&[der.as_slice(), &[0]].concat()),
        "A".repeat(1 << 20),
    ] {
        let refused = bad.parse::<AssociationPublicKey>();
        // The text may have neither `+` nor `/`.
        assert!(
            bad == text || refused == Err(MalformedKey::Public),
            "{bad:.200}"
        );
    }
}

#[test]
fn bytes_outside_the_group_are_no_private_key() {
    for bytes in [&[0; 32][..], &[0xff; 32], &[7; 31], &[7; 33], &[]] {
        let refused = AssociationPrivateKey::from_bytes(bytes);
        assert_eq!(refused.unwrap_err(), MalformedKey::Private);
    }
}

#[test]
fn generated_key_is_drawn_again_until_it_is_in_the_group() {
    struct Falling(Cell<u8>);
    // The port requires entropy that threads can share.
    struct Shared(std::sync::Mutex<Falling>);
    impl Entropy for Shared {
        fn fill(&self, buffer: &mut [u8]) {
            let falling = self.0.lock().unwrap();
            buffer.fill(falling.0.get());
            falling.0.set(falling.0.get() - 1);
        }
    }
    let entropy = Shared(std::sync::Mutex::new(Falling(Cell::new(0xff))));
    let generated = AssociationPrivateKey::generate(&entropy);
    assert_eq!(*generated.to_bytes(), [0xfe; 32]);
}

#[test]
fn private_key_is_not_shown() {
    assert_eq!(format!("{:?}", key(7)), "AssociationPrivateKey(…)");
}

#[test]
fn user_signature_holds_only_for_its_data_and_key() {
    let signature = key(7).generate_user_signature("Zoë's data").unwrap();
    let public = key(7).public_key();
    assert!(public.verify_user_signature("Zoë's data", &signature));
    assert!(!public.verify_user_signature("Zoe's data", &signature));
    assert!(
        !key(8)
            .public_key()
            .verify_user_signature("Zoë's data", &signature)
    );
    let raw: p256::ecdsa::Signature = {
        use p256::ecdsa::signature::Signer as _;
        key(7).signing().sign("Zoë's data".as_bytes())
    };
    for bad in [
        String::new(),
        "MAYCAQACAQA=".to_owned(),
        "MAYCAQECAQE=".to_owned(),
        format!("{signature}\n"),
        BASE64_URL_SAFE_NO_PAD.encode(raw.to_bytes()),
        BASE64_STANDARD.encode(raw.to_bytes()),
        "A".repeat(1 << 20),
    ] {
        assert!(
            !public.verify_user_signature("Zoë's data", &bad),
            "{bad:.200}"
        );
    }
}

#[test]
fn signature_of_a_store_is_checked_and_written_the_same() {
    let data = "Zoë's data";
    let public = key(7).public_key();
    let der = key(7).sign_der(data.as_bytes());
    assert_eq!(
        public.user_signature(data, &der).unwrap(),
        key(7).generate_user_signature(data).unwrap()
    );
    for wrong in [key(8).sign_der(data.as_bytes()), key(7).sign_der(b"x")] {
        assert_eq!(public.user_signature(data, &wrong), Err(WrongSignature));
    }
}

#[test]
fn public_key_round_trips_through_der() {
    let public = key(7).public_key();
    assert_eq!(
        AssociationPublicKey::from_der(&public.to_der()),
        Ok(public.clone())
    );
    let longer = [public.to_der(), vec![0]].concat();
    for bad in [&[][..], &public.to_der()[..90], &longer] {
        let refused = AssociationPublicKey::from_der(bad);
        assert_eq!(refused, Err(MalformedKey::Public));
    }
}
