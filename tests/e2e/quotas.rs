//! Quotas of one app, with a real disk and across restarts.

use serde_json::json;

use crate::support::{Browser, Phone, Receiver, Server, countersign, data_dir};

async fn begin(server: &Server) -> crate::support::Answer {
    let request = json!({"callbackUrl": "http://127.0.0.1:9/"});
    server
        .caller()
        .post("/acquire-phone-number", &request)
        .await
}

fn update(server: &Server, data: &std::path::Path, args: &[&str]) {
    assert!(server.facts.url.starts_with("http"));
    let output = countersign(data, &[&["app", "update", "demo"], args].concat());
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn app_at_its_quota_is_refused_and_what_it_started_is_delivered() {
    let data = data_dir();
    let server = Server::start(data.path());
    update(&server, data.path(), &["--max-open-confirmations", "10"]);
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let begun = futures_util::future::join_all((0..64).map(|_| begin(&server))).await;
    let of = |status| begun.iter().filter(|a| a.status == status).count();
    assert_eq!((of(200), of(429)), (9, 55));
    let refused = begun.iter().find(|a| a.status == 429).unwrap();
    assert_eq!(refused.problem(429), "app_open_exceeded");
    let wait: u64 = refused.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=300).contains(&wait), "{wait}");

    // After a restart, the server counts the open confirmations on disk and gets the same number.
    let facts = server.facts.clone();
    server.kill();
    let server = Server::start(data.path());
    assert_eq!(begin(&server).await.problem(429), "app_open_exceeded");
    server.text("+12025550100", &facts.send_to, &message);
    server.delivered(&id).await;
    assert_eq!(
        begin(&server).await.status,
        200,
        "the verified confirmation made room"
    );
    assert_eq!(begin(&server).await.problem(429), "app_open_exceeded");
}

#[tokio::test]
async fn rate_is_counted_separately_per_app_and_for_confirmations_and_logins() {
    let data = data_dir();
    let server = Server::start(data.path());
    let rates = [
        ["--max-confirmations-per-minute", "1"],
        ["--max-confirmation-burst", "3"],
        ["--max-logins-per-minute", "1"],
        ["--max-login-burst", "2"],
    ];
    update(&server, data.path(), &rates.concat());
    for _ in 0..3 {
        assert_eq!(begin(&server).await.status, 200);
    }
    let refused = begin(&server).await;
    assert_eq!(refused.problem(429), "app_rate_exceeded");
    let login = Browser::open(&server).await;
    Browser::open(&server).await;
    let refused = Browser::try_open(&server, &server.facts.url).await;
    assert_eq!(refused.problem(429), "app_rate_exceeded");
    let phone = Phone::new(&server, 1);
    phone.initiate(&login.id, None).await.ok();
    phone.confirm(&login, "yes").await;
    assert_eq!(login.payload().await, "yes");

    let create = [
        "app",
        "create",
        "other",
        "--sender",
        "+12025550111",
        "--json",
    ];
    let other: serde_json::Value =
        serde_json::from_slice(&countersign(data.path(), &create).stdout).unwrap();
    let caller = server
        .anyone()
        .with("x-api-key", other["apiKey"].as_str().unwrap());
    let request = json!({"callbackUrl": "http://127.0.0.1:9/"});
    caller.post("/acquire-phone-number", &request).await.ok();
}

#[tokio::test]
async fn lists_beyond_the_quota_are_refused_and_the_command_waits() {
    let data = data_dir();
    let server = Server::start(data.path());
    let limits = ["--max-lists-per-minute", "60", "--max-list-burst", "1"];
    update(&server, data.path(), &limits);
    let begun = begin(&server).await.ok();
    let caller = server.caller();
    let page = caller.get("/confirmations").await.ok();
    assert_eq!(
        page["confirmations"][0]["confirmationId"],
        begun["confirmationId"]
    );
    // The rate allows another one within a second.
    let refused = loop {
        let answer = caller.get("/confirmations").await;
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!(refused.problem(429), "app_lists_exceeded");
    assert_eq!(refused.headers["retry-after"], "1");
    begin(&server).await.ok();
    let listed = countersign(data.path(), &["confirmations", "list", "--json"]);
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), 2, "{listed}");
}
