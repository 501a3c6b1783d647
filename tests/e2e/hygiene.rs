//! Secrets that must not be stored or logged, and callers that must be refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::{Http, Receiver, Server, data_dir, deliver_text, until};

fn contains(haystack: &[u8], needle: &str) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

/// Returns the paths and contents of all files below a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.is_file() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_stored_or_logged() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let key = "order-1234567890";
    let request = json!({"callbackUrl": format!("{}?token=url-secret", receiver.url), "metadata": {"note": "metadata-secret"}});
    let confirmation = server
        .caller()
        .with("idempotency-key", key)
        .post("/acquire-phone-number", &request)
        .await
        .ok();
    let message = confirmation["confirmationMessage"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!(
        "/confirmations/{}",
        confirmation["confirmationId"].as_str().unwrap()
    );
    server
        .anyone()
        .with("x-api-key", "cs_live_wrong")
        .get(&path)
        .await;
    let confirm = json!({"phoneNumber": "+12025550177", "callbackUrl": receiver.url});
    server
        .caller()
        .post("/make-confirmation", &confirm)
        .await
        .ok();
    deliver_text(
        &server.facts,
        "text-1",
        "+12025550100",
        &format!("hello {message} bye"),
    )
    .await
    .unwrap();
    receiver.next().await;
    until("the delivery to be settled", async || {
        let status = server.caller().get(&path).await.ok();
        (status["delivery"]["status"] == "delivered").then_some(())
    })
    .await;
    let facts = server.facts.clone();
    assert!(server.terminate().success());

    let symbols = message.rsplit('-').next().unwrap();
    for (name, bytes) in files(data.path()) {
        assert!(!contains(&bytes, symbols), "{name} contains the code");
        assert!(
            !contains(&bytes, key),
            "{name} contains the idempotency key"
        );
        assert!(
            name == "demo.json" || !contains(&bytes, &facts.api_key),
            "{name} contains the API key"
        );
    }
    let log = fs::read(Server::log_of(data.path())).unwrap();
    assert!(contains(&log, "acquire"), "requests are logged");
    let secrets = [
        symbols,
        key,
        &facts.api_key,
        &facts.inbound_secret,
        "+12025550100",
        "2025550177",
        "metadata-secret",
        "url-secret",
        "cs_live_wrong",
    ];
    for secret in secrets {
        assert!(!contains(&log, secret), "the log contains {secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_private() {
    let data = data_dir();
    let server = Server::start(data.path());
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data.path().join("demo.json")), 0o600);
    assert_eq!(mode(&data.path().join("admin.sock")), 0o600);
    let mut folders = vec![data.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_host_is_misdirected() {
    let data = data_dir();
    let server = Server::start(data.path());
    let port = server.facts.url.rsplit(':').next().unwrap().to_owned();
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
    ] {
        let answer = server
            .caller()
            .with("host", &format!("{host}:{port}").replace(":80:", ":"))
            .get("/healthz")
            .await;
        assert_eq!(answer.status, 421, "{host}");
    }
    for host in ["127.0.0.1", "localhost"] {
        let answer = server
            .caller()
            .with("host", &format!("{host}:{port}"))
            .get("/healthz")
            .await;
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn loopback_callbacks_work_in_local_mode_only() {
    let data = data_dir();
    let server = Server::start(data.path());
    let loopback = json!({"callbackUrl": "http://127.0.0.1:9/hook"});
    server
        .caller()
        .post("/acquire-phone-number", &loopback)
        .await
        .ok();
    for url in [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "https://[fd00:ec2::254]/",
        "http://example.com/",
    ] {
        let answer = server
            .caller()
            .post("/acquire-phone-number", &json!({"callbackUrl": url}))
            .await;
        assert_eq!(answer.status, 422, "{url}");
    }
    let facts = server.facts.clone();
    assert!(server.terminate().success());

    let args = ["--public-url", "https://phone.example.com"];
    let server = Server::start_public(data.path(), &args, &facts);
    let answer = server
        .caller()
        .post("/acquire-phone-number", &loopback)
        .await;
    assert_eq!(answer.status, 422);
    assert_eq!(server.anyone().get("/").await.status, 404, "no playground");
}

#[tokio::test(flavor = "multi_thread")]
async fn local_mode_answers_to_a_name_that_it_was_given() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--local-host", "devbox"]);
    let port = server.facts.url.rsplit(':').next().unwrap().to_owned();
    let devbox = format!("devbox:{port}");
    assert_eq!(server.facts.url, format!("http://{devbox}"));
    let nearby = Http::new(&format!("http://127.0.0.1:{port}"));
    let named = nearby.clone().with("host", &devbox);
    assert_eq!(named.get("/playground/facts").await.status, 200);
    let caller = named.clone().with("x-api-key", &server.facts.api_key);
    let wanted = json!({"callbackUrl": "http://127.0.0.1:9/", "clientChannel": true});
    let client = caller.post("/acquire-phone-number", &wanted).await.ok()["client"].clone();
    for (member, scheme) in [("statusUrl", "http"), ("socketUrl", "ws")] {
        let url = client[member].as_str().unwrap();
        assert!(url.starts_with(&format!("{scheme}://{devbox}/")), "{url}");
    }
    let other = nearby.with("host", &format!("devbox.lan:{port}"));
    let refused = other.get("/playground/facts").await;
    assert_eq!(refused.problem(421), "misdirected_request");
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    let remedy = format!("start it with --local-host devbox.lan:{port}.");
    assert!(detail.contains(&remedy), "{detail}");
    assert!(server.terminate().success());

    let elsewhere = [
        "--listen=127.0.0.1:0",
        "--public-url=https://a.example",
        "--local-host=devbox",
    ];
    let refusal = Server::refusal(data.path(), &elsewhere);
    assert!(
        refusal.contains("--local-host is for local mode"),
        "{refusal}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn redacted_number_and_metadata_are_in_no_file() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let (numbers, notes) = (
        |n| format!("+12025550{n:03}"),
        |n| format!("order-{n:03}-of-a-person"),
    );
    let mut ids = Vec::new();
    for n in 0..20 {
        let request = json!({"callbackUrl": receiver.url, "metadata": {"note": notes(n)}});
        let started = server
            .caller()
            .post("/acquire-phone-number", &request)
            .await;
        let started = started.ok();
        let message = started["confirmationMessage"].as_str().unwrap();
        deliver_text(&server.facts, &format!("text-{n}"), &numbers(n), message)
            .await
            .unwrap();
        receiver.next().await;
        let id = started["confirmationId"].as_str().unwrap().to_owned();
        server.delivered(&id).await;
        ids.push(id);
    }
    let found = || {
        let files = files(data.path());
        let is_in = |text: &str| files.iter().any(|(_, content)| contains(content, text));
        let found = (0..20).flat_map(|n| [numbers(n), notes(n)]);
        found.filter(|text| is_in(text)).count()
    };
    assert_eq!(found(), 40);
    for id in &ids {
        let path = format!("/confirmations/{id}/redact");
        server.caller().post(&path, &json!({})).await.ok();
    }
    // The write-ahead log is emptied once there has been no write for a second.
    until("the numbers to be erased", async || {
        (found() == 0).then_some(())
    })
    .await;
    assert!(server.terminate().success());
    assert_eq!(found(), 0);
}
