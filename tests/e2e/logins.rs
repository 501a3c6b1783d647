//! Logins by QR code over the real server: browser, WebSocket, phone, and the app's own server.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{AssociationPrivateKey, ProofClaims};
use serde_json::json;

use crate::support::{
    Browser, ClosedReceiver, Phone, Receiver, Server, countersign, data_dir, unless_hung, until,
};

/// Close code of RFC 6455, section 7.4.1.
const GOING_AWAY: u16 = 1001;
const POLICY_VIOLATION: u16 = 1008;

const OTHER_RECEIPT: &str = "BBBBBBBBBBBBBBBBBBBBBA";

fn update(data: &std::path::Path, args: &[&str]) {
    let args: Vec<_> = ["app", "update", "demo"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let output = countersign(data, &args);
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_succeeds_end_to_end() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let port = server.facts.url.rsplit(':').next().unwrap();
    let link = format!("http://localhost:{port}?sessionId={}", browser.id);
    assert_eq!(browser.url, link);
    // The page that a browser shows at the link if the app is not installed.
    let there = server.anyone().with("host", &format!("localhost:{port}"));
    let landing = there.get(&format!("/?sessionId={}", browser.id)).await;
    assert_eq!(landing.status, 200);
    assert_eq!(landing.headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(landing.headers["referrer-policy"], "no-referrer");
    let mut socket = browser.watch().await;
    assert_eq!(browser.state().await, "created");

    let phone = Phone::new(&server, 1);
    let opened = phone.initiate(&browser.id, Some("zoe")).await.ok();
    assert_eq!(opened["origin"], server.facts.url);
    assert_eq!(opened["session"]["iPAddressWidget"], "127.0.0.1");
    assert_eq!(opened["session"]["iPAddressMobile"], "127.0.0.1");
    socket.notified().await;
    assert_eq!(browser.state().await, "scanned");

    let confirmation = browser.confirmation("the payload");
    let confirm = || phone.decide(&browser.id, "confirm", &confirmation);
    assert_eq!(confirm().await.ok(), json!(true));
    socket.notified().await;
    assert_eq!(browser.state().await, "confirmed");
    assert_eq!(browser.payload().await, "the payload");
    // Devices that lost an answer and repeat the request get the same answer again.
    assert_eq!(browser.payload().await, "the payload");
    assert_eq!(confirm().await.ok(), json!(true));
    let stolen = browser.redeem_with(OTHER_RECEIPT).await;
    assert_eq!(stolen.problem(409), "session_redeemed");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_without_a_key_succeeds_if_the_app_allows_it() {
    let data = data_dir();
    let server = Server::start(data.path());
    update(data.path(), &["--payload-encryption", "optional"]);
    let browser = Browser::open_plain(&server).await;
    assert!(browser.id.starts_with("qrp_"), "{}", browser.id);
    let phone = Phone::new(&server, 1);
    phone.initiate(&browser.id, None).await.ok();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let key = AssociationPrivateKey::from_bytes(&[7; 32]).unwrap();
    let proof = key.sign_proof(&ProofClaims {
        app: &server.facts.app_key.parse().unwrap(),
        origin: &server.facts.url.parse().unwrap(),
        login: browser.id.parse().unwrap(),
        user: None,
        context: None,
        payload: "the payload",
        salt: &[0; 16],
        at: Timestamp::from_millis(u64::try_from(now.as_millis()).unwrap()),
    });
    let confirmation = json!({
        "payload": "the payload",
        "salt": "AAAAAAAAAAAAAAAAAAAAAA",
        "proof": proof.unwrap(),
    });
    let confirmed = phone.decide(&browser.id, "confirm", &confirmation).await;
    assert_eq!(confirmed.ok(), json!(true));
    let mut redeemed = browser.redeem().await.ok();
    assert_eq!(redeemed["encrypted"].take(), false);
    redeemed.as_object_mut().unwrap().remove("encrypted");
    assert_eq!(redeemed, confirmation);
    assert_eq!(browser.redeem().await.problem(409), "session_redeemed");
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_whose_answer_was_lost_creates_the_same_login() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let again = browser.open_again(&server, &browser.token).await.ok();
    assert_eq!(again["url"], browser.url);
    let stranger = "A".repeat(43);
    let taken = browser.open_again(&server, &stranger).await;
    assert_eq!(taken.problem(409), "session_exists");
    server.kill();

    let server = Server::start(data.path());
    let browser = browser.at(&server);
    assert_eq!(browser.state().await, "created");
    let phone = Phone::new(&server, 1);
    phone.initiate(&browser.id, None).await.ok();
    let refusal = json!({"payload": "", "reason": "key_mismatch"});
    phone.decide(&browser.id, "deny", &refusal).await.ok();
    assert_eq!(browser.state().await, "blocked");
}

#[tokio::test(flavor = "multi_thread")]
async fn phone_watches_the_login_that_it_opened() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let phone = Phone::new(&server, 1);
    let mut early = browser.watch_with(&phone.token).await;
    assert_eq!(early.closed().await, POLICY_VIOLATION);
    phone.initiate(&browser.id, None).await.ok();
    let mut socket = browser.watch_with(&phone.token).await;
    socket.notified().await;
    assert_eq!(phone.state(&browser.id).await, "scanned");
    browser.cancel().await;
    socket.notified().await;
    assert_eq!(phone.state(&browser.id).await, "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_survives_a_killed_server() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (one, two) = (Browser::open(&server).await, Browser::open(&server).await);
    let phone = Phone::new(&server, 1);
    phone.initiate(&one.id, None).await.ok();
    phone.confirm(&one, "kept").await;
    server.kill();

    let server = Server::start(data.path());
    let (one, two) = (one.at(&server), two.at(&server));
    assert_eq!(one.payload().await, "kept");
    let mut socket = two.watch().await;
    let phone = Phone::new(&server, 2);
    phone.initiate(&two.id, None).await.ok();
    socket.notified().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_without_the_right_token_is_closed() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (browser, other) = (Browser::open(&server).await, Browser::open(&server).await);
    let mut forged = browser.watch_with(&other.token).await;
    assert_eq!(forged.closed().await, POLICY_VIOLATION);
    let mut talkative = browser.watch().await;
    talkative.send_text("more").await;
    assert_eq!(talkative.closed().await, POLICY_VIOLATION);
    let mut watching = browser.watch().await;
    let plain = server.anyone().get("/qr-socket").await;
    assert_eq!(plain.problem(404), "not_found");
    let stopped = std::thread::spawn(move || server.terminate());
    assert_eq!(watching.closed().await, GOING_AWAY);
    assert!(stopped.join().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn change_of_an_app_applies_immediately() {
    let data = data_dir();
    let server = Server::start(data.path());
    let shop = "https://shop.example";
    let refused = Browser::try_open(&server, shop).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    update(
        data.path(),
        &["--origin", shop, "--link-host", "login.shop.example"],
    );
    let created = Browser::try_open(&server, shop).await;
    assert_eq!(created.headers["access-control-allow-origin"], shop);
    let created = created.ok();
    let id = created["sessionId"].as_str().unwrap();
    let link = format!("https://login.shop.example?sessionId={id}");
    assert_eq!(created["url"], link);
}

#[tokio::test(flavor = "multi_thread")]
async fn login_of_a_page_that_was_removed_ends() {
    let data = data_dir();
    let server = Server::start(data.path());
    let [scanned, confirmed] = [Browser::open(&server).await, Browser::open(&server).await];
    let phone = Phone::new(&server, 1);
    for browser in [&scanned, &confirmed] {
        phone.initiate(&browser.id, None).await.ok();
    }
    let confirmation = confirmed.confirmation("yes");
    phone
        .decide(&confirmed.id, "confirm", &confirmation)
        .await
        .ok();
    update(data.path(), &["--remove-origin", &server.facts.url]);
    let confirmation = scanned.confirmation("yes");
    let late = phone.decide(&scanned.id, "confirm", &confirmation).await;
    assert_eq!(late.problem(409), "session_cancelled");
    let redeemed = confirmed.redeem().await;
    assert_eq!(redeemed.problem(409), "session_cancelled");
    for browser in [&scanned, &confirmed] {
        assert_eq!(browser.state().await, "cancelled");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn app_gets_login_webhooks() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    update(data.path(), &["--login-callback", &receiver.url]);
    update(data.path(), &["--payload-encryption", "optional"]);
    let (sealed, plain) = (
        Browser::open(&server).await,
        Browser::open_plain(&server).await,
    );
    let other = Browser::open(&server).await;
    let denial = json!({"payload": "not me"});
    let cases = [
        (sealed.confirmation("yes"), "confirm", &sealed, None),
        (plain.confirmation("yes"), "confirm", &plain, Some("yes")),
        (denial, "deny", &other, Some("not me")),
    ];
    for (seed, (body, decision, browser, payload)) in (1..).zip(cases) {
        let phone = Phone::new(&server, seed);
        phone.initiate(&browser.id, Some("zoe")).await.ok();
        phone.decide(&browser.id, decision, &body).await.ok();
        let webhook = receiver.next().await;
        webhook.verify(&server.anyone()).await;
        let told = webhook.json();
        let result = if decision == "confirm" {
            "confirmed"
        } else {
            "denied"
        };
        assert_eq!(told["event"], format!("login.{result}"));
        assert_eq!(told["result"], result);
        assert_eq!(told["sessionId"], browser.id.as_str());
        assert_eq!(told["claimedPublicUserId"], "zoe");
        assert_eq!(
            told.get("payload").map(|text| text.as_str().unwrap()),
            payload
        );
        assert!(told["timestamp"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_login_webhook_is_delivered_after_a_restart() {
    let data = data_dir();
    let server = Server::start(data.path());
    // The webhook stays pending while this is closed.
    let closed = ClosedReceiver::new();
    update(data.path(), &["--login-callback", &closed.url]);
    let browser = Browser::open(&server).await;
    let phone = Phone::new(&server, 1);
    phone.initiate(&browser.id, None).await.ok();
    phone.confirm(&browser, "yes").await;
    server.kill();

    let receiver = closed.open();
    let server = Server::start(data.path());
    let webhook = receiver.next().await;
    assert_eq!(webhook.json()["sessionId"], browser.id.as_str());
    webhook.verify(&server.anyone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_holds_no_token_payload_or_user_of_a_login() {
    let data = data_dir();
    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let mut socket = browser.watch().await;
    let phone = Phone::new(&server, 7);
    let user = "zoe-the-public-user";
    phone.initiate(&browser.id, Some(user)).await.ok();
    socket.notified().await;
    phone.confirm(&browser, "payload-secret").await;
    browser.payload().await;
    let count = countersign(data.path(), &["metrics", "--json"]);
    let count = String::from_utf8(count.stdout).unwrap();
    assert!(count.contains("qr_redeemed"), "{count}");
    assert!(server.terminate().success());
    let log = fs::read_to_string(Server::log_of(data.path())).unwrap();
    assert!(log.contains(&browser.id), "the log names the login");
    let phones = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
    for secret in [browser.token.as_str(), phones, "payload-secret", user] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_phone_logs_in() {
    let data = data_dir();
    let server = Server::start(data.path());
    for (flag, state) in [("--confirm", "confirmed"), ("--deny", "denied")] {
        let browser = Browser::open(&server).await;
        let mut socket = browser.watch().await;
        let args = [
            "phone",
            "open",
            &browser.url,
            flag,
            "--payload",
            "from the phone",
        ];
        let output = countersign(data.path(), &args);
        assert!(output.status.success(), "{output:?}");
        socket.notified().await;
        let reached = until("the decision", async || {
            let now = browser.state().await;
            (now == state).then_some(now)
        });
        unless_hung("the decision", reached).await;
        if flag == "--confirm" {
            assert_eq!(browser.payload().await, "from the phone");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn public_server_serves_the_links_of_each_host() {
    let data = data_dir();
    let local = Server::start(data.path());
    let fingerprint = ["AB"; 32].join(":");
    update(
        data.path(),
        &[
            "--link-host",
            "login.shop.example",
            "--android",
            &format!("com.shop.app={fingerprint}"),
            "--ios",
            "ABCDE12345.com.shop.app",
        ],
    );
    let facts = local.facts.clone();
    assert!(local.terminate().success());
    let public = ["--public-url", "https://countersign.example"];
    let server = Server::start_public(data.path(), &public, &facts);
    let at = |host: &str| server.anyone().with("host", host);
    let shop = at("login.shop.example");

    let android = shop.get("/.well-known/assetlinks.json").await;
    assert_eq!(android.headers["content-type"], "application/json");
    let target = &android.ok()[0]["target"];
    assert_eq!(target["package_name"], "com.shop.app");
    assert_eq!(target["sha256_cert_fingerprints"], json!([fingerprint]));
    let ios = shop.get("/.well-known/apple-app-site-association").await;
    assert_eq!(ios.headers["content-type"], "application/json");
    let apps = &ios.ok()["applinks"]["details"][0]["appIDs"];
    assert_eq!(apps, &json!(["ABCDE12345.com.shop.app"]));
    let page = shop.get("/?sessionId=qrs_01010101010101010101010101010101");
    let page = page.await;
    assert_eq!(page.status, 200);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");

    let other = at("other.example");
    for path in ["/", "/.well-known/assetlinks.json"] {
        assert_eq!(other.get(path).await.problem(404), "not_found", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_trusted_proxies_set_the_phones_address() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--trusted-proxy", "127.0.0.0/8"]);
    let browser = Browser::open(&server).await;
    let phone = Phone::new(&server, 1).from("203.0.113.7");
    let opened = phone.initiate(&browser.id, None).await.ok();
    assert_eq!(opened["session"]["iPAddressMobile"], "203.0.113.7");
    drop(server);

    let server = Server::start(data.path());
    let browser = Browser::open(&server).await;
    let phone = Phone::new(&server, 1).from("203.0.113.7");
    let opened = phone.initiate(&browser.id, None).await.ok();
    assert_eq!(opened["session"]["iPAddressMobile"], "127.0.0.1");
}

#[tokio::test(flavor = "multi_thread")]
async fn link_opened_in_a_browser_shows_an_explanation_instead_of_the_playground() {
    let data = data_dir();
    let server = Server::start(data.path());
    let port = server.facts.url.rsplit(':').next().unwrap();
    let anyone = server.anyone();
    let host = format!("http://localhost:{port}");
    let page = anyone.get(&format!("{host}/?sessionId=qrs_1")).await;
    assert_eq!(page.status, 200);
    let explained = String::from_utf8_lossy(&page.body).into_owned();
    assert!(explained.contains("Open this link"), "{explained}");
    let playground = anyone.get(&format!("{host}/")).await;
    assert_eq!(playground.status, 200);
    assert_ne!(playground.body, page.body);
    // Links have the host `localhost`, so other hosts show no page for them.
    let other = anyone.get("/?sessionId=qrs_1").await;
    assert_eq!(other.problem(404), "not_found");
}
