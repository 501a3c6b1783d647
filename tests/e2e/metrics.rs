//! `GET /metrics`, as Prometheus scrapes it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::support::{Http, Receiver, Server, data_dir, until};

/// Returns the address at which the server answers `GET /metrics`, read from its log.
async fn address(data: &Path) -> String {
    address_on(data, "127.0.0.1:").await
}

/// Returns the server's URL on loopback, with the port that its log states after `listening`.
async fn address_on(data: &Path, listening: &str) -> String {
    let log = Server::log_of(data);
    let line = until("the log to name the address", async || {
        let log = fs::read_to_string(&log).unwrap();
        let line = log.lines().find(|line| line.contains("GET /metrics"));
        line.map(str::to_owned)
    });
    let line = line.await;
    let (_, after) = line.split_once(listening).unwrap();
    let port: String = after.chars().take_while(char::is_ascii_digit).collect();
    format!("http://127.0.0.1:{port}")
}

/// Sends a request over the admin socket and returns the whole answer.
fn over_the_socket(data: &Path, path: &str) -> String {
    let stream = UnixStream::connect(data.join("admin.sock")).unwrap();
    ask(stream, "localhost", path)
}

fn ask(mut stream: impl Read + Write, host: &str, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_name_app_country_and_provider_and_no_number() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--metrics", "127.0.0.1:0"]);
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    server.text("+442079460018", &server.facts.send_to, &message);
    server.delivered(&id).await;
    server.text("+4915123456789", &server.facts.send_to, &message);

    let url = address(data.path()).await;
    let scraped = Http::new(&url);
    let answer = scraped.get("/metrics").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4");
    let text = std::str::from_utf8(&answer.body).unwrap();
    let socket = over_the_socket(data.path(), "/metrics");
    assert!(socket.starts_with("HTTP/1.1 200"), "{socket}");
    assert!(socket.contains("content-type: text/plain; version=0.0.4"));
    for (event, country) in [
        ("verified", "GB"),
        ("delivered", "GB"),
        ("miss_already_used", "DE"),
    ] {
        let labels =
            format!(r#"app="demo",country="{country}",event="{event}",provider="generic""#);
        let line = format!("countersign_events_total{{{labels}}} 1\n");
        assert!(text.contains(&line), "{line} in {text}");
        assert!(socket.contains(&line), "{line} in {socket}");
    }
    for secret in ["7946", "2345678", &id, &server.facts.app_key] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }

    for path in ["/", "/metrics/", "/healthz", "/playground/facts"] {
        assert_eq!(scraped.get(path).await.status, 404, "{path}");
    }
    // A page of another site whose host name resolves to this address must not be able to read the
    // metrics.
    let stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let rebound = ask(stream, "evil.example", "/metrics");
    assert!(rebound.starts_with("HTTP/1.1 421"), "{rebound}");
    assert!(!rebound.contains("countersign_events_total"));
    let public = server.anyone().get("/metrics").await;
    assert_eq!(public.problem(404), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_on_every_address_are_for_addresses_and_listed_names() {
    let data = data_dir();
    let args = ["--metrics", "0.0.0.0:0", "--metrics-host", "prometheus.lan"];
    let server = Server::start_with(data.path(), &args);
    let url = address_on(data.path(), "0.0.0.0:").await;
    let get = async |host: &str| {
        let http = Http::new(&url).with("host", host);
        http.get("/metrics").await
    };
    for own in [
        "127.0.0.1:9100",
        "192.168.1.2",
        "[::1]",
        "localhost",
        "prometheus.lan:80",
    ] {
        assert_eq!(get(own).await.status, 200, "{own}");
    }
    for foreign in ["evil.example", "127.0.0.1.evil.example:9100", "metrics"] {
        let refused = get(foreign).await;
        assert_eq!(refused.problem(421), "misdirected_request", "{foreign}");
        assert!(!String::from_utf8_lossy(&refused.body).contains("countersign_events_total"));
    }
    let detail = get("devbox:9100").await.json()["detail"].to_string();
    assert!(detail.contains("--metrics-host devbox "), "{detail}");
    assert!(server.terminate().success());
    let alone = Server::refusal(data.path(), &["--metrics-host", "devbox"]);
    assert!(alone.contains("--metrics <ADDRESS:PORT>"), "{alone}");
}

#[test]
fn counters_have_no_port_of_their_own_by_default() {
    let data = data_dir();
    let server = Server::start(data.path());
    let socket = over_the_socket(data.path(), "/metrics");
    assert!(socket.contains("countersign_events_total"), "{socket}");
    let unknown = over_the_socket(data.path(), "/list_apps");
    assert!(unknown.starts_with("HTTP/1.1 405"), "{unknown}");
    assert!(server.terminate().success());
    let log = fs::read_to_string(Server::log_of(data.path())).unwrap();
    assert!(!log.contains("GET /metrics"), "{log}");
}
