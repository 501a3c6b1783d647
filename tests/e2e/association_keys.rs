//! Association keys that the app's server registers, and confirmations of logins that the service then
//! verifies.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{Browser, Receiver, Server, countersign, data_dir};

const ZOE: &str = "zoe@example.com";
const MALLORY: &str = "mallory@example.com";
const PAYLOAD: &str = "a token";

/// A user's simulated phone with its own directory.
struct Phone<'a> {
    data: &'a Path,
    directory: PathBuf,
    user: &'a str,
}

/// The public half of a key and its proof of possession, as the phone shows them for registration.
struct Shown {
    id: String,
    public: String,
    signature: String,
}

impl<'a> Phone<'a> {
    fn new(user: &'a str, data: &'a Path) -> Self {
        let directory = data.join(format!("phone-of-{user}"));
        Self {
            data,
            directory,
            user,
        }
    }

    fn run(&self, args: &[&str]) -> Output {
        let directory = self.directory.to_str().unwrap();
        let line = [&["phone", "--phone", directory], args].concat();
        countersign(
            self.data,
            &[&line, &["--public-user-id", self.user][..]].concat(),
        )
    }

    /// Creates the user's key.
    fn create_key(&self, server: &Server) -> Shown {
        let app = server.facts.app_key.as_str();
        let output = self.run(&["keys", "create", "--json", "--app-key", app]);
        assert!(output.status.success(), "{output:?}");
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |name: &str| shown[name].as_str().unwrap().to_owned();
        Shown {
            id: text("keyId"),
            public: text("publicKey"),
            signature: text("signature"),
        }
    }

    fn open(&self, browser: &Browser) -> Output {
        self.run(&["open", &browser.url, "--confirm", "--payload", PAYLOAD])
    }

    /// Opens and confirms a login.
    fn confirm(&self, browser: &Browser) {
        let output = self.open(browser);
        assert!(output.status.success(), "{output:?}");
    }

    /// Opens a new login and confirms it; the service must refuse the confirmation with this code.
    async fn is_refused(&self, server: &Server, code: &str) {
        let browser = Browser::open(server).await;
        let output = self.open(&browser);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(&format!("({code})")), "{complaint}");
        assert_eq!(browser.state().await, "scanned");
    }
}

/// Runs `app keys` for the demo app, as the operator would.
fn operate(data: &Path, args: &[&str]) -> Output {
    countersign(data, &[&["app", "keys", "--json"], args].concat())
}

