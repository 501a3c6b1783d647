//! `countersign login list`.

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use crate::args::LoginListArgs;
use crate::commands::caller::Caller;
use crate::commands::pages::{LOGINS, Pages};
use crate::console::print;
use crate::failure::Failure;

/// Shows an app's logins, as its server sees them.
pub(in crate::commands) async fn list(
    data: &Path,
    args: &LoginListArgs,
    json: bool,
) -> Result<ExitCode, Failure> {
    let caller = Caller::find(&args.service, data).await?;
    let query = args.period.query([("state", args.state.clone())]);
    let mut pages = Pages::of(&caller, LOGINS, query);
    let mut left = args.period.last;
    while left > 0
        && let Some(login) = pages.next().await?
    {
        if json {
            print(&login.to_string())?;
        } else {
            print(&line(&login))?;
        }
        left -= 1;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(login: &Value) -> String {
    let text = |name: &str| login[name].as_str().unwrap_or("-").to_owned();
    format!(
        "{}  {}  {:<9}  {}  {}",
        text("sessionId"),
        text("createdAt"),
        text("state"),
        text("origin"),
        text("verifiedPublicUserId"),
    )
}
