//! The commands, with and without a running server.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{ClosedReceiver, Receiver, Server, countersign, data_dir, deliver_text};

/// Runs a command with `--json` and returns its output.
fn answer(data: &Path, args: &[&str]) -> Value {
    let output = countersign(data, &[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a command that must fail and returns its error.
fn complaint(data: &Path, args: &[&str]) -> String {
    let output = countersign(data, args);
    assert!(!output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Runs every command for apps and keys, and returns the first API key and its id. Works with and without a
/// running server.
fn administer(data: &Path, name: &str) -> (String, String) {
    let create = [
        "app",
        "create",
        name,
        "--sender",
        "+12025550111",
        "--sender",
        "GB=+447700900001",
    ];
    let app = answer(data, &create);
    assert_eq!(app["app"], name);
    assert!(complaint(data, &create).contains(name));
    let first = app["apiKey"].as_str().unwrap().to_owned();
    let first_id = app["keyId"].as_str().unwrap().to_owned();
    let second = answer(data, &["key", "issue", name]);
    complaint(data, &["key", "issue", name]);
    let keys = answer(data, &["key", "list", name]);
    assert_eq!(keys.as_array().unwrap().len(), 2);
    assert!(!keys.to_string().contains(&first), "a key is shown once");
    answer(
        data,
        &["key", "revoke", name, second["keyId"].as_str().unwrap()],
    );
    answer(data, &["key", "issue", name]);

    let update = [
        "app",
        "update",
        name,
        "--message-template",
        "Shop sign-in: {code}",
        "--code-prefix",
        "SHOP",
    ];
    answer(data, &update);
    let shown = answer(data, &["app", "show", name]);
    assert_eq!(shown["messageTemplate"], "Shop sign-in: {code}");
    assert_eq!(
        shown["senders"],
        json!(["+12025550111", "GB=+447700900001"]),
        "options that are not given stay unchanged"
    );
    let names = answer(data, &["app", "list"]);
    assert!(
        names
            .as_array()
            .unwrap()
            .iter()
            .any(|app| app["app"] == name)
    );
    complaint(data, &["app", "show", "nobody"]);
    complaint(
        data,
        &["app", "update", name, "--callback-url", "http://10.0.0.1/"],
    );
    complaint(
        data,
        &["app", "update", name, "--message-template", "no code"],
    );
    (first, first_id)
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_and_keys_work_with_and_without_a_running_server() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (key, key_id) = administer(data.path(), "shop");

    // The running server applies the change immediately.
    let receiver = Receiver::start().await;
    let caller = server.anyone().with("x-api-key", &key);
    let request = json!({"callbackUrl": receiver.url, "phoneNumber": "+442079460018"});
    let confirmation = caller.post("/make-confirmation", &request).await.ok();
    let message = confirmation["confirmationMessage"].as_str().unwrap();
    assert!(message.starts_with("Shop sign-in: SHOP-"), "{message}");
    assert_eq!(
        confirmation["sendTo"], "+447700900001",
        "the sender is chosen by the confirmed number's country"
    );
    deliver_text(&server.facts, "text-1", "+442079460018", message)
        .await
        .unwrap();
    assert_eq!(
        receiver.next().await.json()["confirmationId"],
        confirmation["confirmationId"]
    );

    // An app sees only its own confirmations.
    let path = format!(
        "/confirmations/{}",
        confirmation["confirmationId"].as_str().unwrap()
    );
    assert_eq!(server.caller().get(&path).await.status, 404);

    // A revocation applies immediately.
    answer(data.path(), &["key", "revoke", "shop", &key_id]);
    assert_eq!(caller.get(&path).await.problem(401), "api_key_revoked");
    answer(data.path(), &["app", "delete", "shop", "--yes"]);

    assert!(server.terminate().success());
    administer(data.path(), "other");
    // Whether the server was running or not, the audit record names this machine's user.
    let user = Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8(user.stdout).unwrap();
    for (app, last) in [("shop", "delete_app"), ("other", "update_app")] {
        let records = answer(data.path(), &["audit", "--app", app]);
        let records = records.as_array().unwrap();
        assert_eq!(records[0]["action"], last);
        assert!(records.iter().all(|record| record["by"] == user.trim()));
    }
    let server = Server::start(data.path());
    assert_eq!(
        caller_of(&server, &key).get(&path).await.problem(401),
        "api_key_revoked"
    );
}

/// Runs a command and returns the readable text from its standard output.
fn shown(data: &Path, args: &[&str]) -> String {
    let output = countersign(data, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns whether the readable form of an app says that check codes are on (or off).
fn is_on(app: &str, on: bool) -> bool {
    let words = ["check", "code", if on { "yes" } else { "no" }];
    app.lines().any(|line| line.split_whitespace().eq(words))
}

/// The advice is for human readers: scripts get the same JSON as without it.
#[test]
fn app_without_check_codes_comes_with_the_command_that_turns_them_on() {
    let data = data_dir();
    let server = Server::start(data.path());
    let directory = data.path().to_str().unwrap();
    let off = format!("--data '{directory}' app update shop --check-code on");
    let created = shown(
        data.path(),
        &["app", "create", "shop", "--sender", "+12025550111"],
    );
    assert!(is_on(&created, false), "{created}");
    assert!(created.contains("Check codes are off."), "{created}");
    assert!(created.contains(&off), "{created}");
    let show = ["app", "show", "shop"];
    assert!(shown(data.path(), &show).contains(&off));
    let update = |value: &str| {
        let words = ["app", "update", "shop", "--check-code", value];
        shown(data.path(), &words)
    };
    // The answer to a change states only the new value.
    assert!(!update("off").contains("Check codes are off."));
    answer(data.path(), &show);
    update("on");
    let on = shown(data.path(), &show);
    assert!(is_on(&on, true), "{on}");
    assert!(!on.contains("Check codes"), "{on}");
    // The data of a stopped server is treated in the same way.
    assert!(server.terminate().success());
    let create = ["app", "create", "other", "--sender", "+12025550111"];
    assert!(shown(data.path(), &create).contains("Check codes are off."));
}

/// A server that runs elsewhere would not see what these commands did.
#[test]
fn commands_make_no_store() {
    let parent = data_dir();
    let absent = parent.path().join("absent");
    let empty = parent.path().join("empty");
    let locked = parent.path().join("locked");
    for (directory, is_locked) in [(&empty, false), (&locked, true)] {
        std::fs::create_dir(directory).unwrap();
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(directory, private).unwrap();
        if is_locked {
            // The state that a server leaves if it is killed during startup.
            let lock = std::fs::File::create(directory.join("lock")).unwrap();
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            lock.set_permissions(private).unwrap();
        }
    }
    let backup = parent.path().join("backup");
    let commands: &[&[&str]] = &[
        &["app", "create", "shop", "--sender", "+12025550111"],
        &["app", "list"],
        &["app", "show", "shop"],
        &["app", "update", "shop", "--code-prefix", "SHOP"],
        &["app", "keys", "list", "shop", "--user", "zoe"],
        &["confirmations", "list", "--app", "shop"],
        &["login", "list", "--all-apps"],
        &["key", "issue", "shop"],
        &["key", "list", "shop"],
        &["key", "revoke", "shop", "key_0123456789abcdef"],
        &["signing-key", "list"],
        &["signing-key", "rotate"],
        &["provider", "list"],
        &["provider", "add", "twilio"],
        &["provider", "remove", "twilio"],
        &["metrics"],
        &["backup", backup.to_str().unwrap()],
    ];
    for command in commands {
        for (directory, files) in [(&absent, 0), (&empty, 0), (&locked, 1)] {
            let said = complaint(directory, command);
            let names = said.contains(directory.to_str().unwrap());
            let reasons = ["holds no countersign data", "no server is running"];
            let is_named = reasons.iter().any(|reason| said.contains(reason));
            let helps = is_named && said.contains("countersign serve --data");
            assert!(names && helps, "{command:?}: {said}");
            let left = std::fs::read_dir(directory).map_or(0, Iterator::count);
            assert_eq!(left, files, "{command:?}");
        }
    }
    assert!(!absent.exists());
}

/// Text from strangers, such as a link, could otherwise clear the screen or reverse the direction
/// of the line.
#[test]
fn errors_and_output_hold_nothing_that_a_terminal_obeys() {
    let data = data_dir();
    let hostile = "https://x\u{1b}]0;owned\u{7}\u{202e}y\u{200b}";
    let body = data.path().join("body");
    std::fs::write(&body, "x").unwrap();
    let body = body.to_str().unwrap();
    let commands: &[&[&str]] = &[
        &["phone", "open", hostile],
        &["app", "show", hostile],
        &["app", "create", hostile, "--sender", hostile],
        &["key", "revoke", hostile, hostile],
        &["provider", "add", hostile],
        &[
            "webhook",
            "verify",
            "--body",
            hostile,
            "--signature",
            hostile,
        ],
        &[
            "webhook",
            "verify",
            "--body",
            body,
            "--key",
            hostile,
            "--signature",
            "x",
        ],
        &["login", "verify", "--proof", hostile],
        &["check", hostile],
        &["restore", hostile],
        &[hostile],
    ];
    for command in commands {
        let output = countersign(data.path(), command);
        assert!(!output.status.success(), "{command:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        let is_obeyed =
            |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(!said.chars().any(is_obeyed), "{command:?}: {said:?}");
    }
}

/// A file that never ends is refused.
#[test]
fn endless_input_is_refused() {
    let data = data_dir();
    let commands: &[&[&str]] = &[
        &[
            "webhook",
            "verify",
            "--body",
            "/dev/zero",
            "--signature",
            "x",
            "--key",
            "/dev/zero",
        ],
        &[
            "webhook",
            "verify",
            "--body",
            "/dev/null",
            "--signature",
            "x",
            "--key",
            "/dev/zero",
        ],
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--origin-secret-file",
            "/dev/zero",
        ],
    ];
    for command in commands {
        let said = complaint(data.path(), command);
        assert!(
            said.contains("/dev/zero: it has more than"),
            "{command:?}: {said}"
        );
    }
}

fn caller_of(server: &Server, key: &str) -> crate::support::Http {
    server.anyone().with("x-api-key", key)
}

#[tokio::test(flavor = "multi_thread")]
async fn rotation_keeps_the_former_signing_key_published() {
    let data = data_dir();
    let server = Server::start(data.path());
    let before = server.anyone().get("/.well-known/jwks.json").await.ok();
    assert_eq!(before["keys"].as_array().unwrap().len(), 1);
    answer(data.path(), &["signing-key", "rotate"]);
    let after = server.anyone().get("/.well-known/jwks.json").await.ok();
    assert_eq!(after["keys"].as_array().unwrap().len(), 2);
    assert_eq!(after["keys"][1], before["keys"][0]);

    let receiver = Receiver::start().await;
    let (_, message) = server.acquire(&receiver.url).await;
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();
    let webhook = receiver.next().await;
    assert_eq!(
        webhook.headers["x-signature-key-id"].to_str().unwrap(),
        after["keys"][0]["kid"]
    );
    webhook.verify(&server.anyone()).await;
}

/// A running `webhook listen`, which is killed when it is dropped.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn listener_prints_webhooks_and_verify_checks_one_by_hand() {
    let data = data_dir();
    let _server = Server::start(data.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["webhook", "listen", "--port", "0", "--data"])
        .arg(data.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let _listening = Listening(child);
    let greeting = lines.next().unwrap();
    let url = greeting
        .split_ascii_whitespace()
        .find(|word| word.starts_with("http://127.0.0.1:"))
        .expect("the listener says where it listens")
        .to_owned();
    let test = answer(
        data.path(),
        &["webhook", "test", "--app", "demo", "--url", &url],
    );
    assert_eq!(test["status"], 204, "{test}");
    assert!(test["webhookId"].as_str().unwrap().starts_with("msg_test_"));
    let id = test["webhookId"].as_str().unwrap().to_owned();
    lines
        .find(|line| line.contains(&id))
        .expect("the listener prints the webhook");

    let receiver = Receiver::start().await;
    answer(
        data.path(),
        &["webhook", "test", "--app", "demo", "--url", &receiver.url],
    );
    let webhook = receiver.next().await;
    let body = data.path().join("body.json");
    std::fs::write(&body, &webhook.body).unwrap();
    let signature = webhook.headers["x-signature"].to_str().unwrap();
    let verify = [
        "webhook",
        "verify",
        "--body",
        body.to_str().unwrap(),
        "--signature",
        signature,
    ];
    assert!(countersign(data.path(), &verify).status.success());
    std::fs::write(&body, [&webhook.body[..], b" "].concat()).unwrap();
    assert!(!countersign(data.path(), &verify).status.success());

    complaint(data.path(), &["webhook", "test", "--app", "demo"]);
    complaint(
        data.path(),
        &["webhook", "test", "--app", "nobody", "--url", &url],
    );

    // A receiver that looks the id up answers 404, and works.
    let statuses = [404, 403, 500];
    let careful = Receiver::answering(move |n| statuses[n]).await;
    let test = ["webhook", "test", "--app", "demo", "--url", &careful.url];
    let unknown = countersign(data.path(), &test);
    let printed = String::from_utf8(unknown.stdout).unwrap();
    assert!(unknown.status.success(), "{printed}");
    assert!(printed.contains("looks the id up"), "{printed}");
    for _ in 0..2 {
        let failed = countersign(data.path(), &test);
        assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_show_the_counters() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (_, message) = server.acquire("http://127.0.0.1:9/").await;
    deliver_text(&server.facts, "text-1", "ACME", &message)
        .await
        .unwrap();
    deliver_text(&server.facts, "text-2", "+12025550100", "STOP")
        .await
        .unwrap();
    let counted = answer(data.path(), &["metrics"]);
    let count = |name: &str| {
        let events = counted["events"].as_array().unwrap();
        events.iter().find(|event| event["name"] == name).unwrap()["count"].clone()
    };
    let names = ["created", "miss_sender", "miss_no_code", "verified"];
    assert_eq!(names.map(count), [json!(1), json!(1), json!(1), json!(0)]);
    let exported = countersign(data.path(), &["metrics", "--prometheus"]).stdout;
    let exported = String::from_utf8(exported).unwrap();
    for line in [
        "# TYPE countersign_events_total counter",
        r#"countersign_events_total{app="demo",country="",event="miss_sender",provider="generic"} 1"#,
        r#"countersign_events_total{app="",country="",event="verified",provider=""} 0"#,
        r#"countersign_first_attempt_seconds_bucket{le="0.001"} 0"#,
        "countersign_webhooks_owed 0",
    ] {
        assert!(exported.lines().any(|said| said == line), "{exported}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn healthcheck_fails_if_nothing_answers() {
    let data = data_dir();
    let server = Server::start(data.path());
    let check = ["healthcheck", "--url", &server.facts.url.clone()];
    let healthy = countersign(data.path(), &check);
    assert!(healthy.status.success(), "{healthy:?}");
    assert!(healthy.stdout.is_empty(), "{healthy:?}");

    // A port that stays reserved: the port of a server that has ended could be given to another
    // test's server.
    let closed = ClosedReceiver::new();
    let check = ["healthcheck", "--url", closed.url.trim_end_matches("/hook")];
    assert!(complaint(data.path(), &check).contains("nothing answers at"));
}
