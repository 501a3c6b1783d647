//! Local mode with the additional names from `--local-host`.

use serde_json::{Value, json};

use crate::support::{Browser, Http, Receiver, Server, count_of, countersign, data_dir, until};

/// Names with and without a port, of this machine and of a network.
const NAMES: [&str; 6] = [
    "devbox",
    "dev.lan:9000",
    "localhost:9001",
    "app.localhost",
    "192.0.2.7",
    "[2001:db8:0::7]:8080",
];

/// Returns a client of the server on `port` that sends this host name, and the origin of the host's
/// pages.
fn under(name: &str, port: &str) -> (Http, String) {
    let host = name.replace(":0::", "::");
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, end)| !end.ends_with(']'));
    let host = if has_port {
        host
    } else {
        format!("{host}:{port}")
    };
    let http = Http::new(&format!("http://127.0.0.1:{port}")).with("host", &host);
    (http, format!("http://{host}"))
}

/// Verifies a number on the playground page at this origin, including the page's own webhook.
async fn verify_on_the_playground(page: &Http, origin: &str) {
    let own = page.clone().with("origin", origin);
    let started = own
        .post("/playground/confirmations", &json!({"flow": "acquisition"}))
        .await;
    let started = started.ok();
    let confirmation = &started["confirmation"];
    let token = started["token"].as_str().unwrap();
    let text = json!({"from": "+12025550100", "message": confirmation["confirmationMessage"]});
    let path = format!("/playground/confirmations/{token}/text");
    let sent = own.post(&path, &text);
    assert_eq!(
        sent.await.ok()["confirmation"]["status"],
        "verified",
        "{origin}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn playground_works_under_each_name() {
    let data = data_dir();
    let names = NAMES.map(|name| ["--local-host", name]).concat();
    let server = Server::start_with(data.path(), &names);
    let first = server.facts.url.clone();
    let port = first.strip_prefix("http://devbox:").unwrap();
    let mut verified = 0;
    for name in NAMES.iter().chain(&["localhost", "127.0.0.1", "[::1]"]) {
        let (page, origin) = under(name, port);
        assert_eq!(page.get("/playground/facts").await.status, 200, "{name}");
        verify_on_the_playground(&page, &origin).await;
        verified += 1;
    }
    until("the playground to get its webhooks", async || {
        (count_of(data.path(), "delivered") == verified).then_some(())
    })
    .await;

    // A page opens logins under names at which browsers allow cryptography, and its WebSocket uses the same
    // name.
    for (name, is_listed) in [
        ("localhost:9001", true),
        ("app.localhost", true),
        ("localhost", true),
        ("127.0.0.1", true),
        ("devbox", false),
    ] {
        let (page, origin) = under(name, port);
        let opened = Browser::try_open_at(&server, &page, &origin).await;
        if !is_listed {
            assert_eq!(opened.problem(403), "origin_not_allowed", "{name}");
            continue;
        }
        let opened = opened.ok();
        let socket = format!("{}/qr-socket", origin.replace("http://", "ws://"));
        assert_eq!(opened["socketUrl"], socket);
        let link = opened["url"].as_str().unwrap();
        assert!(
            link.starts_with("http://localhost:9001?sessionId="),
            "{link}"
        );
        // The page's own phone and a phone on the command line open the link.
        let own = page.with("origin", &origin);
        let scanned = own
            .post("/playground/phones", &json!({"link": link}))
            .await
            .ok();
        assert_eq!(scanned["origin"], origin);
        let second = countersign(data.path(), &["phone", "open", link, "--confirm"]);
        let said = String::from_utf8_lossy(&second.stderr).into_owned();
        assert!(said.contains("(second_phone)"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_reach_this_machine_under_each_name() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--local-host", "devbox"]);
    let port = server.facts.url.strip_prefix("http://devbox:").unwrap();
    let (page, _) = under("localhost", port);
    let caller = page.with("x-api-key", &server.facts.api_key);
    let receiver = Receiver::start().await;
    let at = |name: &str| json!({"callbackUrl": receiver.url.replace("127.0.0.1", name)});
    let started = caller
        .post("/acquire-phone-number", &at("devbox"))
        .await
        .ok();
    let message = started["confirmationMessage"].as_str().unwrap();
    server.text("+12025550100", &server.facts.send_to, message);
    assert_eq!(
        receiver.next().await.json()["confirmationId"],
        started["confirmationId"]
    );
    let foreign = caller
        .post("/acquire-phone-number", &at("devbox.lan"))
        .await;
    assert_eq!(foreign.problem(422), "callback_url_not_https");
}

#[tokio::test(flavor = "multi_thread")]
async fn link_host_of_an_app_is_the_servers() {
    let data = data_dir();
    let server = Server::start(data.path());
    let port = server.facts.url.rsplit(':').next().unwrap();
    let ours = format!("localhost:{port}");
    let create = |host: &str| {
        let args = ["app", "create", "shop", "--link-host", host];
        countersign(data.path(), &args)
    };
    for host in ["localhost", "127.0.0.1", "localhost:1"] {
        let refused = create(host);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(&format!("give --link-host {ours}")), "{said}");
    }
    let created = create(&ours);
    assert!(created.status.success(), "{created:?}");

    // Now two apps have links with this host, and a link does not say to which app it belongs.
    let browser = Browser::open(&server).await;
    let opened = countersign(
        data.path(),
        &["phone", "open", &browser.url, "--confirm", "--payload=x"],
    );
    assert!(opened.status.success(), "{opened:?}");
    assert_eq!(browser.payload().await, "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn playground_is_found_at_its_folder() {
    let data = data_dir();
    let server = Server::start(data.path());
    for path in ["/playground", "/playground/"] {
        let answer = server.anyone().get(path).await;
        assert_eq!(answer.status, 303, "{path}");
        assert_eq!(answer.headers["location"], "/");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_server_is_known_by_its_last_port() {
    let data = data_dir();
    let server = Server::start(data.path());
    let facts: Value =
        serde_json::from_slice(&std::fs::read(data.path().join("demo.json")).unwrap()).unwrap();
    let pages = facts["pages"].as_array().unwrap();
    assert_eq!(pages[0], server.facts.url);
    assert!(server.terminate().success());
    let refused = countersign(
        data.path(),
        &["app", "create", "shop", "--link-host", "localhost"],
    );
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}
