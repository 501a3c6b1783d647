//! `countersign login start`: a program without a browser asks a user to approve something.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Browser, Server, countersign, data_dir, expect_same};

const CONTEXT: &str = "Pay 20 EUR to Zoë";

/// A running command that waits for the user's decision.
struct Waiting {
    child: Child,
    link: String,
}

impl Waiting {
    /// Starts the command and reads the link that it prints.
    fn start(data: &Path, words: &[&str]) -> Self {
        Self::start_with(data, words, Stdio::null())
    }

    /// Starts the command with this standard input.
    fn start_with(data: &Path, words: &[&str], stdin: Stdio) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["login", "start", "--wait"])
            .args(words)
            .arg("--data")
            .arg(data)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.as_mut().unwrap());
        let mut lines = said.lines().map(Result::unwrap);
        let link = lines.find(|line| line.starts_with("http://localhost:"));
        let link = link.expect("the command shows a link");
        Self { child, link }
    }

    fn types(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Waits for the command's end, and returns its exit code and JSON.
    fn end(self) -> (Option<i32>, Value) {
        let Output { status, stdout, .. } = self.child.wait_with_output().unwrap();
        (status.code(), serde_json::from_slice(&stdout).unwrap())
    }
}

/// Runs `phone` with the phone's directory inside `data`.
fn phone(data: &Path, args: &[&str]) -> Output {
    let phone = data.join("phone");
    let always = ["phone", "--phone", phone.to_str().unwrap()];
    countersign(data, &[&always, args].concat())
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_signed_and_checked() {
    let data = data_dir();
    let server = Server::start(data.path());
    let waiting = Waiting::start(data.path(), &["--context", CONTEXT]);
    let key = phone(data.path(), &["keys", "create"]);
    assert!(key.status.success(), "{key:?}");
    let approve = ["open", &waiting.link, "--confirm", "--payload", "approved"];
    let approved = phone(data.path(), &approve);
    assert!(approved.status.success(), "{approved:?}");
    let screen = String::from_utf8(approved.stdout).unwrap();
    assert!(screen.contains(CONTEXT), "{screen}");
    let (code, told) = waiting.end();
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told["state"], "confirmed");
    assert_eq!(told["payload"], "approved");

    let id = told["sessionId"].as_str().unwrap();
    let seen = server
        .caller()
        .get(&format!("/qr-sessions/{id}"))
        .await
        .ok();
    assert_eq!(seen["state"], "consumed");
    assert_eq!(seen["context"], CONTEXT);
    assert_eq!(seen["proof"], told["proof"]);
    let listed = countersign(data.path(), &["logins", "list", "--state", "consumed"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(listed.starts_with(id), "{listed}");
    let args = ["logins", "list", "--state", "consumed", "--json"];
    let listed = countersign(data.path(), &args).stdout;
    expect_same(serde_json::from_slice(&listed).unwrap(), seen);
    let shown = phone(data.path(), &["keys", "show", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let file = data.path().join("phone.pub");
    std::fs::write(&file, shown["publicKey"].as_str().unwrap()).unwrap();
    let verify = |context: &str| {
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        let (proof, payload, salt) = (text("proof"), text("payload"), text("salt"));
        let args = [
            ["--proof", &proof],
            ["--payload", &payload],
            ["--salt", &salt],
            ["--app-key", &server.facts.app_key],
            ["--origin", &server.facts.url],
            ["--session-id", id],
            ["--key", file.to_str().unwrap()],
            ["--context", context],
        ];
        let words = [&["login", "verify"], args.as_flattened()].concat();
        countersign(data.path(), &words)
    };
    let verified = verify(CONTEXT);
    assert!(verified.status.success(), "{verified:?}");
    let other = verify("Pay 2000 EUR to Mallory");
    assert_eq!(other.status.code(), Some(1), "{other:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn phone_without_a_key_cannot_approve() {
    let data = data_dir();
    let _server = Server::start(data.path());
    let waiting = Waiting::start(data.path(), &["--context", CONTEXT]);
    let refused = phone(data.path(), &["open", &waiting.link, "--confirm"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("(proof_required)"), "{said}");
    let mut waiting = waiting;
    waiting.child.kill().unwrap();
    waiting.child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn login_that_is_not_confirmed_has_its_own_exit_code() {
    let data = data_dir();
    let server = Server::start(data.path());
    let denied = Waiting::start(data.path(), &[]);
    let output = phone(data.path(), &["open", &denied.link, "--deny"]);
    assert!(output.status.success(), "{output:?}");
    let (code, told) = denied.end();
    assert_eq!((code, told["state"].as_str()), (Some(3), Some("denied")));
    // The app's server cancels a login that another program waits for.
    let cancelled = Waiting::start(data.path(), &[]);
    let (_, id) = cancelled.link.split_once('=').unwrap();
    let path = format!("/qr-sessions/{id}");
    assert_eq!(
        server.caller().call("DELETE", &path, None).await.status,
        204
    );
    let (code, told) = cancelled.end();
    assert_eq!((code, told["state"].as_str()), (Some(3), Some("cancelled")));
}

/// Confirms a login and returns the digits that the phone shows.
fn digits_after_confirming(data: &Path, link: &str) -> String {
    let words = ["open", link, "--confirm", "--payload", "approved", "--json"];
    let confirmed = phone(data, &words);
    assert!(confirmed.status.success(), "{confirmed:?}");
    let told: Value = serde_json::from_slice(&confirmed.stdout).unwrap();
    told["checkCode"].as_str().unwrap().to_owned()
}

fn want_check_codes(data: &Path) {
    let words = ["app", "update", "demo", "--check-code", "on"];
    let updated = countersign(data, &words);
    assert!(updated.status.success(), "{updated:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn person_types_the_check_code_at_the_terminal() {
    let data = data_dir();
    let _server = Server::start(data.path());
    want_check_codes(data.path());
    let mut waiting = Waiting::start_with(data.path(), &[], Stdio::piped());
    let digits = digits_after_confirming(data.path(), &waiting.link);
    let wrong = if digits == "10" { "21" } else { "10" };
    for line in ["", "7", wrong, wrong, &digits] {
        waiting.types(line);
    }
    let (code, told) = waiting.end();
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told["state"], "confirmed");
    assert_eq!(told["payload"], "approved");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_check_codes_block_the_login() {
    let data = data_dir();
    let server = Server::start(data.path());
    want_check_codes(data.path());
    let mut waiting = Waiting::start_with(data.path(), &[], Stdio::piped());
    let digits = digits_after_confirming(data.path(), &waiting.link);
    let wrong = ["10", "21", "32", "43"].into_iter();
    for line in wrong.filter(|code| *code != digits).take(3) {
        waiting.types(line);
    }
    let (code, told) = waiting.end();
    assert_eq!(code, Some(3), "{told}");
    assert_eq!(told["state"], "blocked");
    let id = told["sessionId"].as_str().unwrap();
    let path = format!("/qr-sessions/{id}");
    let seen = server.caller().get(&path).await.ok();
    assert_eq!(seen["state"], "blocked");
    assert_eq!(seen["proof"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn login_start_without_digits_redeems_nothing() {
    let data = data_dir();
    let server = Server::start(data.path());
    want_check_codes(data.path());
    let waiting = Waiting::start(data.path(), &[]);
    let id = waiting.link.split_once("sessionId=").unwrap().1.to_owned();
    digits_after_confirming(data.path(), &waiting.link);
    let ended = waiting.child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stdout.is_empty());
    let seen = server
        .caller()
        .get(&format!("/qr-sessions/{id}"))
        .await
        .ok();
    assert_eq!(seen["state"], "confirmed");
}

/// Any program can send the app key together with an origin that the app lists.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_server_opens_logins_if_the_operator_says_so() {
    let data = data_dir();
    let server = Server::start(data.path());
    let update = |from: &str| {
        let words = ["app", "update", "demo", "--logins-from", from];
        let updated = countersign(data.path(), &words);
        assert!(updated.status.success(), "{updated:?}");
    };
    update("server");
    let page = Browser::try_open(&server, &server.facts.url).await;
    assert_eq!(page.problem(403), "login_server_only");
    assert_eq!(
        page.headers["access-control-allow-origin"],
        server.facts.url.as_str()
    );
    let waiting = Waiting::start(data.path(), &[]);
    let confirmed = phone(data.path(), &["open", &waiting.link, "--confirm"]);
    assert!(confirmed.status.success(), "{confirmed:?}");
    assert_eq!(waiting.end().0, Some(0));
    update("pages");
    let page = Browser::try_open(&server, &server.facts.url).await;
    assert_eq!(page.status, 200);
}
