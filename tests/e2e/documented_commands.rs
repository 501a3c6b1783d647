//! Runs the documentation's shell commands verbatim next to a server in local mode.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::{Receiver, Server, countersign, data_dir, skip};

/// A folder like a reader's checkout next to `make run`, and the server.
struct Reader {
    home: TempDir,
    /// The folder for temporary files of the commands.
    temporary: TempDir,
    server: Server,
}

impl Reader {
    /// Starts the server. Returns `None` and reports the test as skipped if a program is missing.
    fn start(test: &str, programs: &[&str]) -> Option<Self> {
        for program in programs {
            // Some versions of `sh` and `mktemp` have no option that only prints something.
            let found = Command::new("sh")
                .args(["-c", "command -v \"$1\"", "sh", program])
                .output();
            if !found.is_ok_and(|found| found.status.success()) {
                skip(test, program);
                return None;
            }
        }
        let home = data_dir();
        let server = Server::start(&home.path().join(".countersign"));
        let temporary = data_dir();
        Some(Self {
            home,
            temporary,
            server,
        })
    }

    /// Runs a script in the folder. `countersign` is a shell function that runs the built command, since the
    /// command is not in `PATH`.
    fn runs(&self, script: &str) -> Output {
        let command = env!("CARGO_BIN_EXE_countersign");
        let script = format!("set -e\ncountersign() {{ '{command}' \"$@\"; }}\n{script}");
        Command::new("sh")
            .args(["-c", &script])
            .current_dir(self.home.path())
            .env("TMPDIR", self.temporary.path())
            .output()
            .unwrap()
    }

    /// Returns the names of all files that the commands left behind, except the server's and the simulated
    /// phone's.
    fn left_behind(&self) -> BTreeSet<String> {
        let known = [".countersign", ".countersign.log", ".countersign-phone"];
        let folders = [self.home.path(), self.temporary.path()];
        let entries = folders
            .into_iter()
            .flat_map(|folder| fs::read_dir(folder).unwrap());
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !known.contains(&name.as_str()))
            .collect()
    }
}

/// Returns the shell blocks of a section, from its heading to the next heading of the same level.
fn blocks(page: &str, heading: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once(&format!("\n{heading}\n")).unwrap();
    let level = heading.split(' ').next().unwrap();
    let section = section
        .split(&format!("\n{level} "))
        .next()
        .unwrap_or_default();
    let blocks = section.split("\n```sh\n").skip(1);
    let blocks: Vec<_> = blocks
        .map(|block| format!("{}\n", block.split("\n```").next().unwrap()))
        .collect();
    assert!(!blocks.is_empty(), "{page}: {heading}");
    blocks
}

fn approval() -> Vec<String> {
    blocks(
        "docs/login-servers.md",
        "## An approval with curl and openssl",
    )
}

const FOR_AN_APPROVAL: [&str; 5] = ["sh", "curl", "jq", "openssl", "mktemp"];

#[tokio::test(flavor = "multi_thread")]
async fn approval_works_in_a_shell_and_leaves_nothing_behind() {
    let test = "approval_works_in_a_shell_and_leaves_nothing_behind";
    let Some(reader) = Reader::start(test, &FOR_AN_APPROVAL) else {
        return;
    };
    let port = reader.server.facts.url.rsplit(':').next().unwrap();
    // Readers may repeat the steps: the second time, the phone already has its key.
    for _ in 0..2 {
        let ran = reader.runs(&approval().concat());
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{ran:?}");
        let link = format!("http://localhost:{port}?sessionId=qrs_");
        assert!(said.starts_with(&link), "the link is ours: {ran:?}");
        assert!(said.contains("\"state\": \"confirmed\""), "{said}");
        assert!(said.ends_with("Verified OK\ntrue\ntrue\n"), "{said}");
        assert_eq!(reader.left_behind(), BTreeSet::new());
    }
}

/// To a reader, a check that always passes would look the same.
#[tokio::test(flavor = "multi_thread")]
async fn approval_in_a_shell_refuses_what_is_not_its_own() {
    let test = "approval_in_a_shell_refuses_what_is_not_its_own";
    let Some(reader) = Reader::start(test, &FOR_AN_APPROVAL) else {
        return;
    };
    let [setup, open, compare, approve, read, signature, claims] =
        <[String; 7]>::try_from(approval()).unwrap();
    let other_links = [
        "URL=\"${URL%??}00\"",
        "URL=\"https://evil.example/$URL\"",
        "URL=\"https://evil.example${URL#*localhost}\"",
        "URL=\"$URL&sessionId=x\"",
        "CONTEXT=\"$CONTEXT and Max\"",
    ];
    for other in other_links {
        let ran = reader.runs(&format!("{setup}{open}{other}\n{compare}{approve}"));
        let complaint = String::from_utf8_lossy(&ran.stderr);
        assert!(complaint.starts_with("not our session"), "{other}: {ran:?}");
        assert!(!ran.status.success(), "nothing is approved: {other}");
    }
    let approved = format!("{setup}{open}{compare}{approve}{read}");
    let stranger = "PERSON=$(openssl ecparam -name prime256v1 -genkey -noout \
                    | openssl ec -pubout -outform DER 2>/dev/null | openssl base64 -A)";
    let ran = reader.runs(&format!("{approved}{stranger}\n{signature}"));
    assert!(!ran.status.success(), "another person's key: {ran:?}");
    for other in [
        "CONTEXT='Pay 2000 EUR to Zoë'",
        "ID=qrs_0",
        "ORIGIN=https://shop.example",
        "USER_ID=zoe@example.com",
    ] {
        let ran = reader.runs(&format!("{approved}{signature}{other}\n{claims}"));
        assert!(!ran.status.success(), "{other}: {ran:?}");
    }
    assert_eq!(reader.left_behind(), BTreeSet::new());
}

