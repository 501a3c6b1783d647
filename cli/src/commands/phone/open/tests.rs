mod proofs;
mod words;

use std::collections::BTreeSet;

use axum::http::StatusCode;
use clap::Parser as _;
use countersign_conformance::ports::SetClock;
use countersign_domain::login::{BrowserPublicKey, ClaimedUserId, LoginLink};
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use countersign_domain::web::link_host::LinkHost;
use countersign_sealing::BrowserPrivateKey;
use serde_json::{Value, json};

use super::*;
use crate::admin::apps::{CreateApp, NewApp};
use crate::args::{AppArgs, AppCommand, Cli, Decision, PhoneCommand, Subcommand};
use crate::data_dir::{DEMO, DataDir};
use crate::phone::fake_service::{APP_KEY, AnswerFate, FakeService, ORIGIN};
use crate::storage::{self, IfMissing};

/// A directory without data.
const NOWHERE: &str = "/nonexistent/countersign";

/// Returns a phone with these keys, whose clock shows the service's time.
fn at_service_time(keys: Arc<dyn AssociationKeys>) -> PhoneParts {
    let clock = Arc::new(SetClock::default());
    PhoneParts { keys, clock }
}

fn args(words: &[&str]) -> OpenArgs {
    let line = ["countersign", "phone", "open"];
    let cli = Cli::try_parse_from(line.iter().chain(words)).unwrap();
    match cli.command {
        Subcommand::Phone(phone) => match phone.command {
            PhoneCommand::Open(open) => open,
            PhoneCommand::Text(_) | PhoneCommand::Keys(_) => panic!("another command"),
        },
        other => panic!("{other:?}"),
    }
}

fn create_app(line: &str) -> CreateApp {
    let command = Cli::try_parse_from(line.split(' ')).unwrap().command;
    let Subcommand::App(AppArgs {
        command: AppCommand::Create(request),
        ..
    }) = command
    else {
        panic!("another command")
    };
    request
}

/// The command's output.
#[derive(Default)]
struct Printed {
    out: Vec<String>,
    err: Vec<String>,
}

/// Runs the command against a service; `typed` is the user's input, `None` without a terminal.
async fn run_before(
    typed: Option<&str>,
    printed: &mut Printed,
    words: &[&str],
) -> Result<ExitCode, Failure> {
    let mut input = typed.unwrap_or_default().as_bytes();
    let person = Person {
        input: typed.is_some().then_some(&mut input),
        print: &mut |text| {
            printed.out.push(text.to_owned());
            Ok(())
        },
        complain: &mut |text| printed.err.push(text.to_owned()),
    };
    let keys = Arc::new(super::super::keys::at(Path::new(NOWHERE)));
    open_before(
        person,
        Path::new(NOWHERE),
        at_service_time(keys),
        &args(words),
    )
    .await
}

fn link(service: &FakeService) -> String {
    format!("https://login.shop.example?sessionId={}", service.id)
}

/// Runs the command against a service, without a terminal.
async fn run(service: &FakeService, url: &str, more: &[&str]) -> Result<ExitCode, Failure> {
    let link = link(service);
    let usual = [&link, "--service", url, "--app-key", APP_KEY];
    run_before(None, &mut Printed::default(), &[&usual, more].concat()).await
}

fn complaint(result: Result<ExitCode, Failure>) -> String {
    result.unwrap_err().to_string()
}

#[tokio::test]
async fn confirmation_reaches_the_browser_whose_key_the_id_vouches_for() {
    let (url, service) = FakeService::new().start().await;
    let more = [
        "--confirm",
        "--payload",
        "a token",
        "--public-user-id",
        "zoe",
    ];
    let code = run(&service, &url, &more).await.unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    let calls = service.calls();
    assert_eq!(service.routes(), ["initiate", "confirm"]);
    assert_eq!(calls[0].body, json!({ "publicUserId": "zoe" }));
    assert_eq!(calls[0].token.len(), 43);
    assert_eq!(calls[1].token, calls[0].token);
    assert_eq!(service.opened(&calls[1].body), "a token");
}

#[tokio::test]
async fn default_payload_holds_the_time() {
    let (url, service) = FakeService::new().start().await;
    run(&service, &url, &["--confirm"]).await.unwrap();
    let calls = service.calls();
    assert_eq!(calls[0].body, json!({}));
    let payload: Value = serde_json::from_str(&service.opened(&calls[1].body)).unwrap();
    let names: Vec<_> = payload.as_object().unwrap().keys().collect();
    assert_eq!(names, ["timestamp"]);
}

