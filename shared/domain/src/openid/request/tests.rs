use super::*;
use crate::app::senders::SenderPool;
use crate::primitives::entropy::FixedEntropy;
use crate::primitives::time::Timestamp;

const URI: &str = "https%3A%2F%2Fshop.example%2Fcallback";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn app() -> App {
    let senders = SenderPool::new([(None, "+12025550199".parse().unwrap())]).unwrap();
    let now = Timestamp::from_millis(1_767_323_045_678);
    let key = AppKey::generate(&FixedEntropy(1));
    let mut app = App::new("shop".parse().unwrap(), key, now, senders);
    app.openid.redirect_uris = vec!["https://shop.example/callback".parse().unwrap()];
    app
}

fn parse(query: &str, app: &App) -> Result<AuthorizationRequest, RequestError> {
    AuthorizationRequest::parse(&Parameters::parse(query.as_bytes()), app)
}

/// Returns a correct query with further parameters.
fn with(more: &str) -> String {
    format!(
        "response_type=code&scope=openid+phone&redirect_uri={URI}&state=s&code_challenge={CHALLENGE}\
         &code_challenge_method=S256{more}"
    )
}

fn refused(query: &str, app: &App) -> (ErrorCode, &'static str, Option<String>) {
    match parse(query, app) {
        Err(RequestError::Refused(refusal)) => {
            let plain = |c: u8| (0x20..0x7f).contains(&c) && c != b'"' && c != b'\\';
            assert!(refusal.description.bytes().all(plain), "{refusal:?}");
            (refusal.code, refusal.description, refusal.state)
        }
        other => panic!("{query}: {other:?}"),
    }
}

#[test]
fn correct_request_is_read() {
    let query = with(
        "&nonce=n&login_hint=TEL:%2B1+202+555+0100&ui_locales=de+en&prompt=login+consent&max_age=0\
                      &display=popup&acr_values=x&claims_locales=de&foo=bar&response_mode=query",
    );
    let request = parse(&query, &app()).unwrap();
    assert_eq!(
        request.redirect_uri.as_str(),
        "https://shop.example/callback"
    );
    assert_eq!(request.state.as_deref(), Some("s"));
    assert_eq!(request.nonce.as_deref(), Some("n"));
    assert_eq!(request.challenge, CHALLENGE.parse().ok());
    assert!(request.phone);
    assert_eq!(
        request.number.as_ref().map(PhoneNumber::as_str),
        Some("+12025550100")
    );
    assert_eq!(request.locales.as_deref(), Some("de en"));
    assert!(!format!("{request:?}").contains("12025550100"));
    let other_hint = parse(&with("&login_hint=buffy@host"), &app()).unwrap();
    assert_eq!(other_hint.number, None);
    let plain = with("").replace("+phone", "+email+profile");
    assert!(!parse(&plain, &app()).unwrap().phone);
}

#[test]
fn unproven_request_is_never_redirected() {
    let query = with("");
    let unproven = |query: &str, app: &App| match parse(query, app) {
        Err(RequestError::Unproven(error)) => error,
        other => panic!("{query}: {other:?}"),
    };
    let other = query.replace("callback", "other");
    assert_eq!(
        unproven(&other, &app()),
        UnprovenRequest::UnlistedRedirectUri
    );
    let twice = format!("{query}&redirect_uri={URI}");
    assert_eq!(
        unproven(&twice, &app()),
        UnprovenRequest::Repeated(Repeated("redirect_uri"))
    );
    let none = query.replace("redirect_uri", "redirect");
    assert_eq!(unproven(&none, &app()), UnprovenRequest::NoRedirectUri);
    let mut off = app();
    off.openid.redirect_uris.clear();
    assert_eq!(unproven(&query, &off), UnprovenRequest::UnknownClient);
}

