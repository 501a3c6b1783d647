//! Proofs that a strict verifier rejects: each attack makes one change to a valid proof.

use http::StatusCode;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::{EncodePublicKey as _, LineEnding};
use serde_json::{Value, json};

use super::stub::Stub;
use super::vectors::{text, vectors};
use super::world::AT;
use crate::client::Countersign;
use crate::error::{BoxError, Error};
use crate::handlers::LoginHandler;
use crate::identity::{base64url, digest, generate_key, hmac};
use crate::logins::{LoginDetail, LoginExpectation};
use crate::proof::{KnownKey, header_of, id_of};

const APP_KEY: &str = "cs_app_0123456789abcdefABCDEF";
const ORIGIN: &str = "https://shop.example";
const ID: &str = "qrs_6584c4a8e3c6c4ccabfe5bb6ab4e5559";
const USER: &str = "zoe@example.com";
const PAYLOAD: &str = "hello";
const SALT: [u8; 16] = [7; 16];

struct Phone {
    key: SigningKey,
    kid: String,
}

impl Phone {
    fn new() -> Self {
        let key = generate_key().unwrap();
        let kid = id_of(key.verifying_key());
        Self { key, kid }
    }

    fn known(&self) -> KnownKey {
        let pem = self.key.verifying_key().to_public_key_pem(LineEnding::LF);
        KnownKey::new(pem.unwrap(), USER)
    }

    fn sign(&self, header: &str, claims: &str) -> String {
        let signed = format!("{header}.{}", base64url(claims));
        let signature: Signature = self.key.sign(signed.as_bytes());
        format!("{signed}.{}", base64url(signature.to_bytes()))
    }

    fn proof(&self, claims: &Value) -> String {
        self.sign(&header_of(&self.kid), &claims.to_string())
    }
}

fn pay() -> String {
    digest("pay", &[&SALT[..], PAYLOAD.as_bytes()].concat())
}

#[expect(clippy::cast_possible_truncation, reason = "a time of this millennium")]
fn claims() -> Value {
    let now = AT as i64;
    json!({
        "act": "confirm", "app": APP_KEY, "aud": ORIGIN, "exp": now + 300, "iat": now, "jti": ID, "pay": pay(),
        "sub": USER,
    })
}

fn with(name: &str, value: impl Into<Value>) -> Value {
    let mut claims = claims();
    claims[name] = value.into();
    claims
}

fn detail(proof: String) -> LoginDetail {
    LoginDetail {
        session_id: ID.to_owned(),
        payload: Some(PAYLOAD.to_owned()),
        salt: Some(base64url(SALT)),
        proof: Some(proof),
    }
}

async fn verify(
    client: &Countersign,
    phone: &Phone,
    detail: &LoginDetail,
) -> Result<String, Error> {
    let known = phone.known();
    let find_key = |id: String| {
        let found = (id == phone.kid).then_some(known);
        async { Ok::<_, BoxError>(found) }
    };
    let expected = LoginExpectation::new(ORIGIN);
    client
        .logins()
        .verify(detail, &expected, find_key)
        .await
        .map(|login| login.user_id)
}

fn client(stub: &Stub) -> Countersign {
    stub.tell_time(text(vectors(), "date"));
    stub.builder().app_key(APP_KEY).build().unwrap()
}