/// A running `webhook listen`, which is killed when it is dropped.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The listener has a port that the system chose, so the test starts it here and lets the README's command
/// wait instead.
#[tokio::test(flavor = "multi_thread")]
async fn number_in_five_steps_works_in_a_shell() {
    let test = "number_in_five_steps_works_in_a_shell";
    let Some(reader) = Reader::start(test, &["sh", "curl", "sed"]) else {
        return;
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["webhook", "listen", "--port", "0"])
        .current_dir(reader.home.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let mut lines = lines.lines().map(Result::unwrap);
    let _listening = Listening(child);
    let greeting = lines.next().unwrap();
    let (_, port) = greeting.split_once("http://127.0.0.1:").unwrap();
    let port: String = port.chars().take_while(char::is_ascii_digit).collect();

    let [steps, ..] = &blocks("README.md", "## A number in five steps")[..] else {
        panic!("the README has no steps");
    };
    let listen = "countersign webhook listen --port 9797 &";
    assert_eq!(steps.matches(listen).count(), 1);
    // sleep: takes the place of the listener, until the last step stops it.
    let steps = steps.replace(listen, "exec sleep 600 >/dev/null 2>&1 &");
    let steps = steps.replace("9797", &port);
    let ran = reader.runs(&steps);
    assert!(ran.status.success(), "{ran:?}");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("\"status\":\"verified\""), "{said}");
    let (_, id) = said.split_once("\"confirmationId\":\"").unwrap();
    let (id, _) = id.split_once('"').unwrap();
    let printed = lines.find(|line| line.contains(id));
    assert!(printed.is_some(), "the listener prints the webhook");
    assert_eq!(reader.left_behind(), BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_is_verified_by_openssl_in_a_shell() {
    let test = "webhook_is_verified_by_openssl_in_a_shell";
    let Some(reader) = Reader::start(test, &["sh", "curl", "base64", "openssl"]) else {
        return;
    };
    let receiver = Receiver::start().await;
    let data = reader.home.path().join(".countersign");
    let test = ["webhook", "test", "--app", "demo", "--url", &receiver.url];
    assert!(countersign(&data, &test).status.success());
    let webhook = receiver.next().await;
    let file = |name: &str, content: &[u8]| {
        fs::write(reader.home.path().join(name), content).unwrap();
    };
    file("signature.txt", webhook.headers["x-signature"].as_bytes());
    let commands = blocks("docs/webhooks.md", "## DER and P1363 signatures").concat();
    let script = format!("URL={}\n{commands}", reader.server.facts.url);
    file("body.json", &webhook.body);
    let ran = reader.runs(&script);
    assert_eq!(ran.stdout, b"Verified OK\n", "{ran:?}");
    file("body.json", &[&webhook.body[..], b" "].concat());
    let ran = reader.runs(&script);
    assert!(!ran.status.success(), "{ran:?}");
}

/// The page contains example values, so most of its calls find nothing. But every call must be one that a
/// server could accept.
#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_reference_are_well_formed() {
    let test = "commands_of_the_reference_are_well_formed";
    let Some(reader) = Reader::start(test, &["sh", "curl"]) else {
        return;
    };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference.html");
    let page = fs::read_to_string(path).unwrap();
    let commands = page.split("<code>curl").skip(1);
    let commands: Vec<_> = commands
        .map(|rest| unescaped(rest.split("</code>").next().unwrap()))
        .collect();
    assert!(commands.len() > 25, "{} commands", commands.len());
    // Without the web authenticator, its calls are refused before their content is read.
    let data = reader.home.path().join(".countersign");
    let update = ["app", "update", "demo", "--web-phone", "on"];
    assert!(countersign(&data, &update).status.success());
    let facts = &reader.server.facts;
    let variables = format!(
        "URL={} API_KEY={} APP_KEY={} TOKEN={}",
        facts.url,
        facts.api_key,
        facts.app_key,
        "A".repeat(43)
    );
    for command in commands {
        let ran = reader.runs(&format!(
            "{variables}\ncurl -sS -o answer -w '%{{http_code}}' {command}"
        ));
        let status = String::from_utf8_lossy(&ran.stdout).into_owned();
        let answer = fs::read_to_string(reader.home.path().join("answer")).unwrap_or_default();
        // A passkey signed the example's time, which is over.
        let is_late = answer.contains(r#""code":"passkey_false""#);
        let is_taken = is_late || ["200", "204", "401", "403", "404"].contains(&status.as_str());
        assert!(
            ran.status.success() && is_taken,
            "{command}: {ran:?} {answer}"
        );
        let is_malformed = status != "200" && answer.contains("_malformed");
        assert!(!is_malformed, "{command}: {answer}");
    }
}

/// Reverses the escaping of HTML.
fn unescaped(text: &str) -> String {
    let characters = [
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    characters
        .iter()
        .fold(text.to_owned(), |text, (escaped, character)| {
            text.replace(escaped, character)
        })
}