#[tokio::test]
async fn denial_is_empty_unless_a_payload_was_given_for_it() {
    for (more, payload) in [
        (&["--deny"][..], ""),
        (&["--deny", "--payload", "not me"], "not me"),
    ] {
        let (url, service) = FakeService::new().start().await;
        run(&service, &url, more).await.unwrap();
        assert_eq!(service.routes(), ["initiate", "deny"]);
        assert_eq!(service.calls()[1].body, json!({ "payload": payload }));
    }
}

#[tokio::test]
async fn link_without_a_browser_key_needs_a_flag() {
    let (url, service) = FakeService::plain().start().await;
    let more = ["--confirm", "--payload", "a token"];
    let refused = complaint(run(&service, &url, &more).await);
    assert!(refused.contains("--allow-unencrypted"), "{refused}");
    assert_eq!(service.routes(), Vec::<String>::new());
    let more = [&more[..], &["--allow-unencrypted"]].concat();
    run(&service, &url, &more).await.unwrap();
    assert_eq!(service.calls()[1].body, json!({ "payload": "a token" }));
}

/// Expects the phone to stop, to send no payload, and to report the reason to the service.
async fn assert_stops(service: FakeService) {
    let (url, service) = service.start().await;
    let more = ["--confirm", "--payload", "a token", "--allow-unencrypted"];
    let refused = complaint(run(&service, &url, &more).await);
    assert!(refused.contains("payload was not sent"), "{refused}");
    assert_eq!(service.routes(), ["initiate", "deny"]);
    let denial = json!({ "payload": "", "reason": "key_mismatch" });
    assert_eq!(service.calls()[1].body, denial);
}

#[tokio::test]
async fn service_that_names_another_key_page_or_context_is_stopped() {
    let stranger = BrowserPrivateKey::generate(&OsEntropy)
        .public_key()
        .unwrap();
    for handed_out in [
        None,
        Some(stranger.to_string()),
        Some("nonsense".to_owned()),
    ] {
        let mut service = FakeService::new();
        service.handed_out = handed_out;
        assert_stops(service).await;
    }
    let mut service = FakeService::new();
    service.origin = "https://evil.example";
    assert_stops(service).await;
    let mut service = FakeService::new();
    service.context = Some("Pay 20 EUR to Mallory");
    assert_stops(service).await;
    let mut service = FakeService::plain();
    service.handed_out = Some(stranger.to_string());
    assert_stops(service).await;
    // The id of a login without a key does not commit to a context.
    let mut service = FakeService::plain();
    service.context = Some("Pay 20 EUR");
    assert_stops(service).await;
}

/// An attacker can compute the id of a login with any text.
#[tokio::test]
async fn context_that_screens_show_differently_is_stopped() {
    for text in [
        "Pay \u{202e}02 EUR",
        "Pay 20 EUR\rPay 2",
        "",
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm",
    ] {
        let mut service = FakeService::new();
        service.set_context(text);
        assert_stops(service).await;
    }
}

#[tokio::test]
async fn service_of_another_app_is_stopped() {
    let (url, service) = FakeService::new().start().await;
    service.takes_any_app();
    let link = link(&service);
    let other = "cs_app_0000000000000000000002";
    let words = [&link, "--service", &url, "--app-key", other, "--confirm"];
    let refused = complaint(run_before(None, &mut Printed::default(), &words).await);
    assert!(refused.contains("payload was not sent"), "{refused}");
    assert_eq!(service.routes(), ["initiate", "deny"]);
}

#[tokio::test]
async fn phone_stops_even_if_the_service_refuses_the_denial() {
    let mut service = FakeService::new()
        .fate(AnswerFate::Arrives)
        .fate(AnswerFate::Lost);
    service.handed_out = None;
    let service = service.fate(AnswerFate::Replaced(StatusCode::OK, json!(false)));
    let (url, service) = service.start().await;
    let refused = complaint(run(&service, &url, &["--confirm"]).await);
    assert!(
        refused.contains("did not return the browser's key"),
        "{refused}"
    );
    assert_eq!(service.routes(), ["initiate", "deny", "deny"]);
}

#[tokio::test]
async fn key_off_the_curve_gets_nothing() {
    let mut bytes = *FakeService::new().key().as_bytes();
    bytes[64] ^= 1;
    let off = BrowserPublicKey::from_bytes(bytes).unwrap();
    let (url, service) = FakeService::with_key(&off).start().await;
    let refused = complaint(run(&service, &url, &["--confirm"]).await);
    assert!(refused.contains("curve"), "{refused}");
    assert_eq!(service.routes(), ["initiate"]);
}

