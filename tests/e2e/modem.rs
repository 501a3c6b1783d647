//! Texts that a modem received and `countersign text receive` passed on.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Receiver, Server, count_of, data_dir};

/// Returns the command as gammu-smsd runs it, for a text from a number in national form.
fn gammu(data: &Path, to: &str, text: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command
        .args(["text", "receive", "--country=US", "--data"])
        .arg(data)
        .args(args)
        .env("SMS_MESSAGES", "1")
        .env("SMS_1_CLASS", "-1")
        .env("SMS_1_REFERENCE", "0")
        .env("SMS_1_NUMBER", "2025550100")
        .env("SMS_1_TEXT", text)
        .env("DECODED_PARTS", "0")
        .env("PHONE_ID", to)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn text_from_gammu_verifies_once_however_often_it_is_handed_over() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let to = server.facts.send_to.clone();
    for _ in 0..2 {
        let output = gammu(data.path(), &to, &message, &["--json"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["effect"]["confirmationId"], id);
        assert_eq!(answer["effect"]["verified"], true);
    }
    assert_eq!(count_of(data.path(), "text_repeated"), 1);
    let webhook = receiver.next().await.json();
    assert_eq!(webhook["phoneNumber"], "+12025550100");
    let confirmation = server.delivered(&id).await;
    assert_eq!(confirmation["result"]["channel"], "modem");
    assert_eq!(confirmation["result"]["provider"], "generic");
    assert_eq!(confirmation["status"], "verified");
}

/// A daemon may pass on bytes that are not UTF-8, such as half an emoji or Latin-1.
#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_not_utf_8_verifies_from_standard_input() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    for damage in [&b"\xed\xa0\xbd"[..], b"\xff", b"caf\xe9", b"\xf0\x9f\x98"] {
        let (id, message) = server.acquire(&receiver.url).await;
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        let args = [
            "text",
            "receive",
            "--from=+12025550100",
            "--text=-",
            "--to",
            &server.facts.send_to,
        ];
        command.args(args).arg("--data").arg(data.path());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        let text = [message.as_bytes(), b" ", damage].concat();
        running.stdin.take().unwrap().write_all(&text).unwrap();
        let output = running.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(receiver.next().await.confirmation_id(), id, "{damage:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_from_two_numbers_verify_neither() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let (head, rest) = message.split_at(8);
    let output = gammu(data.path(), &server.facts.send_to, head, &[])
        .env("SMS_MESSAGES", "2")
        .env("SMS_2_REFERENCE", "0")
        .env("SMS_2_NUMBER", "2025550101")
        .env("SMS_2_TEXT", rest)
        .env("DECODED_PARTS", "1")
        .env("DECODED_1_TEXT", &message)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let reason = "part 2 of the message is from a different number than the first part";
    assert!(said(&output).contains(reason), "{output:?}");
    let confirmation = server.caller().get(&format!("/confirmations/{id}")).await;
    assert_eq!(confirmation.ok()["status"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_is_handed_over_once_the_server_is_back() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let to = server.facts.send_to.clone();
    assert!(server.terminate().success());

    let waiting = gammu(data.path(), &to, &message, &["--retry-for=4m"]).spawn();
    let server = Server::start(data.path());
    let output = waiting.unwrap().wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(receiver.next().await.confirmation_id(), id);
    assert!(server.terminate().success());

    let output = gammu(data.path(), &to, &message, &["--retry-for=0s"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said(&output).contains("nothing answers"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_reaches_a_service_elsewhere_with_only_its_secret() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let file = data.path().join("secret");
    let elsewhere = data.path().join("elsewhere");
    let service = [
        "--service",
        &server.facts.url,
        "--secret-file",
        file.to_str().unwrap(),
    ];
    let hand_over = || {
        let command = gammu(&elsewhere, &server.facts.send_to, &message, &service).output();
        command.unwrap()
    };
    let wrong = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    std::fs::write(&file, wrong).unwrap();
    let output = hand_over();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said(&output).contains("another secret"), "{output:?}");

    std::fs::write(&file, &server.facts.inbound_secret).unwrap();
    let output = hand_over();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"The server accepted the text.\n");
    assert_eq!(receiver.next().await.confirmation_id(), id);
}
