//! The test vectors for proofs and registrations are valid in other languages' libraries, and
//! proofs from those libraries are valid here.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::Timestamp;
use countersign_interop::notices::skip;
use countersign_proof::{
    AssociationPublicKey, Expected, ExpectedPayload, ExpectedUser, KnownKey, ProofError,
    registration, verify,
};
use serde::Deserialize;

/// The facts of a proof, in the vectors' format.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Confirmation {
    public_key: String,
    app_key: String,
    origin: String,
    session_id: String,
    public_user_id: Option<String>,
    context: Option<String>,
    payload: String,
    salt: String,
    at: u64,
    proof: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registration {
    public_key: String,
    app_key: String,
    public_user_id: String,
    signature: String,
}

/// Proofs that a language's implementation generated, and the vectors on which it disagreed.
#[derive(Deserialize)]
struct Report {
    proofs: Vec<MadeProof>,
    registrations: Vec<MadeRegistration>,
    wrong: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MadeProof {
    public_key: String,
    proof: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MadeRegistration {
    public_key: String,
    signature: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn vectors<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let text = fs::read_to_string(root().join("shared/proof/vectors").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Verifies that a proof is about these facts and signed with this key.
fn verify_proof(facts: &Confirmation, key: &str, proof: &str) -> Result<(), ProofError> {
    let user = facts.public_user_id.as_deref();
    let user = user.map(|id| id.parse::<ClaimedUserId>().unwrap());
    let salt = BASE64_URL_SAFE_NO_PAD.decode(&facts.salt).unwrap();
    let expected = Expected {
        app: &facts.app_key.parse().unwrap(),
        origin: &facts.origin.parse().unwrap(),
        login: facts.session_id.parse().unwrap(),
        user: ExpectedUser::Exactly(user.as_ref()),
        context: facts.context.as_deref(),
        payload: ExpectedPayload::Is {
            payload: &facts.payload,
            salt: &salt.try_into().unwrap(),
        },
        now: Timestamp::from_millis(facts.at),
    };
    let key = key.parse::<AssociationPublicKey>().unwrap();
    let owner = user.clone();
    verify(proof, &expected, |_| {
        Some(KnownKey {
            key,
            owner,
            passkey: None,
        })
    })
    .map(drop)
}

fn registers(facts: &Registration, key: &str, signature: &str) -> bool {
    let key = key.parse::<AssociationPublicKey>().unwrap();
    let (app, user) = (
        facts.app_key.parse().unwrap(),
        facts.public_user_id.parse().unwrap(),
    );
    registration::verify(&key, &app, &user, signature)
}

/// Runs one language's implementation on the vectors, and verifies the proofs that it generates.
/// Reports the test as skipped if the language or its library is missing.
fn check(test: &str, mut command: Command, library: Result<(), String>) {
    let missing = match library {
        Err(missing) => missing,
        Ok(()) => match command.output() {
            Err(error) => format!("{}: {error}", command.get_program().display()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{test}: {said}");
                return hold(test, &serde_json::from_slice(&output.stdout).unwrap());
            }
        },
    };
    skip(test, &missing);
}

fn hold(test: &str, report: &Report) {
    assert_eq!(report.wrong, [""; 0], "{test}");
    let facts: Vec<Confirmation> = vectors("proofs.json");
    assert_eq!(report.proofs.len(), facts.len(), "{test}");
    for (facts, made) in facts.iter().zip(&report.proofs) {
        let proof = &made.proof;
        assert_eq!(
            verify_proof(facts, &made.public_key, proof),
            Ok(()),
            "{test}: {proof}"
        );
        let foreign = verify_proof(facts, &facts.public_key, proof);
        assert_eq!(foreign, Err(ProofError::UnknownKey), "{test}: {proof}");
    }
    let facts: Vec<Registration> = vectors("registrations.json");
    assert_eq!(report.registrations.len(), facts.len(), "{test}");
    for (facts, made) in facts.iter().zip(&report.registrations) {
        assert!(
            registers(facts, &made.public_key, &made.signature),
            "{test}"
        );
        assert!(
            !registers(facts, &facts.public_key, &made.signature),
            "{test}"
        );
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("proofs")
        .join(name)
}

#[test]
fn vectors_hold_here() {
    let facts: Vec<Confirmation> = vectors("proofs.json");
    for facts in &facts {
        assert_eq!(verify_proof(facts, &facts.public_key, &facts.proof), Ok(()));
    }
    let facts: Vec<Registration> = vectors("registrations.json");
    for facts in &facts {
        assert!(registers(facts, &facts.public_key, &facts.signature));
    }
}

#[test]
fn proofs_are_the_same_in_node() {
    let jose = root().join("examples/node");
    let there = jose.join("node_modules/jose").is_dir();
    let library = there
        .then_some(())
        .ok_or("jose is not installed".to_owned());
    let mut node = Command::new("node");
    node.arg(script("check.mjs"))
        .arg(root().join("shared/proof/vectors"))
        .arg(jose);
    check("proofs in node", node, library);
}

#[test]
fn proofs_are_the_same_in_python() {
    let python = std::env::var("COUNTERSIGN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = Command::new(&python)
        .args(["-c", "import jwt, cryptography"])
        .output();
    let there = import.is_ok_and(|output| output.status.success());
    let library = there
        .then_some(())
        .ok_or("PyJWT is not installed".to_owned());
    let mut command = Command::new(python);
    command
        .arg(script("check.py"))
        .arg(root().join("shared/proof/vectors"));
    check("proofs in python", command, library);
}

#[test]
fn proofs_are_the_same_in_java() {
    let folder = root().join("docs/receivers/java/login/target/dependency");
    let library = folder
        .is_dir()
        .then_some(())
        .ok_or("nimbus-jose-jwt is not there".to_owned());
    let mut java = Command::new("java");
    java.arg("-cp").arg(folder.join("*"));
    java.arg(script("Check.java"))
        .arg(root().join("shared/proof/vectors"));
    check("proofs in java", java, library);
}
