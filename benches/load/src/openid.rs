//! The `OpenID` provider: what strangers cost who only open its page, and the time of a login beside the plain flow's.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::acquire;
use crate::client::Client;
use crate::empty::Answer;
use crate::figures::{Throughput, Times, mebibytes, millis};
use crate::pace;
use crate::server::{Limits, Server};
use crate::webhook::{self, Signer};

/// Number of connections over which strangers open the page.
const STRANGERS: usize = 64;

/// Rates, in logins a second, at which logins are measured.
const RATES: [u32; 2] = [10, 50];

/// Numbers that log in by turns: most logins find a subject.
const NUMBERS: usize = 100;

const CALLBACK: &str = "https://site.example/callback";

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Opens the page `opened` times, and measures logins.
pub(crate) async fn measure(binary: &Path, opened: usize, duration: Duration) {
    let folder = crate::disk::folder();
    let server = Server::start(binary, folder.path(), Limits::Lifted).await;
    let site = Site::create(binary, folder.path(), &server).await;
    strangers(&server, &site, folder.path(), opened).await;
    for rate in RATES {
        println!("logins with the OpenID provider, {rate} a second:");
        logins(&server, &site, rate, duration).await;
    }
    beside_strangers(&server, &site, duration).await;
    server.stop().await;
}

/// A client of the provider.
#[derive(Clone)]
struct Site {
    id: String,
    secret: String,
    /// The authorization request.
    request: String,
}

impl Site {
    async fn create(binary: &Path, data: &Path, server: &Server) -> Self {
        let run = async |words: &[&str]| {
            let mut command = Command::new(binary);
            command.args(words).arg("--json").arg("--data").arg(data);
            let output = command.output().await.unwrap();
            assert!(output.status.success(), "{words:?}: {output:?}");
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        run(&["app", "create", "site", "--sender", &server.send_to]).await;
        run(&["app", "update", "site", "--add-redirect-uri", CALLBACK]).await;
        let issued = run(&["openid", "issue-secret", "site"]).await;
        let id = text(&issued, "clientId");
        let request = format!(
            "/authorize?client_id={id}&redirect_uri={CALLBACK}&response_type=code&state=0123456789abcdef\
             &scope=openid+phone&code_challenge={CHALLENGE}&code_challenge_method=S256"
        );
        Self {
            secret: text(&issued, "clientSecret"),
            id,
            request,
        }
    }
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap().to_owned()
}

fn json(answer: &Answer) -> Value {
    assert_eq!(answer.status, StatusCode::OK, "{:?}", answer.body);
    serde_json::from_slice(&answer.body).unwrap()
}

/// Opens the page `count` times without going on.
#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
async fn strangers(server: &Server, site: &Site, data: &Path, count: usize) {
    let (stored, memory, used) = (store_size(data), server.memory(), server.processor_time());
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    let connections = STRANGERS.min(count);
    for number in 0..connections {
        let mut client = Client::connect(&server.authority).await;
        let request = site.request.clone();
        let share = count / connections + usize::from(number < count % connections);
        tasks.spawn(async move {
            let mut times = Vec::with_capacity(share);
            for _ in 0..share {
                let sent = Instant::now();
                let page = client.get(&request, &[]).await;
                assert_eq!(page.status, StatusCode::OK);
                times.push(sent.elapsed());
            }
            times
        });
    }
    let times = tasks.join_all().await.into_iter().flatten().collect();
    let Throughput { rate, times } = Throughput::new(times, began.elapsed());
    let (after, used) = (
        server.memory(),
        server.processor_time().saturating_sub(used),
    );
    println!("strangers open /authorize {count} times over {connections} connections:");
    println!("  {rate:.0} pages a second: {times}");
    println!(
        "  processor time: {:.2} ms a page",
        millis(used) / count as f64
    );
    println!(
        "  resident memory: {:.1} MiB before, {:.1} MiB after",
        memory.now, after.now
    );
    println!(
        "  the store grew by {:.2} MiB",
        mebibytes(store_size(data).saturating_sub(stored))
    );
}

/// Measures logins while strangers open the page without a pause.
async fn beside_strangers(server: &Server, site: &Site, duration: Duration) {
    let stopped = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    for _ in 0..STRANGERS {
        let mut client = Client::connect(&server.authority).await;
        let (stopped, request) = (Arc::clone(&stopped), site.request.clone());
        tasks.spawn(async move {
            while !stopped.load(Ordering::Relaxed) {
                let page = client.get(&request, &[]).await;
                assert_eq!(page.status, StatusCode::OK);
            }
        });
    }
    let [rate, _] = RATES;
    println!("logins beside strangers on {STRANGERS} connections, {rate} a second:");
    logins(server, site, rate, duration).await;
    stopped.store(true, Ordering::Relaxed);
    tasks.join_all().await;
}

/// Returns the size of the store's files, the log of its transactions included.
fn store_size(data: &Path) -> u64 {
    let files = std::fs::read_dir(data).unwrap().map(Result::unwrap);
    let store = files.filter(|file| {
        let name = file.file_name();
        name.to_string_lossy().starts_with("countersign.db")
    });
    store.map(|file| file.metadata().unwrap().len()).sum()
}

/// The steps of a login, each from a request to its answer.
#[derive(Clone, Copy)]
enum Step {
    Page,
    Begin,
    Text,
    Finish,
    Token,
    UserInfo,
    Whole,
    /// The same text for the app's own flow: begin, text, status.
    Plain,
}

const STEPS: [(Step, &str); 8] = [
    (Step::Page, "the page"),
    (Step::Begin, "begin"),
    (Step::Text, "the text"),
    (Step::Finish, "the code"),
    (Step::Token, "the token"),
    (Step::UserInfo, "/userinfo"),
    (Step::Whole, "a login, all six"),
    (Step::Plain, "the plain flow, three requests"),
];

/// Starts `rate` logins a second at even intervals, each beside a confirmation of the plain flow.
async fn logins(server: &Server, site: &Site, rate: u32, duration: Duration) {
    let signer = Signer::new(server);
    let count = pace::within(rate, duration);
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate);
    let mut tasks = JoinSet::new();
    for number in 0..count {
        ticks.tick().await;
        let from = format!("+120255501{:02}", number % NUMBERS);
        let (site, signer) = (site.clone(), signer.clone());
        let (authority, api_key) = (server.authority.clone(), server.api_key.clone());
        tasks.spawn(async move {
            let mut times = login(&authority, &site, &signer, &from).await;
            times.push(plain(&authority, &api_key, &signer, &from).await);
            times
        });
    }
    let times: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    for (step, name) in STEPS {
        let of_step = times.iter().filter(|(of, _)| *of as u8 == step as u8);
        println!(
            "  {name}: {}",
            Times::new(of_step.map(|(_, time)| *time).collect())
        );
    }
}

