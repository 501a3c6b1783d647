//! SMS providers: adding, rotating and testing them while the server runs.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::twilio::{Twilio, TwilioKey};
use countersign_inbound::{InboundProvider as _, PublicUrl, SharedSecret};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::{Value, json};

use crate::support::{Answer, Http, Receiver, Server, countersign, data_dir};

/// An auth token of Twilio.
const ONE: &str = "11111111111111111111111111111111";
const TWO: &str = "22222222222222222222222222222222";
const THREE: &str = "33333333333333333333333333333333";
const FOUR: &str = "44444444444444444444444444444444";

/// Runs `countersign provider add` with this secret on standard input.
fn add(data: &Path, args: &[&str], secret: &str) -> Output {
    let mut running = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["provider", "add"])
        .args(args)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = running.stdin.take().unwrap();
    // The command exits without reading its input if it refuses the options.
    let _ = input.write_all(secret.as_bytes());
    drop(input);
    running.wait_with_output().unwrap()
}

pub(crate) fn added(data: &Path, args: &[&str], secret: &str) -> Value {
    let output = add(data, &[args, &["--json"]].concat(), secret);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Sends a text as Twilio does, signed with this auth token.
async fn twilio(server: &Server, token: &str, text: &str) -> Answer {
    let to = server.facts.send_to.clone();
    twilio_on(Channel::Sms, server, token, &to, text).await
}

/// Sends a text on this channel to one of our numbers, as Twilio does.
async fn twilio_on(channel: Channel, server: &Server, token: &str, to: &str, text: &str) -> Answer {
    let url: PublicUrl = server.facts.url.parse().unwrap();
    let token: SharedSecret = token.parse().unwrap();
    let provider = Twilio::new(&url, TwilioKey::AuthToken(token));
    let message = InboundMessage {
        provider: "twilio",
        channel,
        message_id: "SM1".to_owned(),
        from: "+12025550100".to_owned(),
        to: to.to_owned(),
        text: text.to_owned(),
        carrier: None,
    };
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let now = Timestamp::from_millis(u64::try_from(now).unwrap());
    let signed = provider.sign(&message, now, "nonce").unwrap();
    let mut http = Http::new(&server.facts.url);
    for (name, value) in &signed.headers {
        http = http.with(name.as_str(), value);
    }
    let body = String::from_utf8(signed.body).unwrap();
    http.call("POST", "/inbound-sms/twilio", Some(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_is_turned_on_and_rotated_without_a_restart() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let off = twilio(&server, ONE, &message).await;
    assert_eq!(off.problem(404), "not_found");

    let answer = added(data.path(), &["twilio"], &format!("{ONE}\n"));
    let expected = json!({"provider": "twilio", "secrets": 1, "generated": null, "forgotten": [], "inUse": true,
        "namesCarrier": false});
    assert_eq!(answer, expected);
    let answer = twilio(&server, TWO, &message).await;
    assert_eq!((answer.status, answer.body.len()), (401, 0));
    let answer = twilio(&server, ONE, &message).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "text/xml; charset=utf-8");
    assert_eq!(receiver.next().await.json()["confirmationId"], id);

    // During a rotation no text is refused; the first token is only forgotten at the next rotation.
    assert_eq!(added(data.path(), &["twilio"], TWO)["secrets"], 2);
    for token in [ONE, TWO] {
        assert_eq!(twilio(&server, token, "hello").await.status, 200, "{token}");
    }
    added(data.path(), &["twilio"], THREE);
    for (token, status) in [(ONE, 401), (TWO, 200), (THREE, 200)] {
        assert_eq!(
            twilio(&server, token, "hello").await.status,
            status,
            "{token}"
        );
    }
    added(data.path(), &["twilio", "--replace"], FOUR);
    let audit = countersign(data.path(), &["audit", "--last", "1", "--json"]);
    let audit: Value = serde_json::from_slice(&audit.stdout).unwrap();
    assert_eq!(audit[0]["action"], "change_provider");
    assert_eq!(audit[0]["details"], json!({"provider": "twilio"}));
    for (token, status) in [(THREE, 401), (FOUR, 200)] {
        assert_eq!(
            twilio(&server, token, "hello").await.status,
            status,
            "{token}"
        );
    }

    let file = std::fs::read_to_string(data.path().join("providers.json")).unwrap();
    assert!(file.contains(FOUR) && !file.contains(THREE));
    assert!(server.terminate().success());
    let server = Server::start(data.path());
    // The server now listens on a different free port, which is part of the URL that Twilio signs.
    assert_eq!(twilio(&server, FOUR, "hello").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_on_whatsapp_counts_while_the_app_names_the_number() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    added(data.path(), &["twilio"], ONE);
    let update = |change: &[&str]| {
        let output = countersign(data.path(), &[&["app", "update", "demo"], change].concat());
        assert!(output.status.success(), "{output:?}");
    };
    let (number, other) = ("+12025550177", "+12025550178");
    let text = async |server: &Server, to: &str, message: &str| {
        let answer = twilio_on(Channel::WhatsApp, server, ONE, to, message).await;
        assert_eq!(answer.status, 200);
    };
    let (without, message) = server.acquire(&receiver.url).await;
    update(&["--whatsapp", number]);
    text(&server, number, &message).await;
    let show = async |server: &Server, id: &str| {
        let path = format!("/confirmations/{id}");
        server.caller().get(&path).await.ok()
    };
    let missed = show(&server, &without).await;
    assert_eq!(missed["status"], "open");
    assert_eq!(missed["lastMiss"]["reason"], "wrong_recipient");

    // An open confirmation keeps its number, whatever happens to the app or the process.
    let (id, message) = server.acquire(&receiver.url).await;
    update(&["--no-whatsapp"]);
    assert!(server.terminate().success());
    let server = Server::start(data.path());
    text(&server, other, &message).await;
    assert_eq!(show(&server, &id).await["status"], "open");
    text(&server, number, &message).await;
    let webhook = receiver.next().await.json();
    assert_eq!(webhook["confirmationId"], id);
    assert_eq!(webhook["phoneNumber"], "+12025550100");
    let mut fields: Vec<_> = webhook.as_object().unwrap().keys().collect();
    fields.sort();
    let expected = [
        "carrier",
        "confirmationId",
        "metadata",
        "phoneNumber",
        "timestamp",
        "validationStatus",
    ];
    assert_eq!(fields, expected, "nothing tells the channel");
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_is_shown_and_tried_out() {
    let data = data_dir();
    let server = Server::start(data.path());
    let run = |args: &[&str]| countersign(data.path(), &[&["provider"], args].concat());
    let text = |output: &Output| {
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout.clone()).unwrap()
    };
    for (args, secret) in [
        (&["twilio"][..], ONE),
        (&["plivo", "--signature", "v2"], "0123456789abcdef"),
        (&["vonage-sms", "--algorithm", "sha256"], "0123456789abcdef"),
        (&["vonage-messages"], "0123456789abcdef"),
        (&["sinch", "--generate"], ""),
        (&["sinch-conversation", "--generate"], ""),
        (&["sms-gate", "--number=+12025550199", "--country=US"], ""),
        (&["infobip"], "name:0123456789abcdef"),
        (&["bandwidth", "--generate"], ""),
        (&["whatsapp"], TWO),
        (&["generic"], ""),
    ] {
        added(data.path(), args, secret);
        text(&run(&["test", args[0]]));
    }
    let shown = text(&run(&["show", "twilio"]));
    let url = format!("{}/inbound-sms/twilio", server.facts.url);
    assert!(
        shown.starts_with("Provider:  twilio (on with 1 secret)\n"),
        "{shown}"
    );
    assert!(shown.contains(&url), "{shown}");
    // The verify token that Meta's console asks for is stored only in the settings.
    let file = std::fs::read_to_string(data.path().join("providers.json")).unwrap();
    let settings: Value = serde_json::from_str(&file).unwrap();
    let token = settings["whatsapp"]["verifyToken"].as_str().unwrap();
    let shown = text(&run(&["show", "whatsapp"]));
    assert!(
        shown.contains(&format!("Verify token: {token}\n")),
        "{shown}"
    );
    let listed: Value = serde_json::from_str(&text(&run(&["list", "--json"]))).unwrap();
    let on = |name: &str| {
        let all = listed.as_array().unwrap();
        let one = all.iter().find(|one| one["provider"] == name).unwrap();
        one["secrets"].clone()
    };
    assert_eq!((on("generic"), on("sinch")), (json!(2), json!(1)));
    assert_eq!(on("telnyx"), Value::Null);
    for (args, expected) in [
        (&["test", "telnyx"][..], "telnyx is off"),
        (
            &["show", "acme"],
            "must be one of bandwidth, end-user-messaging",
        ),
    ] {
        let output = run(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains(expected),
            "{error}"
        );
    }
}

/// The command generates the key, since the user enters it into an app. An existing key can be passed instead.
#[test]
fn phone_gets_a_key_and_the_steps_to_tap() {
    let data = data_dir();
    let server = Server::start(data.path());
    let options = ["sms-gate", "--number=+447700900199", "--country=gb"];
    let output = add(data.path(), &options, "");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let url = format!("{}/inbound-sms/sms-gate", server.facts.url);
    let register = format!(r#"{{"url": "{url}", "event": "sms:received"}}"#);
    for part in [
        "sms-gate is on with 1 secret, and the running server uses it.\nsigning key: ",
        "Provider:  sms-gate (on with 1 secret)",
        register.as_str(),
        "countersign provider test sms-gate",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // The next key keeps the number and the country.
    let given = added(data.path(), &["sms-gate"], "key-of-the-phone\n");
    assert_eq!(
        (&given["generated"], &given["secrets"]),
        (&Value::Null, &json!(2))
    );
    let file = std::fs::read_to_string(data.path().join("providers.json")).unwrap();
    let written: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(written["sms-gate"]["secrets"][0], "key-of-the-phone");
    assert_eq!(written["sms-gate"]["number"], "+447700900199");
    let test = countersign(data.path(), &["provider", "test", "sms-gate"]);
    assert!(test.status.success(), "{test:?}");
    let removed = countersign(data.path(), &["provider", "remove", "sms-gate"]);
    assert!(removed.status.success(), "{removed:?}");
    let test = countersign(data.path(), &["provider", "test", "sms-gate"]);
    let said = String::from_utf8(test.stderr).unwrap();
    assert!(said.contains("sms-gate is off"), "{said}");
}

#[test]
fn mistake_changes_nothing_and_shows_no_secret() {
    let data = data_dir();
    assert!(Server::start(data.path()).terminate().success());
    added(data.path(), &["sinch"], "first-secret");
    added(data.path(), &["twilio"], ONE);
    added(data.path(), &["whatsapp"], TWO);
    let files = || {
        ["providers.json", "inbound-secret"]
            .map(|name| std::fs::read(data.path().join(name)).unwrap())
    };
    let before = files();
    for (args, secret) in [
        (&["sinch"][..], "hunter2"),
        (&["sinch"], "hunter2 hunter2"),
        (&["sinch", "--signature", "v3"], "hunter2-hunter2"),
        (&["plivo"], "hunter2-hunter2"),
        (&["telnyx"], "hunter2-hunter2"),
        (&["sns", "--topic", "x", "--signature-version", "2"], ""),
        (&["sms-gate"], "hunter2-hunter2"),
        (&["sms-gate", "--number=07700900123", "--country=GB"], ""),
        (&["sms-gate", "--number=+447700900123", "--country=UK"], ""),
        (&["sms-gate", "--number=+447700900123", "--country=DE"], ""),
        (&["sms-gate", "--number=+447700900123", "--country=EN"], ""),
        (&["twilio"], "hunter2-0123456789abcdef01234567"),
        (&["twilio", "--replace"], "hunter2789abcdef01234567"),
        (&["whatsapp"], "hunter2789abcdef01234567"),
        (&["whatsapp", "--replace"], "hunter2 0123456789abcdef"),
        (&["infobip"], "name:hunter2"),
        (&["bandwidth"], "hunter2-hunter2-hunter2"),
        (&["generic"], "hunter2"),
        (&["generic", "--replace"], "whsec_hunter2"),
        (&["sinch"], ""),
        (&["sinch"], "\"hunter2-hunter2\""),
        (&["twilio"], "AC0123456789abcdef01234567hunter2a"),
    ] {
        let output = add(data.path(), args, secret);
        assert!(!output.status.success(), "{args:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!error.contains("hunter2"), "{error}");
        assert_eq!(files(), before, "{args:?}");
    }
    std::fs::write(data.path().join("providers.json"), "{").unwrap();
    assert!(
        Server::refusal(data.path(), &["--listen", "127.0.0.1:0"]).contains("not valid at line 1")
    );
}

/// A provider that still signs with a forgotten secret is refused.
#[test]
fn forgotten_secret_is_named() {
    let data = data_dir();
    assert!(Server::start(data.path()).terminate().success());
    for (secret, forgotten) in [
        ("secret-aaaa", json!([])),
        ("secret-bbbb", json!([])),
        ("secret-bbbb", json!([])),
        ("secret-cccc", json!(["the one that ends in aaaa"])),
    ] {
        let output = added(data.path(), &["sinch"], secret);
        assert_eq!(output["forgotten"], forgotten, "{secret}");
    }
    let replaced = added(data.path(), &["sinch", "--replace"], "secret-dddd");
    let both = json!(["the one that ends in cccc", "the one that ends in bbbb"]);
    assert_eq!(replaced["forgotten"], both);
    let output = add(data.path(), &["sinch", "--replace"], "secret-eeee");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("Forgotten: the one that ends in dddd."),
        "{said}"
    );
    // The first start generated a secret.
    assert_eq!(added(data.path(), &["generic"], "")["forgotten"], json!([]));
    let third = added(data.path(), &["generic"], "");
    assert_eq!(third["forgotten"], json!(["the older one"]));
    let own = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    for forgotten in [json!(["the older one"]), json!([])] {
        let given = added(data.path(), &["generic"], own);
        assert_eq!(
            (&given["generated"], &given["forgotten"]),
            (&json!(null), &forgotten)
        );
    }
    let kept = std::fs::read_to_string(data.path().join("inbound-secret")).unwrap();
    assert_eq!(
        kept,
        format!("{own}\n{}\n", third["generated"].as_str().unwrap())
    );
}

/// A text to a wrong public URL would never arrive, whatever the server itself accepts.
#[test]
fn test_calls_the_public_url() {
    let data = data_dir();
    let local = Server::start(data.path());
    let facts = local.facts.clone();
    assert!(local.terminate().success());
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let wrong = format!("https://{}", closed.local_addr().unwrap());
    drop(closed);
    let server = Server::start_public(data.path(), &["--public-url", &wrong], &facts);
    added(data.path(), &["twilio"], ONE);
    let test = |more: &[&str]| {
        let args = [&["provider", "test", "twilio"], more].concat();
        countersign(data.path(), &args)
    };
    let output = test(&[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains(&wrong), "{said}");
    assert!(said.contains("--url"), "{said}");
    let output = test(&["--url", &server.facts.url, "--json"]);
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    let untested = outcome["notTested"].as_array().unwrap();
    assert_eq!(untested.len(), 2, "{outcome}");
}

/// Secrets typed on a terminal are not echoed, and echo is restored afterwards.
#[test]
fn secret_that_is_typed_is_not_shown() {
    let data = data_dir();
    assert!(Server::start(data.path()).terminate().success());
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let input = File::options()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut running = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["provider", "add", "sinch", "--data"])
        .arg(data.path())
        .stdin(input.try_clone().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut asked = String::new();
    let mut errors = BufReader::new(running.stderr.take().unwrap());
    errors.read_line(&mut asked).unwrap();
    assert!(asked.contains("webhook secret of sinch"), "{asked}");
    let mut keyboard = File::from(terminal);
    keyboard.write_all(b"hunter2-hunter2\n").unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let file = std::fs::read_to_string(data.path().join("providers.json")).unwrap();
    assert!(file.contains("hunter2-hunter2"));
    let shown = tcgetattr(&input).unwrap().local_modes;
    assert!(shown.contains(LocalModes::ECHO));
    // Text typed now is echoed; nothing typed before was.
    keyboard.write_all(b"visible\n").unwrap();
    let mut screen = String::new();
    BufReader::new(keyboard).read_line(&mut screen).unwrap();
    assert!(!screen.contains("hunter2"), "{screen}");
    assert!(screen.contains("visible"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_provider_is_off_immediately() {
    let data = data_dir();
    let server = Server::start(data.path());
    let remove = |name: &str| countersign(data.path(), &["provider", "remove", name, "--json"]);
    let json = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).unwrap();
    added(data.path(), &["twilio"], ONE);
    added(data.path(), &["sinch"], "secret-one");
    assert_eq!(twilio(&server, ONE, "hello").await.status, 200);
    let expected = json!({"provider": "twilio", "removed": true, "inUse": true});
    assert_eq!(json(&remove("twilio")), expected);
    let answer = twilio(&server, ONE, "hello").await;
    assert_eq!(answer.problem(404), "not_found");
    let file = std::fs::read_to_string(data.path().join("providers.json")).unwrap();
    assert!(!file.contains(ONE) && file.contains("secret-one"));
    assert_eq!(json(&remove("twilio"))["removed"], false);
    let generic = remove("generic");
    assert!(!generic.status.success());
    let why = String::from_utf8(generic.stderr).unwrap();
    assert!(why.contains("always on"), "{why}");
}
