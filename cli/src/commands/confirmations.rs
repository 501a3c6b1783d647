//! `countersign confirmations`: what an app has started, as its server sees it.

use std::path::Path;
use std::process::ExitCode;

use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use reqwest::Method;
use serde_json::Value;

use super::caller::Caller;
use super::pages::{CONFIRMATIONS, Pages, ask, understood};
use super::web;
use crate::args::{ConfirmationsArgs, ConfirmationsCommand, ListArgs};
use crate::console::print;
use crate::failure::Failure;

/// Runs one of the commands.
pub(super) async fn run(data: &Path, args: &ConfirmationsArgs) -> Result<ExitCode, Failure> {
    let caller = Caller::find(&args.service, data).await?;
    let json = args.output.json;
    match &args.command {
        ConfirmationsCommand::List(list) => {
            let mut pages = Pages::of(&caller, CONFIRMATIONS, query(list));
            let mut left = list.period.last;
            while left > 0
                && let Some(item) = pages.next().await?
            {
                show(&item, json)?;
                left -= 1;
            }
        }
        ConfirmationsCommand::Show(one) => {
            let path = format!("/confirmations/{}", one.id);
            let shown = ask(&caller.url, caller.request(Method::GET, &path)).await?;
            print(&serde_json::to_string_pretty(&shown).unwrap_or_default())?;
        }
        ConfirmationsCommand::Redeliver(which) => {
            if let Some(id) = &which.id {
                show(&redeliver(&caller, &id.to_string()).await?, json)?;
            } else if let Some(since) = which.failed_since {
                redeliver_failed(&caller, since, json).await?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn query(list: &ListArgs) -> Vec<(&'static str, String)> {
    let last_digits = ("lastDigits", list.last_digits.clone());
    let given = [("status", list.status.clone()), last_digits];
    list.period.query(given)
}

async fn redeliver_failed(caller: &Caller, since: Timestamp, json: bool) -> Result<(), Failure> {
    let query = vec![
        ("status", "verified".to_owned()),
        ("createdFrom", since.to_string()),
    ];
    let mut pages = Pages::of(caller, CONFIRMATIONS, query);
    while let Some(item) = pages.next().await? {
        if item["delivery"]["status"] == "failed"
            && let Some(id) = item["confirmationId"].as_str()
        {
            show(&redeliver(caller, id).await?, json)?;
        }
    }
    Ok(())
}

/// Sends a webhook again, once the app's quota allows it.
async fn redeliver(caller: &Caller, id: &str) -> Result<Value, Failure> {
    let path = format!("/confirmations/{id}/redeliver");
    let request = || caller.request(Method::POST, &path);
    let answer = web::send_within_quota(&caller.url, request).await?;
    understood(&caller.url, &answer)
}

/// Prints one confirmation: whole as JSON, or a line without its whole number.
fn show(item: &Value, json: bool) -> Result<(), Failure> {
    if json {
        return print(&item.to_string());
    }
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let number = item["phoneNumber"].as_str();
    let number = number.and_then(|number| PhoneNumber::parse_e164(number).ok());
    print(&format!(
        "{}  {}  {:<9}  {:<16}  {}",
        text(&item["confirmationId"]),
        text(&item["createdAt"]),
        text(&item["status"]),
        number.map_or_else(|| "-".to_owned(), |number| number.masked()),
        text(&item["delivery"]["status"]),
    ))
}
