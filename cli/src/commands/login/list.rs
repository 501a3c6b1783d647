//! `countersign login list`.

use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;

use countersign_client::ListLogins;
use futures_util::stream::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use crate::admin::target::Target;
use crate::args::LoginListArgs;
use crate::commands::caller::Caller;
use crate::commands::pages::{self, PAGE};
use crate::commands::searches;
use crate::failure::Failure;
use crate::terminal::print;

/// Shows logins as the server of their app sees them, or as an operator does.
pub(in crate::commands) async fn list(
    target: Target<'_>,
    data: &Path,
    args: &LoginListArgs,
    json: bool,
) -> Result<ExitCode, Failure> {
    if args.searched.is_operators() {
        return searches::logins(target, args, json).await;
    }
    let caller = Caller::find(&args.service, data).await?;
    let listed = pages::items(query(args)?, |query| async {
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

fn query(args: &LoginListArgs) -> Result<ListLogins, Failure> {
    let mut query = ListLogins::new().limit(PAGE);
    if let Some(state) = searches::only_state(&args.states)? {
        query = query.state(state.into_str().to_owned().into());
    }
    if let Some(from) = args.period.from {
        query = query.created_from(from.into());
    }
    if let Some(before) = args.period.to {
        query = query.created_before(before.into());
    }
    Ok(query)
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
