//! `countersign login start`: creates a login as the app's server does, shows its code in the terminal,
//! and waits for the user's answer.

mod check_code;
mod code;
mod redemption;

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use countersign_client::{CreateLogin, LoginState};
use countersign_domain::app::AppKey;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::login::identity::{IdInputs, sealed_id};
use countersign_domain::login::{BrowserToken, Context, LoginLink, Payload};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::BrowserPrivateKey;
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::args::LoginStartArgs;
use crate::commands::caller::{self, Caller};
use crate::demo::DemoFile;
use crate::failure::Failure;
use crate::terminal::{complain, complain_in_colour, print};
use code::TerminalCode;
use redemption::{Browser, Redeemed, Redemption};

/// Exit code for a login that was not confirmed. Not 1, since nothing failed, and not 2, which clap
/// uses.
const NOT_CONFIRMED: u8 = 3;

/// Interval between status requests.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The secrets and properties of a login that this command opened.
struct Login {
    id: LoginId,
    origin: WebOrigin,
    key: BrowserPrivateKey,
    token: BrowserToken,
    /// True if redeeming requires the digits that the phone shows.
    needs_code: bool,
}

/// Returns the origin of the service's own pages: its URL, or a page of the running local server, which may listen on
/// an address where browsers disable cryptography.
fn own_origin(url: &str, demo: Option<&DemoFile>) -> Result<WebOrigin, Failure> {
    let pages = demo.iter().flat_map(|demo| &demo.pages).map(String::as_str);
    let origin = std::iter::once(url)
        .chain(pages)
        .find_map(|page| page.parse().ok());
    origin.ok_or_else(|| Failure::new(format!("name the app's page with --origin: {url} is none")))
}

/// Creates a login, shows its code on standard error, and prints the outcome as JSON on standard output.
pub(crate) async fn start(data: &Path, args: &LoginStartArgs) -> Result<ExitCode, Failure> {
    let demo = caller::demo(data);
    let url = caller::url(&args.service, data).await?;
    let (app_key, secret) = keys(args, demo.as_ref())?;
    let origin = match &args.origin {
        Some(origin) => origin.clone(),
        None => own_origin(
            &url,
            demo.as_ref().filter(|_| args.service.service.is_none()),
        )?,
    };
    let caller = Caller::at(url, &secret)?;
    let (login, link) = open(&caller, &app_key, origin, args.context.as_ref()).await?;
    show(&link, args.context.as_ref());
    if !args.wait {
        let opened = json!({"sessionId": login.id.to_string(), "url": link});
        return print(&opened.to_string()).map(|()| ExitCode::SUCCESS);
    }
    let state = loop {
        let seen = caller.client.logins().get(&login.id.to_string()).await;
        let seen = seen.map_err(|error| caller.explain("the login cannot be seen", &error))?;
        if !matches!(seen.state, LoginState::Created | LoginState::Scanned) {
            break seen.state;
        }
        sleep(POLL_INTERVAL).await;
    };
    if state != LoginState::Confirmed {
        return not_confirmed(&login, state.as_str());
    }
    let browser = Browser::new(&caller, &login)?;
    let redemption = if login.needs_code {
        redeem_with_code(&browser).await?
    } else {
        browser.redeem(None).await?
    };
    match redemption {
        Redemption::Redeemed(redeemed) => {
            print(&outcome(&login, redeemed)?.to_string()).map(|()| ExitCode::SUCCESS)
        }
        Redemption::Blocked | Redemption::WrongCode { .. } => not_confirmed(&login, "blocked"),
    }
}

/// Reports that the login was not confirmed, with its state.
fn not_confirmed(login: &Login, state: &str) -> Result<ExitCode, Failure> {
    let ended = json!({"sessionId": login.id.to_string(), "state": state});
    print(&ended.to_string()).map(|()| ExitCode::from(NOT_CONFIRMED))
}

/// Asks for the digits that the phone shows until they are right or the login is blocked.
async fn redeem_with_code(browser: &Browser<'_>) -> Result<Redemption, Failure> {
    loop {
        let code = check_code::ask(&mut io::stdin().lock(), complain)?;
        match browser.redeem(Some(code)).await? {
            Redemption::WrongCode { tries_left } => complain(&check_code::wrong(tries_left)),
            redemption => return Ok(redemption),
        }
    }
}