#[tokio::test]
async fn lost_answer_repeats_the_same_request_once() {
    for (fates, decision, routes) in [
        (
            vec![AnswerFate::Lost],
            "--confirm",
            vec!["initiate", "initiate", "confirm"],
        ),
        (
            vec![AnswerFate::Arrives, AnswerFate::Lost],
            "--confirm",
            vec!["initiate", "confirm", "confirm"],
        ),
        (
            vec![AnswerFate::Arrives, AnswerFate::Lost],
            "--deny",
            vec!["initiate", "deny", "deny"],
        ),
    ] {
        let service = fates
            .into_iter()
            .fold(FakeService::new(), FakeService::fate);
        let (url, service) = service.start().await;
        run(&service, &url, &[decision]).await.unwrap();
        assert_eq!(service.routes(), routes);
        let calls = service.calls();
        let distinct: BTreeSet<_> = calls.iter().map(|call| call.body.to_string()).collect();
        assert_eq!(distinct.len(), 2, "the repeated request is identical");
        assert!(calls.iter().all(|call| call.token == calls[0].token));
    }
}

#[tokio::test]
async fn answer_lost_twice_is_a_failure() {
    let service = FakeService::new()
        .fate(AnswerFate::Lost)
        .fate(AnswerFate::Lost);
    let (url, service) = service.start().await;
    let failed = run(&service, &url, &["--confirm"]).await;
    assert!(failed.is_err());
    assert_eq!(service.routes(), ["initiate", "initiate"]);
}

#[tokio::test]
async fn problem_is_printed_with_its_code_and_ends_the_command() {
    let problem = json!({
        "title": "Another phone opened this code",
        "detail": "Have the page show a new one.\u{7}",
        "code": "session_blocked",
    });
    let service = FakeService::new().fate(AnswerFate::Replaced(StatusCode::CONFLICT, problem));
    let (url, service) = service.start().await;
    let refused = complaint(run(&service, &url, &["--confirm"]).await);
    let expected = format!(
        "the login cannot be opened: Another phone opened this code. Have the page show a new \
         one.\u{fffd} (session_blocked), see {url}/problems/session_blocked"
    );
    assert_eq!(refused, expected);
    assert_eq!(service.routes(), ["initiate"]);

    let problem = json!({ "title": "The risk is too high", "code": "risk_denied" });
    let service = FakeService::new()
        .fate(AnswerFate::Arrives)
        .fate(AnswerFate::Replaced(StatusCode::FORBIDDEN, problem));
    let (url, service) = service.start().await;
    let refused = complaint(run(&service, &url, &["--confirm"]).await);
    let expected = format!(
        "the login is not confirmed: The risk is too high (risk_denied), see {url}/problems/risk_denied"
    );
    assert_eq!(refused, expected);
}

#[tokio::test]
async fn other_services_are_recognised() {
    for (status, body) in [
        (StatusCode::NOT_FOUND, json!("not found")),
        (StatusCode::OK, json!({ "hello": "world" })),
        (StatusCode::FOUND, json!({})),
        (StatusCode::OK, json!("x".repeat(100_000))),
    ] {
        let service = FakeService::new().fate(AnswerFate::Replaced(status, body));
        let (url, service) = service.start().await;
        let refused = complaint(run(&service, &url, &["--confirm"]).await);
        assert!(refused.contains("Countersign"), "{refused}");
        assert_eq!(service.routes(), ["initiate"]);
    }
    let service = FakeService::new()
        .fate(AnswerFate::Arrives)
        .fate(AnswerFate::Replaced(StatusCode::OK, json!(false)));
    let (url, service) = service.start().await;
    assert!(run(&service, &url, &["--confirm"]).await.is_err());
}

#[tokio::test]
async fn unreachable_service_is_asked_once() {
    let refused = {
        let (url, service) = FakeService::new().start().await;
        let elsewhere = url.replace("127.0.0.1", "127.0.0.2");
        let refused = complaint(run(&service, &elsewhere, &["--confirm"]).await);
        assert_eq!(service.routes(), Vec::<String>::new());
        refused
    };
    assert!(refused.contains("nothing answers"), "{refused}");
}

#[tokio::test]
async fn login_stays_undecided_without_a_terminal() {
    for (json, screens, outcomes) in [(false, 0, 2), (true, 1, 1)] {
        let (url, service) = FakeService::new().start().await;
        let link = link(&service);
        let mut words = vec![&*link, "--service", &url, "--app-key", APP_KEY];
        words.extend(json.then_some("--json"));
        let mut printed = Printed::default();
        let code = run_before(None, &mut printed, &words).await.unwrap();
        assert_eq!(code, ExitCode::from(3));
        assert_eq!(service.routes(), ["initiate"]);
        assert_eq!((printed.err.len(), printed.out.len()), (screens, outcomes));
    }
}

