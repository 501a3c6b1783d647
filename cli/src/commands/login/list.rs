//! `countersign login list`.

use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;

use countersign_client::ListLogins;
use futures_util::stream::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use crate::args::LoginListArgs;
use crate::commands::caller::Caller;
use crate::commands::pages::{self, PAGE};
use crate::failure::Failure;
use crate::terminal::print;

/// Shows an app's logins, as its server sees them.
pub(in crate::commands) async fn list(
    data: &Path,
    args: &LoginListArgs,
    json: bool,
) -> Result<ExitCode, Failure> {
    let caller = Caller::find(&args.service, data).await?;
    let listed = pages::items(query(args), |query| async {
        let page = || caller.client.logins().page(query.clone());
        let page = caller.within_quota(page).await?;
        let next = page.next_cursor.map(|cursor| query.cursor(cursor));
        Ok((page.logins, next))
    });
    let mut listed = pin!(listed.take(args.period.last));
    while let Some(login) = listed.try_next().await? {
        let login = json!(login);
        if json {
            print(&login.to_string())?;
        } else {
            print(&line(&login))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn query(args: &LoginListArgs) -> ListLogins {
    let mut query = ListLogins::new().limit(PAGE);
    if let Some(state) = &args.state {
        query = query.state(state.clone().into());
    }
    if let Some(from) = args.period.from {
        query = query.created_from(from.into());
    }
    if let Some(before) = args.period.before {
        query = query.created_before(before.into());
    }
    query
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
