//! What authenticators and browsers say, and what they must not say.

use countersign_conformance::passkey::{ATTESTED, BACKED_UP, ELIGIBLE, PRESENT, VERIFIED};

/// The authenticator data of a case: its name, whether it is valid, the domain, the flags, and the bytes after them.
type AuthenticatorCase = (&'static str, bool, &'static str, u8, &'static [u8]);

const DOMAIN: &str = "login.shop.example";
const USUAL: u8 = PRESENT | VERIFIED | ELIGIBLE | BACKED_UP;

#[rustfmt::skip]
pub(super) const AUTHENTICATOR_DATA: &[AuthenticatorCase] = &[
    ("passkey that is not synced", true, DOMAIN, PRESENT | VERIFIED, &[0; 4]),
    ("passkey that was not copied yet", true, DOMAIN, PRESENT | VERIFIED | ELIGIBLE, &[0; 4]),
    ("copied passkey that cannot be copied", false, DOMAIN, PRESENT | VERIFIED | BACKED_UP, &[0; 4]),
    ("user not verified", false, DOMAIN, PRESENT | ELIGIBLE | BACKED_UP, &[0; 4]),
    ("user not present", false, DOMAIN, VERIFIED | ELIGIBLE | BACKED_UP, &[0; 4]),
    ("attested credential", false, DOMAIN, USUAL | ATTESTED, &[0; 100]),
    ("extensions", true, DOMAIN, USUAL | 0x80, &[0; 40]),
    ("reserved flags", true, DOMAIN, USUAL | 0x22, &[0; 4]),
    ("counter", true, DOMAIN, USUAL, &[0xff; 4]),
    ("36 bytes of authenticator data", false, DOMAIN, USUAL, &[0; 3]),
    ("another domain", false, "shop.example", USUAL, &[0; 4]),
    ("subdomain", false, "a.login.shop.example", USUAL, &[0; 4]),
];

/// Client data as browsers write it, with `@` in place of the challenge.
pub(super) const CLIENT_DATA_OF_BROWSERS: &str = r#"{"type":"webauthn.get","challenge":"@","origin":"https://login.shop.example","crossOrigin":false}"#;

/// The client data of a case: its name, whether it is valid, and a part of the usual data with its replacement. `TWICE`
/// is the challenge, encoded twice.
type ClientCase = (&'static str, bool, &'static str, &'static str);

const CHROMES: &str = r#","other_keys_can_be_added_here":"do not compare clientDataJSON against a template. See https://goo.gl/yabPex"}"#;
const OF_OTHER_ORDER: &str = "{ \"origin\" : \"https://login.shop.example\",\n\t\"challenge\":\"@\",\"type\":\"webauthn.get\" }\n";
const NESTED: &str = r#","a":{"type":"x","origin":["}",{"origin":"\"{"}],"crossOrigin":true},"b":[{"type":1},{"type":2}]}"#;

#[rustfmt::skip]
pub(super) const CLIENT_DATA: &[ClientCase] = &[
    ("member that Chrome adds", true, "}", CHROMES),
    ("members in another order, with spaces", true, CLIENT_DATA_OF_BROWSERS, OF_OTHER_ORDER),
    ("escaped origin", true, "https://", r"https:\/\u002f"),
    ("nested members with the same names", true, "}", NESTED),
    ("no crossOrigin", true, r#","crossOrigin":false"#, ""),
    ("framed", false, "false", "true"),
    ("framed, with topOrigin", false, "false", r#"true,"topOrigin":"https://evil.example""#),
    ("topOrigin alone", false, "}", r#","topOrigin":"https://login.shop.example"}"#),
    ("topOrigin is null", false, "}", r#","topOrigin":null}"#),
    ("crossOrigin is null", false, "false", "null"),
    ("crossOrigin is a text", false, "false", r#""false""#),
    ("crossOrigin is zero", false, "false", "0"),
    ("another page", false, "login.shop.", "login.evil."),
    ("the shop's origin", false, "https://login.", "https://"),
    ("another port", false, "example", "example:8443"),
    ("origin in capitals", false, "login", "LOGIN"),
    ("origin with a slash", false, "example", "example/"),
    ("origin is a list", false, r#""https://login.shop.example""#, r#"["https://login.shop.example"]"#),
    ("creation of a passkey", false, "webauthn.get", "webauthn.create"),
    ("no type", false, r#""type":"webauthn.get","#, ""),
    ("type twice", false, "}", r#","type":"webauthn.get"}"#),
    ("challenge twice, once escaped", false, "}", r#","\u0063hallenge":"x"}"#),
    ("unknown member twice", false, "}", r#","a":1,"a":1}"#),
    ("challenge encoded twice", false, "@", "TWICE"),
    ("challenge with padding", false, "@", "@="),
    ("another challenge", false, "@", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"),
    ("no challenge", false, "challenge", "challenges"),
    ("challenge is null", false, r#""@""#, "null"),
    ("byte order mark", false, "{", "\u{feff}{"),
    ("client data is a list", false, CLIENT_DATA_OF_BROWSERS, "[]"),
    ("client data is null", false, CLIENT_DATA_OF_BROWSERS, "null"),
    ("client data is not JSON", false, "}", ",}"),
    ("client data with text after it", false, "}", "}}"),
];