/// Logs in, and returns the time of each step.
async fn login(authority: &str, site: &Site, signer: &Signer, from: &str) -> Vec<(Step, Duration)> {
    let mut times = Vec::new();
    let mut browser = Client::connect(authority).await;
    let mut server = Client::connect(authority).await;
    let mut provider = Client::connect(authority).await;
    let began = Instant::now();
    let mut before = began;
    let mut done = |step| {
        let now = Instant::now();
        times.push((step, now - before));
        before = now;
    };

    let page = browser.get(&site.request, &[]).await;
    assert_eq!(page.status, StatusCode::OK);
    done(Step::Page);
    let cookie = page.headers["set-cookie"].to_str().unwrap();
    let origin = format!("http://{authority}");
    let headers = [
        ("cookie", cookie.split(';').next().unwrap()),
        ("origin", origin.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let html = std::str::from_utf8(&page.body).unwrap();
    let (_, rest) = html.split_once("data-request=\"").unwrap();
    let request = json!({ "request": rest.split('"').next().unwrap() }).to_string();
    let started = browser
        .post("/authorize/text", &headers, request.clone())
        .await;
    let started = json(&started);
    done(Step::Begin);
    let (id, message) = (
        text(&started, "confirmationId"),
        text(&started, "confirmationMessage"),
    );
    let sent = webhook::send(&mut provider, &signer.sign(id, from, &message)).await;
    assert!(sent.status.is_success(), "{sent:?}");
    done(Step::Text);
    let finished = browser.post("/authorize/finish", &headers, request).await;
    let location = text(&json(&finished), "location");
    done(Step::Finish);
    let (_, code) = location.split_once("code=").unwrap();
    let code = code.split('&').next().unwrap();
    let (client, secret) = (&site.id, &site.secret);
    let form = format!(
        "grant_type=authorization_code&client_id={client}&client_secret={secret}&code={code}\
         &redirect_uri={CALLBACK}&code_verifier={VERIFIER}"
    );
    let tokens = json(&server.form("/token", form).await);
    done(Step::Token);
    let bearer = format!("Bearer {}", text(&tokens, "access_token"));
    let info = server.get("/userinfo", &[("authorization", &bearer)]).await;
    assert_eq!(json(&info)["phone_number"], from);
    done(Step::UserInfo);
    times.push((Step::Whole, began.elapsed()));
    times
}

/// Acquires a number with the app's own API key, and returns the time.
async fn plain(authority: &str, key: &str, signer: &Signer, from: &str) -> (Step, Duration) {
    let mut server = Client::connect(authority).await;
    let mut provider = Client::connect(authority).await;
    let headers = [("x-api-key", key)];
    let began = Instant::now();
    let body = acquire::body("http://127.0.0.1:9/hook");
    let started = json(&server.post(acquire::PATH, &headers, body).await);
    let id = text(&started, "confirmationId");
    let message = text(&started, "confirmationMessage");
    let sent = signer.sign(id.clone(), from, &message);
    assert!(
        webhook::send(&mut provider, &sent)
            .await
            .status
            .is_success()
    );
    let path = format!("/confirmations/{id}");
    let status = json(&server.get(&path, &headers).await);
    assert_eq!(status["phoneNumber"], from);
    (Step::Plain, began.elapsed())
}