/// Runs `app keys` and returns its JSON.
fn operated(data: &Path, args: &[&str]) -> Value {
    let output = operate(data, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn update(data: &Path, setting: &[&str]) {
    let output = countersign(data, &[&["app", "update", "demo"], setting].concat());
    assert!(output.status.success(), "{output:?}");
}

fn registration(user: &str, public: &str, signature: Option<&str>) -> Value {
    let mut body = json!({"publicUserId": user, "publicKey": public});
    if let Some(signature) = signature {
        body["signature"] = signature.into();
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_says_who_was_verified_and_the_page_does_not() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    update(data.path(), &["--login-callback", &receiver.url]);
    let phone = Phone::new(ZOE, data.path());
    let key = phone.create_key(&server);
    let with = ["--signature", &key.signature];
    let added = operated(
        data.path(),
        &[&["add", "demo", ZOE, &key.public], &with[..]].concat(),
    );
    assert_eq!(added["keyId"], key.id);
    let listed = operated(data.path(), &["list", "demo", "--user", ZOE]);
    assert_eq!(listed["items"], json!([added]));

    let browser = Browser::open(&server).await;
    phone.confirm(&browser);
    let webhook = receiver.next().await;
    webhook.verify(&server.anyone()).await;
    let told = webhook.json();
    assert_eq!(told["event"], "login.confirmed");
    assert_eq!(told["sessionId"], browser.id);
    assert_eq!(told["verifiedPublicUserId"], ZOE);

    // Redeeming again with the same receipt gives the same answer.
    let redeemed = browser.redeem().await.ok();
    assert!(!redeemed.to_string().contains("verified"), "{redeemed}");
    let (envelope, proof) = browser.proven().await;
    let file = data.path().join("zoe.pub");
    std::fs::write(&file, &key.public).unwrap();
    let salt = envelope.salt.to_string();
    let line = [
        ["login", "verify"],
        ["--proof", &proof],
        ["--payload", PAYLOAD],
        ["--salt", &salt],
        ["--app-key", &server.facts.app_key],
        ["--origin", &server.facts.url],
        ["--session-id", &browser.id],
        ["--key", file.to_str().unwrap()],
        ["--public-user-id", ZOE],
    ];
    let verified = countersign(data.path(), line.as_flattened());
    assert!(verified.status.success(), "{verified:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unregistered_key_verifies_no_user() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    update(data.path(), &["--login-callback", &receiver.url]);
    let phone = Phone::new(ZOE, data.path());
    phone.create_key(&server);
    phone.confirm(&Browser::open(&server).await);
    let told = receiver.next().await.json();
    assert_eq!(told["claimedPublicUserId"], ZOE);
    assert_eq!(told.get("verifiedPublicUserId"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_key_is_refused_immediately_and_for_ever() {
    let data = data_dir();
    let server = Server::start(data.path());
    let phone = Phone::new(ZOE, data.path());
    let key = phone.create_key(&server);
    let body = registration(ZOE, &key.public, Some(&key.signature));
    let registered = server.caller().post("/association-keys", &body).await.ok();
    assert_eq!(registered, json!({"keyId": key.id}));
    phone.confirm(&Browser::open(&server).await);

    let path = format!("/association-keys/{}", key.id);
    let revoked = server.caller().call("DELETE", &path, None).await.ok();
    assert_eq!(revoked, registered);
    phone.is_refused(&server, "proof_invalid").await;
    server.kill();

    let server = Server::start(data.path());
    phone.is_refused(&server, "proof_invalid").await;
    let again = server.caller().post("/association-keys", &body).await;
    assert_eq!(again.problem(409), "association_key_revoked");
    let left = operated(data.path(), &["list", "demo", "--user", ZOE]);
    assert_eq!(left["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn app_that_requires_proofs_refuses_phones_without_a_registered_key() {
    let data = data_dir();
    let server = Server::start(data.path());
    update(data.path(), &["--require-proof", "true"]);
    let phone = Phone::new(ZOE, data.path());
    phone.is_refused(&server, "proof_required").await;
    let key = phone.create_key(&server);
    phone.is_refused(&server, "proof_invalid").await;

    let body = registration(ZOE, &key.public, None);
    let unshown = server.caller().post("/association-keys", &body).await;
    assert_eq!(unshown.problem(422), "key_signature_missing");
    let add = ["add", "demo", ZOE, &key.public];
    let refused = operate(data.path(), &add);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    operated(
        data.path(),
        &[&add, &["--signature", &key.signature][..]].concat(),
    );

    let browser = Browser::open(&server).await;
    phone.confirm(&browser);
    assert_eq!(browser.payload().await, PAYLOAD);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_of_another_is_not_registered_as_ones_own() {
    let data = data_dir();
    let server = Server::start(data.path());
    let zoes = Phone::new(ZOE, data.path()).create_key(&server);
    let phone = Phone::new(MALLORY, data.path());
    let mallorys = phone.create_key(&server);
    let keys = server.caller();
    // Mallory's signature is not from Zoe's key, and Zoe's signature does not name Mallory as the
    // user.
    for signature in [&mallorys.signature, &zoes.signature] {
        let body = registration(MALLORY, &zoes.public, Some(signature));
        let refused = keys.post("/association-keys", &body).await;
        assert_eq!(refused.problem(422), "key_signature_false");
    }
    let zoe = registration(ZOE, &zoes.public, Some(&zoes.signature));
    keys.post("/association-keys", &zoe).await.ok();
    let unsigned = registration(MALLORY, &zoes.public, None);
    let taken = keys.post("/association-keys", &unsigned).await;
    assert_eq!(taken.problem(409), "association_key_taken");
    let none = operated(data.path(), &["list", "demo", "--user", MALLORY]);
    assert_eq!(none["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_is_registered_for_another_user_does_not_confirm() {
    let data = data_dir();
    let server = Server::start(data.path());
    let zoe = Phone::new(ZOE, data.path());
    let key = zoe.create_key(&server);
    operated(data.path(), &["add", "demo", MALLORY, &key.public]);
    zoe.is_refused(&server, "proof_invalid").await;
}