#[test]
fn client_is_named_once() {
    let client = |query: &str| client(query.as_bytes(), &Parameters::parse(query.as_bytes()));
    let key = app().app_key;
    assert_eq!(
        client(&format!("client_id={}", key.as_str())),
        Ok(key.clone())
    );
    assert_eq!(client("client_id="), Err(UnprovenRequest::NoClient));
    assert_eq!(
        client("client_id=shop"),
        Err(UnprovenRequest::UnknownClient)
    );
    let twice = format!("client_id={0}&client_id={0}", key.as_str());
    assert_eq!(
        client(&twice),
        Err(UnprovenRequest::Repeated(Repeated("client_id")))
    );
    let long = format!(
        "client_id={}&state={}",
        key.as_str(),
        "x".repeat(MAX_REQUEST)
    );
    assert_eq!(client(&long), Err(UnprovenRequest::TooLong));
}

#[test]
fn each_broken_rule_has_its_error() {
    use ErrorCode::{
        InvalidRequest, InvalidScope, LoginRequired, RegistrationNotSupported, RequestNotSupported,
        RequestUriNotSupported, UnsupportedResponseType,
    };
    let query = with("");
    for (query, code) in [
        (with("&request=ey"), RequestNotSupported),
        (
            with("&request_uri=https://evil.example"),
            RequestUriNotSupported,
        ),
        (with("&registration=%7B%7D"), RegistrationNotSupported),
        (query.replace("response_type=code", ""), InvalidRequest),
        (
            query.replace("response_type=code", "response_type=token"),
            UnsupportedResponseType,
        ),
        (
            query.replace("response_type=code", "response_type=code+id_token"),
            UnsupportedResponseType,
        ),
        (with("&response_type=code"), InvalidRequest),
        (with("&response_mode=fragment"), InvalidRequest),
        (with("&response_mode=form_post"), InvalidRequest),
        (query.replace("openid+", ""), InvalidScope),
        (query.replace("openid+", "openidx+"), InvalidScope),
        (with("&prompt=none"), LoginRequired),
        (with("&prompt=none+login"), InvalidRequest),
        (with("&max_age=-1"), InvalidRequest),
        (with("&max_age=soon"), InvalidRequest),
        (with("&nonce=a&nonce=b"), InvalidRequest),
        (with("&code_challenge=x"), InvalidRequest),
        (query.replace("S256", "plain"), InvalidRequest),
        (
            query.replace("&code_challenge_method=S256", ""),
            InvalidRequest,
        ),
        (query.replace(CHALLENGE, "short"), InvalidRequest),
        (query.replace("code_challenge=", "x="), InvalidRequest),
        (with("&login_hint=tel:"), InvalidRequest),
        (with("&login_hint=tel:911"), InvalidRequest),
        (with("&login_hint=tel:%2B999123"), InvalidRequest),
    ] {
        let (found, _, state) = refused(&query, &app());
        assert_eq!((found, state.as_deref()), (code, Some("s")), "{query}");
    }
    let (code, _, state) = refused(&with("&state=t"), &app());
    assert_eq!(
        (code, state),
        (ErrorCode::InvalidRequest, None),
        "neither state is the client's"
    );
}

#[test]
fn only_a_setting_lets_a_nonce_take_the_place_of_a_challenge() {
    let bare = with("&nonce=n")
        .split("&code_challenge=")
        .next()
        .unwrap()
        .to_owned();
    let nonce = format!("{bare}&nonce=n");
    assert_eq!(refused(&nonce, &app()).0, ErrorCode::InvalidRequest);
    let mut relaxed = app();
    relaxed.openid.nonce_instead_of_pkce = true;
    assert_eq!(parse(&nonce, &relaxed).unwrap().challenge, None);
    assert_eq!(refused(&bare, &relaxed).0, ErrorCode::InvalidRequest);
    assert!(parse(&with(""), &relaxed).unwrap().challenge.is_some());
    let mut public = relaxed;
    public.openid.public_client = true;
    assert_eq!(refused(&nonce, &public).0, ErrorCode::InvalidRequest);
}
