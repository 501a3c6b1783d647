//! Operators' lists of confirmations and logins: the console's searches, page by page.

use std::process::ExitCode;

use countersign_domain::store::SearchCursor;
use serde::Serialize;

use super::administer;
use crate::admin::confirmations::FindConfirmations;
use crate::admin::logins::FindLogins;
use crate::admin::request::Request;
use crate::admin::started::{Found, MAX_LIMIT};
use crate::admin::target::{self, Target};
use crate::args::{ListArgs, LoginListArgs, ServiceArgs};
use crate::failure::Failure;
use crate::terminal::{complain, print};

/// Number of items after whose examination a list ends, in case few of them match.
const MAX_EXAMINED: usize = 100_000;

/// Lists confirmations as an operator.
pub(super) async fn confirmations(
    target: Target<'_>,
    args: &ListArgs,
    service: &ServiceArgs,
    json: bool,
) -> Result<ExitCode, Failure> {
    without_api_key(service)?;
    let digits = args.digits.as_deref().map(str::parse).transpose();
    let digits = digits.map_err(|error| Failure::because("--digits", &error))?;
    let search = FindConfirmations {
        app: args.searched.app.clone(),
        states: args.states.clone(),
        failed: args.failed,
        no_text: args.no_text,
        from: args.period.from,
        to: args.period.to,
        digits,
        ..FindConfirmations::default()
    };
    let page = |after, limit| FindConfirmations {
        after,
        limit: Some(limit),
        ..search.clone()
    };
    let columns = ["id", "createdAt", "state", "number", "delivery", "app"];
    list(target, args.period.last, page, columns, json).await
}

/// Lists logins as an operator.
pub(super) async fn logins(
    target: Target<'_>,
    args: &LoginListArgs,
    json: bool,
) -> Result<ExitCode, Failure> {
    without_api_key(&args.service)?;
    let search = FindLogins {
        app: args.searched.app.clone(),
        states: args.states.clone(),
        failed: args.failed,
        from: args.period.from,
        to: args.period.to,
        ..FindLogins::default()
    };
    let page = |after, limit| FindLogins {
        after,
        limit: Some(limit),
        ..search.clone()
    };
    let columns = ["id", "createdAt", "state", "origin", "publicUserId", "app"];
    list(target, args.period.last, page, columns, json).await
}

fn without_api_key(service: &ServiceArgs) -> Result<(), Failure> {
    if service.service.is_some() || service.api_key_file.is_some() {
        return Err(Failure::new(
            "--app and --all-apps list as an operator: leave out --service and --api-key-file, or those",
        ));
    }
    Ok(())
}

/// Returns the state by which an API key's list is filtered. The API filters by one.
pub(super) fn only_state<T: Copy>(states: &[T]) -> Result<Option<T>, Failure> {
    match states {
        [] => Ok(None),
        [state] => Ok(Some(*state)),
        _ => Err(Failure::new(
            "the list of an API key has one --state; an operator's may have several: name --app",
        )),
    }
}

/// Prints at most `last` items, one per line.
async fn list<R, T, const N: usize>(
    target: Target<'_>,
    last: usize,
    page: impl Fn(Option<SearchCursor>, usize) -> R,
    columns: [&str; N],
    json: bool,
) -> Result<ExitCode, Failure>
where
    R: Request<Answer = Found<T>>,
    T: Serialize,
{
    let (mut after, mut shown, mut examined, mut left_out) = (None, 0, 0, 0);
    while shown < last {
        let limit = (last - shown).min(MAX_LIMIT);
        let found = target::ask(target, page(after, limit)).await?;
        for item in &found.items {
            print(&line(item, columns, json)?)?;
        }
        shown += found.items.len();
        examined += found.examined;
        left_out += found.left_out;
        after = found.next.and_then(|next| next.parse().ok());
        if after.is_none() {
            break;
        }
        if examined >= MAX_EXAMINED {
            complain(&format!(
                "countersign: looked at the newest {examined} and stopped; search an earlier time with --to"
            ));
            break;
        }
    }
    administer::complain_of_damage(left_out);
    Ok(ExitCode::SUCCESS)
}

fn line<T: Serialize, const N: usize>(
    item: &T,
    columns: [&str; N],
    json: bool,
) -> Result<String, Failure> {
    let item = serde_json::to_value(item);
    let item = item.map_err(|error| Failure::because("the answer", &error))?;
    if json {
        return Ok(item.to_string());
    }
    let cells = columns.map(|name| item[name].as_str().unwrap_or("-").to_owned());
    Ok(cells.join("  "))
}
