//! `countersign backup`, `restore` and `check`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use countersign_api::Causes;
use countersign_domain::primitives::time::Clock as _;
use countersign_embedded::store::{Backup, BackupError, Findings, Inventory, repair};
use countersign_system::clock::SystemClock;

use crate::args::CheckArgs;
use crate::backup::file::{NewBackup, earlier};
use crate::backup::{self, record};
use crate::data_dir::{DataDir, DataDirError, ReadLock};
use crate::failure::Failure;
use crate::progress;
use crate::terminal::{self, print};

/// Timeout for another process to release the data: a short command, or a server that starts or
/// stops.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

/// Exit code for a backup that lacks damaged documents.
const LACKS_DOCUMENTS: u8 = 4;

/// Backs up all data into one file, whether or not a server runs.
pub(super) fn backup(data: &Path, place: &Path) -> Result<ExitCode, Failure> {
    let data = DataDir::existing(data)?;
    data.check_served()?;
    // On a read-only file system SQLite cannot see writes that a server makes through another
    // mount.
    let lock = data
        .is_read_only()?
        .then(|| data.lock_to_read(LOCK_TIMEOUT));
    let _lock = lock.transpose()?;
    let write = |cause: &dyn std::error::Error| {
        Failure::because(format!("cannot write {}", place.display()), cause)
    };
    let new = NewBackup::begin(place).map_err(|error| write(&error))?;
    let now = SystemClock.now();
    let written = progress::of_file(new.path(), || backup::write(&data, new.path(), now));
    let left_out = written?;
    let bytes = new
        .finish(!left_out.is_empty())
        .map_err(|error| write(&error))?;
    print(&format!("{}: {bytes} bytes", place.display()))?;
    if !data.is_read_only()? {
        let recorded = record::add(data.files(), now, place, (bytes, left_out.len()));
        if let Err(error) = recorded {
            let cause = Causes(&error);
            terminal::complain(&format!("countersign: the backup is not recorded: {cause}"));
        }
    }
    if left_out.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    terminal::complain(&lacking(place, &left_out));
    Ok(ExitCode::from(LACKS_DOCUMENTS))
}

/// Describes what a backup lacks.
fn lacking(place: &Path, left_out: &[String]) -> String {
    let mut text = format!(
        "countersign: the store is damaged, and {} lacks:\n",
        place.display()
    );
    for line in left_out {
        let _ = writeln!(text, "  {line}");
    }
    let kept = earlier(place);
    if kept.exists() {
        let _ = writeln!(
            text,
            "An earlier backup may have them: {} is kept.",
            kept.display()
        );
    }
    text += "A key that was revoked (KEY, AKEY) would be valid after a restore: revoke it again. Stop the server, \
             and run `countersign check`.";
    text
}

/// Restores a backup into an empty data directory.
pub(super) fn restore(data: &Path, place: &Path) -> Result<ExitCode, Failure> {
    let data = DataDir::create(data)?;
    let _lock = data.lock(LOCK_TIMEOUT).map_err(in_use)?;
    let restored = backup::restore(&data, place, &mut progress::of_documents())?;
    let mut text = inventory(&restored.inventory);
    let Inventory {
        owed_webhooks,
        active_keys,
        ..
    } = restored.inventory;
    let made_at = restored.made_at;
    let command = terminal::command(data.path());
    let _ = write!(
        text,
        "\nRestored as of {made_at}. Later changes are lost:\n\
         - {owed_webhooks} webhooks are owed; any that were delivered later are sent again.\n\
         - {active_keys} API keys are active, including any that were revoked later: `{command} key \
         list APP`.\n\
         - A signing key that was rotated out later signs again: `{command} signing-key rotate`."
    );
    print(&text)?;
    Ok(success(restored.inventory.damaged.is_empty()))
}

/// Checks a backup, or the data of a stopped server.
pub(super) fn check(data: &Path, args: &CheckArgs) -> Result<ExitCode, Failure> {
    if let Some(place) = &args.file {
        return check_backup(place);
    }
    let data = DataDir::existing(data)?;
    let locked = if args.repair {
        data.lock(LOCK_TIMEOUT).map(ReadLock::from)
    } else {
        data.lock_to_read(LOCK_TIMEOUT)
    };
    let _lock = locked.map_err(in_use)?;
    data.check_served()?;
    let look = || {
        let found = Findings::of_store(data.files(), &mut progress::of_documents());
        found.map_err(Failure::from)
    };
    let mut found = look()?;
    if args.repair && (!found.misplaced.is_empty() || found.is_damaged) {
        print(&findings(&found))?;
        repair(data.files())?;
        print("The store was written again, with all that can be read. Second check:")?;
        found = look()?;
    }
    print(&findings(&found))?;
    Ok(success(found.is_sound()))
}

fn check_backup(place: &Path) -> Result<ExitCode, Failure> {
    let checked = || {
        let backup = Backup::open(place)?;
        let found = backup.check(&mut progress::of_documents())?;
        Ok((backup.made_at(), found))
    };
    let checked: Result<_, BackupError> = checked();
    let (made_at, found) = checked.map_err(|error| Failure::because(place.display(), &error))?;
    print(&format!(
        "{}\nMade at {made_at}, complete.",
        inventory(&found.inventory)
    ))?;
    Ok(success(found.is_sound()))
}

/// Explains how to check data that a server uses.
fn in_use(error: DataDirError) -> Failure {
    match error {
        DataDirError::Locked(_) => Failure::new(format!(
            "{}; a running server's data is checked in its backup: `countersign backup FILE`, then \
             `countersign check FILE`",
            Causes(&error)
        )),
        error => error.into(),
    }
}

/// Lists the number of records of each kind, and the damaged ones.
fn inventory(found: &Inventory) -> String {
    let mut text = String::new();
    for (kind, count) in &found.documents {
        let _ = writeln!(text, "{count:>12} {kind}");
    }
    if !found.damaged.is_empty() {
        let _ = writeln!(text, "{:>12} damaged documents:", found.damaged.len());
        for damage in &found.damaged {
            let _ = writeln!(text, "             {damage}");
        }
    }
    text
}

fn findings(found: &Findings) -> String {
    let mut text = inventory(&found.inventory);
    let misplaced = &found.misplaced;
    if !misplaced.is_empty() {
        let count = misplaced.len();
        let _ = writeln!(
            text,
            "{count:>12} documents are not where their contents say:"
        );
        for key in misplaced {
            let _ = writeln!(text, "             {}", key.escape_debug());
        }
    }
    if found.is_damaged {
        text += "The file or an index is damaged.\n";
    }
    if found.is_damaged || !misplaced.is_empty() {
        text += "`countersign check --repair` writes the store again, with all that can be read.\n";
    }
    if !found.inventory.damaged.is_empty() {
        text += "Damaged documents cannot be read; an earlier backup may hold them intact.\n";
    }
    text += if found.is_sound() {
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
