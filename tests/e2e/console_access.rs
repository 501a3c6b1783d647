//! Ways to the console: a forwarded socket, a container's port, and those that lead nowhere.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, UnixStream};

use crate::support::{Answer, Console, Http, Server, data_dir};

/// Forwards a free port of loopback to a socket, as `ssh -L PORT:PATH` does, and returns the port's origin.
async fn forward(path: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut near, _) = listener.accept().await.unwrap();
            let path = path.clone();
            tokio::spawn(async move {
                let mut far = UnixStream::connect(path).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    origin
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_serves_a_forwarded_port_under_the_same_rules() {
    let data = data_dir();
    let _server = Server::start(data.path());
    let path = data.path().join("console.sock");
    let console = Console::start(data.path(), &["--socket", path.to_str().unwrap()]);
    let shown = path.canonicalize().unwrap();
    let forwarding = format!("ssh -L 9000:{} HOST", shown.display());
    assert!(
        console.greeting.contains(&forwarding),
        "{}",
        console.greeting
    );
    assert_eq!(console.origin, "http://127.0.0.1:9000");
    let mode = path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let origin = forward(path.clone()).await;
    assert_eq!(Http::new(&origin).get("/").await.status, 200);
    let rebound = Http::new(&origin).with("host", "evil.example:9000");
    assert_eq!(rebound.get("/").await.status, 421);
    let foreign = Http::new(&origin).with("origin", "http://evil.example");
    let code = json!({ "code": console.code });
    assert_eq!(foreign.post("/session", &code).await.status, 403);
    let stranger = Console::page_at(&origin);
    assert_eq!(
        stranger.post("/api/list_apps", &json!({})).await.status,
        401
    );
    let session = console.open_at(&origin).await;
    let apps = session.post("/api/list_apps", &json!({})).await.ok();
    assert_eq!(apps["items"][0]["app"], "demo");

    let second = Console::command(data.path(), &["--socket", path.to_str().unwrap()]);
    assert_refused(second, "another program listens");
    assert!(console.interrupt());
    assert!(!path.exists());
    let again = Console::start(data.path(), &["--socket", path.to_str().unwrap()]);
    drop(again);
    // Killed, it leaves its socket behind, and the next one replaces it.
    assert!(path.exists());
    assert!(Console::start(data.path(), &["--socket", path.to_str().unwrap()]).interrupt());
}

fn assert_refused(mut command: std::process::Command, reason: &str) {
    let ended = command.output().unwrap();
    assert!(!ended.status.success());
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains(reason), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn container_opens_all_interfaces_and_nothing_else_does() {
    let data = data_dir();
    let _server = Server::start(data.path());
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port().to_string()
    };
    // The variable that Podman sets.
    let mut inside = Console::command(data.path(), &["--in-container", "--port", &port]);
    let console = Console::run(inside.env("container", "podman"));
    assert_eq!(console.origin, format!("http://127.0.0.1:{port}"));
    // All of 127.0.0.0/8 is on the loopback interface, so this address stands for another interface.
    #[cfg(target_os = "linux")]
    {
        let published = Http::new(&format!("http://127.0.0.2:{port}"));
        let named = published.clone().with("host", &format!("127.0.0.1:{port}"));
        assert_eq!(named.get("/").await.status, 200);
        assert_eq!(published.get("/").await.status, 421);
        let plain = Console::start(data.path(), &[]);
        let port = plain.origin.rsplit(':').next().unwrap();
        let refused = tokio::net::TcpStream::connect(format!("127.0.0.2:{port}")).await;
        assert!(refused.is_err());
    }
    console
        .open()
        .await
        .post("/api/list_apps", &json!({}))
        .await
        .ok();
    for args in [
        &["--in-container"] as &[&str],
        &["--in-container", "--socket", "x.sock"],
        &["--port", "9000", "--socket", "x.sock"],
    ] {
        assert_refused(Console::command(data.path(), args), "error:");
    }
}

/// Other users of the machine reach the port, and can send any header.
#[tokio::test(flavor = "multi_thread")]
async fn stranger_gets_nothing_and_cannot_spend_the_code() {
    let data = data_dir();
    let _server = Server::start(data.path());
    let console = Console::start(data.path(), &[]);
    let stranger = console.page();
    let empty = |answer: &Answer| {
        assert!(!answer.headers.contains_key("set-cookie"));
        let members = answer.json();
        assert_eq!(members.as_object().unwrap().len(), 1, "{members}");
        assert!(members["message"].is_string());
    };
    let wrong = "A".repeat(console.code.len());
    for code in [wrong.as_str(), "", "0"].into_iter().cycle().take(30) {
        let answer = stranger.post("/session", &json!({ "code": code })).await;
        assert_eq!(answer.status, 403);
        empty(&answer);
    }
    let session = console.open().await;
    session.post("/api/list_apps", &json!({})).await.ok();
    // The code is spent, and further wrong ones end nothing.
    let code = json!({ "code": console.code });
    for _ in 0..12 {
        let answer = stranger.post("/session", &code).await;
        assert_eq!(answer.status, 403);
        empty(&answer);
    }
    let guess = stranger
        .with(
            "cookie",
            &format!("countersign-console-0000000000000000={wrong}"),
        )
        .with("countersign-console", &wrong);
    for name in ["list_apps", "issue_key", "show_console", "nothing"] {
        let answer = guess
            .post(&format!("/api/{name}"), &json!({ "app": "demo" }))
            .await;
        assert_eq!(answer.status, 401);
        empty(&answer);
    }
    session.post("/api/list_apps", &json!({})).await.ok();
}
