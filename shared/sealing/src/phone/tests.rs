use base16ct::lower;
use countersign_domain::login::Salt;
use countersign_domain::primitives::ids::LoginKind;
use countersign_system::entropy::OsEntropy;

use super::*;
use crate::{BrowserPrivateKey, OpenError};

fn hex(text: &str) -> Vec<u8> {
    lower::decode_vec(text).unwrap()
}

/// Random numbers from a test vector.
struct Prescribed(Vec<u8>);

impl Entropy for Prescribed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.0);
    }
}

/// The vector for this suite among those published with RFC 9180 (mode 0, KEM 0x0010, KDF 0x0001,
/// AEAD 0x0002). The RFC's appendix contains only the two other ciphers for this curve.
#[test]
fn published_vector_matches() {
    let private = "317f915db7bc629c48fe765587897e01e282d3e8445f79f27f65d031a88082b2";
    let public = "04abc7e49a4c6b3566d77d0304addc6ed0e98512ffccf505e6a8e3eb25c685136f\
                  853148544876de76c0f2ef99cdc3a05ccf5ded7860c7c021238f9e2073d2356c";
    let for_the_ephemeral_key = "a90d3417c3da9cb6c6ae19b4b5dd6cc9529a4cc24efb7ae0ace1f31887a8cd6c";
    let encapsulated = "04c06b4f6bebc7bb495cb797ab753f911aff80aefb86fd8b6fcc35525f3ab5f03e\
                        0b21bd31a86c6048af3cb2d98e0d3bf01da5cc4c39ff5370d331a4f1f7d5a4e0";
    let ciphertext = "58c61a45059d0c5704560e9d88b564a8b63f1364b8d1fcb3c4c6ddc1d2917424\
                      65e902cd216f8908da49f8f96f";
    let (info, text, additional) = (
        b"Ode on a Grecian Urn",
        b"Beauty is truth, truth beauty",
        b"Count-0",
    );
    let private = BrowserPrivateKey::from_bytes(&hex(private)).unwrap();
    let public = hex(public);
    assert_eq!(private.public_key().unwrap().as_bytes().as_slice(), public);
    let entropy = Prescribed(hex(for_the_ephemeral_key));
    let sealed = seal_bytes(&public, info, text, additional, &entropy).unwrap();
    assert_eq!(sealed, [hex(encapsulated), hex(ciphertext)].concat());
    let opened = private.open_bytes(info, &sealed, additional).unwrap();
    assert_eq!(opened, text);
}

struct Sides {
    private: BrowserPrivateKey,
    public: BrowserPublicKey,
    id: LoginId,
    origin: WebOrigin,
}

fn random_id() -> LoginId {
    let mut bytes = [0; 16];
    OsEntropy.fill(&mut bytes);
    LoginId::from_bytes(LoginKind::Sealed, bytes)
}

fn envelope(payload: &str) -> Envelope {
    Envelope {
        payload: payload.to_owned(),
        salt: Salt::from_bytes([7; 16]),
    }
}

/// The length of the JSON of an envelope with an empty payload.
const EMPTY: usize = r#"{"payload":"","salt":"0123456789012345678901"}"#.len();

fn sides() -> Sides {
    let private = BrowserPrivateKey::generate(&OsEntropy);
    Sides {
        public: private.public_key().unwrap(),
        private,
        id: random_id(),
        origin: "https://shop.example".parse::<WebOrigin>().unwrap(),
    }
}

