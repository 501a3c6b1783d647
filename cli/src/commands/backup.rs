//! `countersign backup`, `restore` and `check`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use countersign_api::Causes;
use countersign_domain::primitives::time::{Clock as _, Timestamp};
use countersign_embedded::store::{CheckReport, Inventory, rebuild_indexes};
use countersign_system::clock::SystemClock;

use crate::admin::client::{self, ClientError};
use crate::args::CheckArgs;
use crate::backup::{self, file::NewBackup};
use crate::console::{self, say};
use crate::data_dir::{DataDir, DataDirError, DataLock};
use crate::failure::Failure;
use crate::storage::{self, Lost};

/// How long another process may hold the data: a small command, or a server that starts or stops.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

const POLL: Duration = Duration::from_millis(50);

/// Writes everything that is kept into one file, through the server where it is running.
pub(super) async fn backup(data: &Path, place: &Path) -> Result<ExitCode, Failure> {
    let data = DataDir::existing(data).map_err(|error| Failure::of(&error))?;
    let write = |cause: &dyn std::error::Error| {
        Failure::because(format!("cannot write {}", place.display()), cause)
    };
    let mut new = NewBackup::begin(place).map_err(|error| write(&error))?;
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match client::fetch_backup(&data.admin_socket(), new.out()).await {
            Ok(()) => break,
            Err(ClientError::NotRunning) => {}
            Err(error) => return Err(Failure::of(&error)),
        }
        match data.lock(Duration::ZERO) {
            Ok(lock) => {
                let storage = storage::open(&data, &lock, Lost::Refused);
                let storage = storage.map_err(|error| Failure::of(&error))?;
                backup::write(&storage, &data, SystemClock.now(), new.out())
                    .map_err(|error| Failure::of(&error))?;
                storage.store.close();
                break;
            }
            Err(DataDirError::Locked(_)) if Instant::now() < deadline => {
                tokio::time::sleep(POLL).await;
            }
            Err(error) => return Err(Failure::of(&error)),
        }
    }
    let bytes = new.finish().map_err(|error| write(&error))?;
    say(&format!("{}: {bytes} bytes", place.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Makes an empty data directory that of a backup.
pub(super) fn restore(data: &Path, place: &Path) -> Result<ExitCode, Failure> {
    let data = DataDir::create(data).map_err(|error| Failure::of(&error))?;
    let _lock = lock(&data)?;
    let restored = backup::restore(&data, place).map_err(|error| Failure::of(&error))?;
    let mut text = inventory(&restored.inventory);
    let Inventory {
        owed_webhooks,
        active_keys,
        ..
    } = restored.inventory;
    let made_at = restored.made_at;
    let command = console::command(data.path());
    let _ = write!(
        text,
        "\nRestored as of {made_at}. What happened since is not known here:\n\
         - {owed_webhooks} webhooks are owed, and are sent again if they were delivered since.\n\
         - {active_keys} API keys are active, with those that were revoked since: `{command} key \
         list APP`.\n\
         - A signing key that was replaced since signs again: `{command} signing-key rotate`."
    );
    say(&text)?;
    Ok(success(restored.inventory.damaged == 0))
}

/// Checks a backup, or the data of a server that is not running.
pub(super) fn check(data: &Path, args: &CheckArgs) -> Result<ExitCode, Failure> {
    if let Some(place) = &args.file {
        return check_backup(place);
    }
    let data = DataDir::existing(data).map_err(|error| Failure::of(&error))?;
    let _lock = lock(&data)?;
    let look = || backup::check_data(&data).map_err(|error| Failure::of(&error));
    let mut report = look()?;
    if args.repair && !report.indexes_fit() {
        say(&findings(&report))?;
        rebuild_indexes(data.files()).map_err(|error| Failure::of(&error))?;
        say("The indexes were built anew. Checked again:")?;
        report = look()?;
    }
    say(&findings(&report))?;
    Ok(success(report.is_sound()))
}

fn check_backup(place: &Path) -> Result<ExitCode, Failure> {
    let checked = backup::check_backup(place);
    let (made_at, found): (Timestamp, Inventory) =
        checked.map_err(|error| Failure::because(place.display(), &error))?;
    say(&format!("{}\nMade at {made_at}, whole.", inventory(&found)))?;
    Ok(success(found.damaged == 0))
}

fn lock(data: &DataDir) -> Result<DataLock, Failure> {
    data.lock(LOCK_TIMEOUT).map_err(|error| match error {
        DataDirError::Locked(_) => Failure::new(format!(
            "{}; a running server's data is checked in its backup: `countersign backup FILE`, then \
             `countersign check FILE`",
            Causes(&error)
        )),
        error => Failure::of(&error),
    })
}

/// Kinds and numbers, and what is damaged.
fn inventory(found: &Inventory) -> String {
    let mut text = String::new();
    for (kind, count) in &found.records {
        let _ = writeln!(text, "{count:>12} {kind}");
    }
    if found.damaged > 0 {
        let _ = writeln!(text, "{:>12} damaged records:", found.damaged);
        for damage in &found.named {
            let _ = writeln!(text, "             {damage}");
        }
    }
    text
}

fn findings(report: &CheckReport) -> String {
    let mut text = inventory(&report.inventory);
    if report.damaged_pages {
        text += "Pages of the file are damaged: restore a backup.\n";
    }
    if report.damaged_numbers > 0 {
        let _ = writeln!(
            text,
            "{} numbers that the store keeps of itself are damaged: `countersign serve` replaces them.",
            report.damaged_numbers
        );
    }
    if !report.indexes_fit() {
        let _ = writeln!(
            text,
            "{} entries are missing in the indexes and {} are stray: `countersign check --repair`.",
            report.missing_entries, report.stray_entries
        );
    }
    if report.inventory.damaged > 0 {
        text += "Damaged records are refused when they are asked for; a backup has them.\n";
    }
    text += if report.is_sound() {
        "Nothing is damaged."
    } else {
        "NOT sound."
    };
    text
}

fn success(succeeded: bool) -> ExitCode {
    if succeeded {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