#[tokio::test]
async fn person_at_the_terminal_decides_and_no_token_is_printed() {
    for (typed, json, routes) in [
        ("no\ndeny\n", true, vec!["initiate", "deny"]),
        ("confirm\n", false, vec!["initiate", "confirm"]),
        ("", false, vec!["initiate"]),
    ] {
        let (url, service) = FakeService::new().start().await;
        let link = link(&service);
        let mut words = vec![&*link, "--service", &url, "--app-key", APP_KEY];
        words.extend(["--payload", "a session token"]);
        words.extend(json.then_some("--json"));
        let mut printed = Printed::default();
        run_before(Some(typed), &mut printed, &words).await.unwrap();
        assert_eq!(service.routes(), routes);
        let all = [printed.out.concat(), printed.err.concat()].concat();
        assert!(all.contains("https://shop.example"), "{all}");
        assert!(!all.contains(&service.calls()[0].token), "{all}");
        assert!(!all.contains("a session token"), "{all}");
        if json {
            let object: Value = serde_json::from_str(&printed.out.concat()).unwrap();
            assert_eq!(object["decision"], "denied");
        }
    }
}

#[tokio::test]
async fn service_follows_from_the_link() {
    let link = |host: &str| {
        let id = LoginId::from_bytes(LoginKind::Sealed, [7; 16]);
        let host = host.parse::<LinkHost>().unwrap();
        LoginLink { host, id }.to_string()
    };
    let url = async |words: &[&str]| service_url(Path::new(NOWHERE), &args(words)).await;
    assert_eq!(
        url(&[&link("login.shop.example")]).await,
        "https://login.shop.example"
    );
    assert_eq!(
        url(&[&link("login.shop.example:8443")]).await,
        "https://login.shop.example:8443"
    );
    assert_eq!(
        url(&[&link("localhost:8787")]).await,
        "http://localhost:8787"
    );
    let named = link("login.shop.example");
    let named = [named.as_str(), "--service", "http://127.0.0.1:9/"];
    assert_eq!(url(&named).await, "http://127.0.0.1:9");
}

#[tokio::test]
async fn app_key_and_service_default_to_the_data_directory() {
    let (url, service) = FakeService::new().start().await;
    let folder = tempfile::tempdir().unwrap();
    let demo = json!({
        "url": url,
        "apiKey": "",
        "appKey": APP_KEY,
        "inboundSecret": "",
        "sendTo": "",
    });
    let data = DataDir::create(folder.path()).unwrap();
    data.write(DEMO, &demo.to_string()).unwrap();
    let link = format!("http://localhost:1?sessionId={}", service.id);
    let words = [link.as_str(), "--confirm"];
    let person = Person {
        input: None,
        print: &mut |_| Ok(()),
        complain: &mut |_| {},
    };
    let keys = Arc::new(super::super::keys::at(Path::new(NOWHERE)));
    let confirmed = open_before(person, folder.path(), at_service_time(keys), &args(&words)).await;
    assert_eq!(confirmed, Ok(ExitCode::SUCCESS));
    assert_eq!(service.routes(), ["initiate", "confirm"]);

    let nameless = run_before(None, &mut Printed::default(), &words).await;
    assert!(complaint(nameless).contains("--app-key"));
}

#[tokio::test]
async fn app_is_the_one_whose_links_have_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::create(folder.path()).unwrap();
    let lock = data.lock(Duration::ZERO).unwrap();
    let clock = Arc::new(SystemClock);
    drop(storage::open(&data, &lock, IfMissing::Refused, clock).unwrap());
    drop(lock);
    let create = async |app: &str, host: &str| {
        let line = format!("countersign app create {app} --sender +12025550199 --link-host {host}");
        let request = create_app(&line);
        let NewApp(made) = target::ask(Target::Data(folder.path()), request)
            .await
            .unwrap();
        made.app_key().unwrap().as_str().to_owned()
    };
    let shop = create("shop", "login.shop.example").await;
    let bank = create("bank", "login.bank.example").await;
    let found = async |host: &str| {
        let link = format!(
            "https://{host}?sessionId={}",
            LoginId::from_bytes(LoginKind::Sealed, [1; 16])
        );
        let keys = app_keys(folder.path(), &args(&[&link])).await;
        keys.map(|keys| {
            keys.iter()
                .map(|key| key.as_str().to_owned())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(found("login.shop.example").await, Ok(vec![shop]));
    assert_eq!(found("login.bank.example").await, Ok(vec![bank.clone()]));
    let second = create("bank-2", "login.bank.example").await;
    assert_eq!(found("login.bank.example").await, Ok(vec![bank, second]));
    let said = found("other.example").await.unwrap_err().to_string();
    assert!(
        said.contains("no app with links to other.example"),
        "{said}"
    );
}