/// Returns the app key and the API key from the options, or the demo app's.
fn keys(
    args: &LoginStartArgs,
    demo: Option<&DemoFile>,
) -> Result<(AppKey, PresentedApiKey), Failure> {
    let app_key = match &args.app_key {
        Some(key) => Some(key.clone()),
        None => demo.and_then(|demo| demo.app_key.parse::<AppKey>().ok()),
    };
    let secret = caller::api_key(&args.service, demo)?;
    app_key.zip(secret).ok_or_else(|| {
        Failure::new("give the app's keys with --app-key and --api-key-file: there is no demo app")
    })
}

/// Creates a login with a new browser key and a new token. Returns the login and its link; the link
/// must be exactly the expected one.
async fn open(
    caller: &Caller,
    app_key: &AppKey,
    origin: WebOrigin,
    context: Option<&Context>,
) -> Result<(Login, String), Failure> {
    let key = BrowserPrivateKey::generate(&OsEntropy);
    let public = key.public_key()?;
    let token = BrowserToken::generate(&OsEntropy);
    let inputs = IdInputs {
        app_key,
        origin: &origin,
        context: context.map_or("", Context::as_str),
    };
    let id = sealed_id(inputs, &public);
    let mut request = CreateLogin::new(origin.as_str()).browser_public_key(public.to_string());
    if let Some(context) = context {
        request = request.context(context.as_str());
    }
    let opened = caller
        .client
        .logins()
        .create(&token.reveal(), request)
        .await;
    let opened = opened.map_err(|error| caller.explain("the login is not opened", &error))?;
    let link = opened.url;
    if !is_link_of(&link, id) {
        return Err(Failure::new(
            "the service returned a different login from the one that was created, so its code is not \
             shown; do the two keys belong to one app?",
        ));
    }
    let login = Login {
        id,
        origin,
        key,
        token,
        needs_code: opened.check_code_required == Some(true),
    };
    Ok((login, link))
}

/// Returns whether a link is exactly this login's link at any host.
fn is_link_of(link: &str, id: LoginId) -> bool {
    let parsed = link.parse::<LoginLink>();
    parsed.is_ok_and(|parsed| parsed.id == id && parsed.to_string() == link)
}

/// Shows the code, if the terminal can, and the link.
fn show(link: &str, context: Option<&Context>) {
    if let Some(context) = context {
        complain(context.as_str());
    }
    if io::stderr().is_terminal()
        && let Some(code) = TerminalCode::encode(link)
    {
        complain_in_colour(&code.to_string());
    }
    complain(link);
}

/// Returns the outcome of a confirmed login, decrypted.
fn outcome(login: &Login, redeemed: Redeemed) -> Result<Value, Failure> {
    let opened = Payload::encrypted(redeemed.payload)
        .map_err(Failure::from)
        .and_then(|payload| {
            let envelope = login.key.open(login.id, &login.origin, &payload);
            envelope.map_err(Failure::from)
        })?;
    Ok(json!({
        "sessionId": login.id.to_string(),
        "state": "confirmed",
        "payload": opened.payload,
        "salt": opened.salt.to_string(),
        "proof": redeemed.proof,
    }))
}

#[cfg(test)]
mod tests {
    use countersign_domain::primitives::ids::LoginKind;

    use super::*;

    #[test]
    fn only_the_logins_own_link_is_shown() {
        let id = LoginId::from_bytes(LoginKind::Sealed, [7; 16]);
        let other = LoginId::from_bytes(LoginKind::Sealed, [8; 16]);
        let link = format!("https://login.shop.example?sessionId={id}");
        assert!(is_link_of(&link, id));
        assert!(!is_link_of(&link, other));
        for odd in [
            format!("http://login.shop.example?sessionId={id}"),
            format!("{link}#k=1"),
            format!("https://login.shop.example?sessionId={other}"),
        ] {
            assert!(!is_link_of(&odd, id), "{odd}");
        }
    }
}
