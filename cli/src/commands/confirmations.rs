//! `countersign confirmations`: confirmations and their webhooks, as an app's server or an operator sees them.

use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;

use countersign_client::{Confirmation, ConfirmationStatus, DeliveryStatus, ListConfirmations};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use futures_util::stream::{Stream, StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use super::administer;
use super::caller::Caller;
use super::pages::{self, PAGE};
use super::searches;
use crate::admin::target::Target;
use crate::args::{ConfirmationsArgs, ConfirmationsCommand, ListArgs};
use crate::failure::Failure;
use crate::terminal::print;

/// Runs one of the commands.
pub(super) async fn run(
    target: Target<'_>,
    data: &Path,
    args: &ConfirmationsArgs,
) -> Result<ExitCode, Failure> {
    if let Some(request) = args.operators() {
        return administer::run(target, request, args.output).await;
    }
    let json = args.output.json;
    if let ConfirmationsCommand::List(list) = &args.command
        && list.searched.is_operators()
    {
        return searches::confirmations(target, list, &args.service, json).await;
    }
    let caller = Caller::find(&args.service, data).await?;
    match &args.command {
        ConfirmationsCommand::List(list) => {
            let found = listed(&caller, query(list)?).take(list.period.last);
            let mut found = pin!(found);
            while let Some(item) = found.try_next().await? {
                show(&item, json)?;
            }
        }
        ConfirmationsCommand::Show(one) => {
            let id = one.id.to_string();
            let get = || caller.client.confirmations().get(&id);
            let shown = json!(caller.within_quota(get).await?);
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

fn query(list: &ListArgs) -> Result<ListConfirmations, Failure> {
    let mut query = ListConfirmations::new();
    if let Some(status) = searches::only_state(&list.states)? {
        query = query.status(status.into_str().to_owned().into());
    }
    if let Some(digits) = &list.digits {
        query = query.last_digits(digits);
    }
    if let Some(from) = list.period.from {
        query = query.created_from(from.into());
    }
    if let Some(before) = list.period.to {
        query = query.created_before(before.into());
    }
    Ok(query)
}

/// Returns all confirmations that match.
fn listed(
    caller: &Caller,
    query: ListConfirmations,
) -> impl Stream<Item = Result<Confirmation, Failure>> {
    pages::items(query.limit(PAGE), move |query| async move {
        let page = || caller.client.confirmations().page(query.clone());
        let page = caller.within_quota(page).await?;
        let next = page.next_cursor.map(|cursor| query.cursor(cursor));
        Ok((page.confirmations, next))
    })
}

async fn redeliver_failed(caller: &Caller, since: Timestamp, json: bool) -> Result<(), Failure> {
    let query = ListConfirmations::new().status(ConfirmationStatus::Verified);
    let mut found = pin!(listed(caller, query.created_from(since.into())));
    while let Some(item) = found.try_next().await? {
        let delivery = item.delivery.as_ref();
        if delivery.is_some_and(|delivery| delivery.status == DeliveryStatus::Failed) {
            show(&redeliver(caller, &item.confirmation_id).await?, json)?;
        }
    }
    Ok(())
}

/// Sends a webhook again, once the app's quota allows it.
async fn redeliver(caller: &Caller, id: &str) -> Result<Confirmation, Failure> {
    let redeliver = || caller.client.confirmations().redeliver(id);
    caller.within_quota(redeliver).await
}

/// Prints one confirmation: in full as JSON, or as a line with a shortened phone number.
fn show(item: &Confirmation, json: bool) -> Result<(), Failure> {
    let item = json!(item);
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
        number.map_or_else(|| "-".to_owned(), |number| number.glimpse()),
        text(&item["delivery"]["status"]),
    ))
}
