//! A damaged store, a store that refuses writes, and old backups.

use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackPolicy;

use super::Attention;
use crate::admin::{Admin, AdminError, Host};

/// Age from which the latest backup is old.
const OLD: Duration = Duration::from_hours(7 * 24);

pub(super) async fn look(
    admin: &Admin,
    unreadable_apps: usize,
) -> Result<Vec<Attention>, AdminError> {
    let mut items = Vec::new();
    let check = "countersign check";
    let Host::Machine(store) = &admin.host else {
        if unreadable_apps > 0 {
            let item = Attention::new(
                "apps_unreadable",
                format!("{unreadable_apps} apps cannot be read"),
                "Their documents are malformed, or a later release wrote them.",
                "Restore them from a point-in-time recovery of the table, or use the release that wrote them.",
            );
            items.push(item.with([("apps", &unreadable_apps)]));
        }
        return Ok(items);
    };
    if let Some(refusal) = store.refusal() {
        let item = Attention::new(
            "store_refuses_writes",
            "The server refuses all writes",
            format!(
                "{}: another program changed the server's files.",
                refusal.cause
            ),
            "Put the files back, then restart the server.",
        );
        items.push(item.with([("cause", &refusal.cause)]));
    } else if !store.is_writable() {
        items.push(Attention::new(
            "store_write_failed",
            "The last write to the store failed",
            "The disk is full or fails. The log has the cause.",
            "Make room on the disk, or replace it.",
        ));
    }
    if store.is_damaged() {
        let found = store.condition().damaged;
        let item = Attention::new(
            "store_damaged",
            "The store is damaged",
            format!(
                "{found} damaged documents or other places were found since the start. All others work. Stop the \
                 server before the check, which says what to do."
            ),
            check,
        );
        items.push(item.with([("found", &found)]));
    }
    items.extend(backup(admin).await?);
    Ok(items)
}

/// Reports that no backup is recent. Data for trying things out needs none.
async fn backup(admin: &Admin) -> Result<Option<Attention>, AdminError> {
    let is_local = match &admin.running {
        Some(running) => running.server.local,
        None => admin.callbacks == CallbackPolicy::local(),
    };
    if is_local {
        return Ok(None);
    }
    let step = "countersign backup FILE";
    let replicated = "If another program copies the store, such as Litestream, ignore this.";
    let records = admin.backup_records().await?;
    let now = admin.clock.now();
    Ok(match records.first() {
        None => Some(Attention::new(
            "backup_missing",
            "No backup was made",
            format!("`countersign backup` has not written one on this machine. {replicated}"),
            step,
        )),
        Some(latest) if now.since(latest.at) > OLD => {
            let (days, file) = (days(latest.at, now), latest.name.display());
            let item = Attention::new(
                "backup_old",
                format!("The latest backup is {days} days old"),
                format!("It was written to {file}. {replicated}"),
                step,
            );
            Some(item.with([("days", &days), ("file", &file)]))
        }
        Some(latest) if latest.lacks > 0 => {
            let item = Attention::new(
                "backup_incomplete",
                "The latest backup is incomplete",
                format!("{} damaged documents are missing from it.", latest.lacks),
                "countersign check",
            );
            Some(item.with([("documents", &latest.lacks)]))
        }
        Some(_) => None,
    })
}

fn days(from: Timestamp, to: Timestamp) -> u64 {
    to.since(from).as_secs() / (24 * 3600)
}