/// Checks that a proof is accepted, and that none of its modifications is.
async fn refuse_all<const N: usize>(phone: &Phone, attacks: [(&str, String); N]) {
    let stub = Stub::start().await;
    let client = client(&stub);
    let valid = phone.proof(&claims());
    assert_eq!(verify(&client, phone, &detail(valid)).await.unwrap(), USER);
    for (name, proof) in attacks {
        let outcome = verify(&client, phone, &detail(proof)).await;
        assert!(
            matches!(outcome, Err(Error::Login(_))),
            "{name}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn other_headers_are_refused() {
    let phone = Phone::new();
    let head = |alg: &str, more: &str| {
        let kid = &phone.kid;
        base64url(format!(
            r#"{{"alg":"{alg}","kid":"{kid}","typ":"countersign-login+jwt"{more}}}"#
        ))
    };
    let body = claims().to_string();
    let hashed = format!("{}.{}", head("HS256", ""), base64url(&body));
    let secret = phone.known().public_key;
    let signature = base64url(hmac(secret.as_bytes(), &[hashed.as_bytes()]));
    let kid = &phone.kid;
    let spaced = base64url(format!(
        r#"{{"alg": "ES256","kid":"{kid}","typ":"countersign-login+jwt"}}"#
    ));
    let another = base64url(format!(r#"{{"alg":"ES256","kid":"{kid}","typ":"JWT"}}"#));
    let attacks = [
        (
            "no algorithm",
            format!("{}.{}.", head("none", ""), base64url(&body)),
        ),
        (
            "the public key as a secret",
            format!("{hashed}.{signature}"),
        ),
        (
            "crit",
            phone.sign(&head("ES256", r#","crit":["exp"]"#), &body),
        ),
        (
            "a key in the header",
            phone.sign(&head("ES256", r#","jwk":{}"#), &body),
        ),
        ("another spelling", phone.sign(&spaced, &body)),
        ("another type", phone.sign(&another, &body)),
    ];
    refuse_all(&phone, attacks).await;
}

#[tokio::test]
async fn other_signatures_are_refused() {
    let phone = Phone::new();
    let valid = phone.proof(&claims());
    let (signed, signature) = valid.rsplit_once('.').unwrap();
    let other = phone.proof(&with("jti", "x"));
    let (other, _) = other.rsplit_once('.').unwrap();
    let kid = phone.kid.clone();
    let stranger = Phone {
        key: generate_key().unwrap(),
        kid,
    };
    let attacks = [
        ("another key", stranger.proof(&claims())),
        ("another signed part", format!("{other}.{signature}")),
        ("cut short", format!("{signed}.{}", &signature[..80])),
        ("padded", format!("{valid}==")),
        ("a fourth part", format!("{valid}.{signature}")),
        ("none", signed.to_owned()),
        ("nothing", String::new()),
    ];
    refuse_all(&phone, attacks).await;
}

#[tokio::test]
async fn other_claims_are_refused() {
    let phone = Phone::new();
    let body = claims().to_string();
    let header = header_of(&phone.kid);
    let twice = body.replacen('{', r#"{"act":"deny","#, 1);
    let fraction = body.replace(&format!("{AT}"), &format!("{AT}.0"));
    assert_ne!(fraction, body);
    let attacks = [
        (
            "a proof that is too long",
            phone.proof(&with("sub", "z".repeat(2000))),
        ),
        ("a member twice", phone.sign(&header, &twice)),
        ("a time with a fraction", phone.sign(&header, &fraction)),
        ("a further member", phone.proof(&with("nbf", 1))),
        (
            "a context that nobody expects",
            phone.proof(&with("ctx", digest("ctx", b"Pay"))),
        ),
        ("another action", phone.proof(&with("act", "deny"))),
        ("another app", phone.proof(&with("app", "cs_app_other"))),
        (
            "another origin",
            phone.proof(&with("aud", "https://evil.example")),
        ),
        (
            "a list of origins",
            phone.proof(&with("aud", json!([ORIGIN]))),
        ),
        (
            "another session",
            phone.proof(&with("jti", "qrs_00000000000000000000000000000000")),
        ),
        ("another user", phone.proof(&with("sub", "mallory"))),
        (
            "a user that is null",
            phone.proof(&with("sub", Value::Null)),
        ),
        (
            "another payload",
            phone.proof(&with("pay", digest("pay", b"x"))),
        ),
        (
            "a hash of another length",
            phone.proof(&with("pay", "AAAA")),
        ),
    ];
    refuse_all(&phone, attacks).await;
}

#[tokio::test]
async fn proof_of_a_phone_that_named_no_user_counts() {
    let stub = Stub::start().await;
    let phone = Phone::new();
    let mut nobody = claims();
    nobody.as_object_mut().unwrap().remove("sub");
    let user = verify(&client(&stub), &phone, &detail(phone.proof(&nobody))).await;
    assert_eq!(user.unwrap(), USER);
}

#[tokio::test]
#[expect(clippy::cast_possible_truncation, reason = "a time of this millennium")]
async fn proofs_count_from_a_minute_before_until_a_minute_after() {
    let stub = Stub::start().await;
    let client = client(&stub);
    let phone = Phone::new();
    let now = AT as i64;
    for (issued, lifetime, is_valid) in [
        (now + 60, 300, true),
        (now + 61, 300, false),
        (now - 359, 300, true),
        (now - 360, 300, false),
        (now, 301, false),
        (now, 299, false),
        (i64::MIN, 300, false),
    ] {
        let mut claims = with("iat", issued);
        claims["exp"] = issued.saturating_add(lifetime).into();
        let outcome = verify(&client, &phone, &detail(phone.proof(&claims))).await;
        assert_eq!(
            outcome.is_ok(),
            is_valid,
            "{issued} {lifetime}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn handler_logs_in_once_and_only_from_its_page() {
    let stub = Stub::start().await;
    let client = client(&stub);
    let phone = Phone::new();
    let known = phone.known();
    let handler = LoginHandler::builder(&client, ORIGIN).find_key(move |_| {
        let known = known.clone();
        async { Ok::<_, BoxError>(Some(known)) }
    });
    let handler = handler.unwrap();
    let body = json!(detail(phone.proof(&claims()))).to_string();
    let post = async |method: &str, origin: &str, body: &str, fails: bool| {
        let headers = [("Origin", origin), ("Content-Length", "7")];
        let act = |login: crate::Login| async move {
            if fails {
                Err::<String, BoxError>("no session".into())
            } else {
                Ok(login.user_id)
            }
        };
        let answer = handler.answer(method, headers, body.as_bytes(), act).await;
        answer.map_err(|reply| (reply.status().as_u16(), reply.into_body()))
    };
    let refused = |status: StatusCode, text: &str| Err((status.as_u16(), text.to_owned()));
    let forbidden = refused(StatusCode::FORBIDDEN, "not logged in");
    assert_eq!(
        post("GET", ORIGIN, &body, false).await,
        refused(StatusCode::METHOD_NOT_ALLOWED, "POST only")
    );
    assert_eq!(
        post("POST", "https://evil.example", &body, false).await,
        forbidden
    );
    assert_eq!(
        post("POST", ORIGIN, "[]", false).await,
        refused(StatusCode::BAD_REQUEST, "not a login")
    );
    assert_eq!(
        post("POST", ORIGIN, "", false).await,
        refused(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
    );
    let large = " ".repeat(64 * 1024 + 1);
    assert_eq!(
        post("POST", ORIGIN, &large, false).await,
        refused(StatusCode::PAYLOAD_TOO_LARGE, "body too large")
    );
    // A failed callback uses up nothing.
    assert_eq!(
        post("POST", ORIGIN, &body, true).await,
        refused(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
    );
    assert_eq!(
        post("POST", ORIGIN, &body, false).await,
        Ok(USER.to_owned())
    );
    assert_eq!(post("POST", ORIGIN, &body, false).await, forbidden);
}