#[test]
fn sealed_payload_opens_in_its_login_only() {
    let sides = sides();
    for text in [
        "",
        "a token",
        "Zoë ✓\n\"",
        &"x".repeat(MAX_PLAINTEXT - EMPTY),
    ] {
        let sent = envelope(text);
        let sealed = seal(&sides.public, sides.id, &sides.origin, &sent, &OsEntropy).unwrap();
        assert!(sealed.is_encrypted());
        let open = |id, origin| sides.private.open(id, origin, &sealed);
        assert_eq!(open(sides.id, &sides.origin), Ok(sent));
        let elsewhere = "https://shop.example:8443".parse::<WebOrigin>().unwrap();
        assert_eq!(open(sides.id, &elsewhere), Err(OpenError::DoesNotOpen));
        let another = random_id();
        assert_eq!(open(another, &sides.origin), Err(OpenError::DoesNotOpen));
        let stranger = BrowserPrivateKey::generate(&OsEntropy);
        let opened = stranger.open(sides.id, &sides.origin, &sealed);
        assert_eq!(opened, Err(OpenError::DoesNotOpen));
    }
}

#[test]
fn sealing_twice_gives_different_payloads() {
    let sides = sides();
    let sent = envelope("a");
    let seal = || seal(&sides.public, sides.id, &sides.origin, &sent, &OsEntropy).unwrap();
    assert_ne!(seal(), seal());
}

#[test]
fn altered_payload_does_not_open() {
    let sides = sides();
    let sent = envelope("a");
    let sealed = seal(&sides.public, sides.id, &sides.origin, &sent, &OsEntropy).unwrap();
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed.as_str()).unwrap();
    for position in 1..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[position] ^= 1;
        let altered = Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(bytes)).unwrap();
        let opened = sides.private.open(sides.id, &sides.origin, &altered);
        assert_eq!(opened, Err(OpenError::DoesNotOpen), "byte {position}");
    }
    let clear = Payload::clear("a".to_owned()).unwrap();
    let opened = sides.private.open(sides.id, &sides.origin, &clear);
    assert_eq!(opened, Err(OpenError::NotSealed));
}

#[test]
fn key_off_the_curve_is_refused() {
    let sides = sides();
    let refused = |bytes: [u8; 65]| {
        let key = BrowserPublicKey::from_bytes(bytes).unwrap();
        seal(&key, sides.id, &sides.origin, &envelope("a"), &OsEntropy)
    };
    let mut off = *sides.public.as_bytes();
    off[64] ^= 1;
    assert_eq!(refused(off), Err(SealError::NotOnCurve));
    let mut zero = [0; 65];
    zero[0] = 4;
    assert_eq!(refused(zero), Err(SealError::NotOnCurve));
    let mut beyond_the_field = [0xff; 65];
    beyond_the_field[0] = 4;
    assert_eq!(refused(beyond_the_field), Err(SealError::NotOnCurve));
}

#[test]
fn too_long_a_payload_is_refused() {
    let sides = sides();
    let most = MAX_PLAINTEXT - EMPTY;
    // A quotation mark takes two bytes in JSON.
    for long in ["x".repeat(most + 1), "\"".repeat(most / 2 + 1)] {
        let sent = envelope(&long);
        let refused = seal(&sides.public, sides.id, &sides.origin, &sent, &OsEntropy);
        assert_eq!(refused, Err(SealError::TooLong));
    }
}

#[test]
fn sealed_text_that_is_not_an_envelope_is_refused() {
    let sides = sides();
    let info = info(sides.id, &sides.origin);
    let key = sides.public.as_bytes();
    let sealed = seal_bytes(key, &info, b"a bare token", b"", &OsEntropy).unwrap();
    let sealed = Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(sealed)).unwrap();
    let opened = sides.private.open(sides.id, &sides.origin, &sealed);
    assert_eq!(opened, Err(OpenError::NotAnEnvelope));
}

#[test]
fn private_keys_round_trip_and_are_hidden() {
    let sides = sides();
    let read = BrowserPrivateKey::from_bytes(&sides.private.to_bytes()).unwrap();
    assert_eq!(read.public_key(), Ok(sides.public));
    assert_eq!(format!("{read:?}"), "BrowserPrivateKey(…)");
    for bad in [&[0; 32][..], &[0xff; 32], &[1; 31], &[]] {
        assert!(BrowserPrivateKey::from_bytes(bad).is_err());
    }
}
