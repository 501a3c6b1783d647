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

/// Time limit for another process to release the data: a small command, or a server that starts or
/// stops.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

const POLL: Duration = Duration::from_millis(50);

/// Backs up all data into one file, through the server if it is running.
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
                data.check_served().map_err(|error| Failure::of(&error))?;
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

/// Restores a backup into an empty data directory.
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
        "\nRestored as of {made_at}. Later changes are lost:\n\
         - {owed_webhooks} webhooks are owed; any that were delivered later are sent again.\n\
         - {active_keys} API keys are active, including any that were revoked later: `{command} key \
         list APP`.\n\
         - A signing key that was rotated out later signs again: `{command} signing-key rotate`."
    );
    say(&text)?;
    Ok(success(restored.inventory.damaged == 0))
}

/// Checks a backup, or the data of a stopped server.
pub(super) fn check(data: &Path, args: &CheckArgs) -> Result<ExitCode, Failure> {
    if let Some(place) = &args.file {
        return check_backup(place);
    }
    let data = DataDir::existing(data).map_err(|error| Failure::of(&error))?;
    let _lock = lock(&data)?;
    data.check_served().map_err(|error| Failure::of(&error))?;
    let look = || backup::check_data(&data).map_err(|error| Failure::of(&error));
    let mut report = look()?;
    if args.repair && !report.indexes_fit() {
        say(&findings(&report))?;
        rebuild_indexes(data.files()).map_err(|error| Failure::of(&error))?;
        say("The indexes were rebuilt. Second check:")?;
        report = look()?;
    }
    say(&findings(&report))?;
    Ok(success(report.is_sound()))
}

fn check_backup(place: &Path) -> Result<ExitCode, Failure> {
    let checked = backup::check_backup(place);
    let (made_at, found): (Timestamp, Inventory) =
        checked.map_err(|error| Failure::because(place.display(), &error))?;
    say(&format!(
        "{}\nMade at {made_at}, complete.",
        inventory(&found)
    ))?;
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

/// Lists the number of records of each kind, and the damaged ones.
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
            "{} of the store's own counters are damaged: `countersign serve` replaces them.",
            report.damaged_numbers
        );
    }
    if !report.indexes_fit() {
        let _ = writeln!(
            text,
            "{} index entries are missing and {} are stray: run `countersign check --repair`.",
            report.missing_entries, report.stray_entries
        );
    }
    if report.inventory.damaged > 0 {
        text += "Damaged records cannot be read; an earlier backup may hold them intact.\n";
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
