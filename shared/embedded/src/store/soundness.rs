//! Known damage: where it was found, and whether the key index is reliable.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Key;
use tokio::sync::watch;

use super::Fault;
use super::row::Damage;

/// Maximum number of damaged documents that are logged by key.
const MAX_NAMED: usize = 1000;

/// Time limit of a read that waits for the scan of the store. Scanning a million documents takes a
/// few seconds.
const INSPECTION_TIMEOUT: Duration = Duration::from_secs(10);

type Listener = Box<dyn Fn() + Send + Sync>;

/// Findings of a scan of the whole store.
#[derive(Debug, Default)]
pub(super) struct InspectionFindings {
    /// The numbers of the rows that are missing from the key index, by key.
    pub(super) unindexed: HashMap<String, i64>,
    /// True if a part of the table could not be read, so that more rows may be missing.
    pub(super) is_incomplete: bool,
    /// True if documents are missing from the index by app.
    pub(super) is_started_incomplete: bool,
}

/// The meaning of a key's absence from the key index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbsenceMeaning {
    /// The document does not exist.
    Certain,
    /// The index lacks the document, whose row has this number.
    Unindexed(i64),
    /// There may be a document.
    Unknown,
}

/// The known damage of a store, shared by all readers and writers.
pub(super) struct Soundness {
    is_damaged: AtomicBool,
    named: Mutex<BTreeSet<String>>,
    listener: OnceLock<Listener>,
    inspected: watch::Sender<Option<Arc<InspectionFindings>>>,
    checked_at: OnceLock<Timestamp>,
}

impl Default for Soundness {
    fn default() -> Self {
        Self {
            is_damaged: AtomicBool::default(),
            named: Mutex::default(),
            listener: OnceLock::new(),
            inspected: watch::Sender::new(None),
            checked_at: OnceLock::new(),
        }
    }
}

impl Soundness {
    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Returns the number of damaged documents and other damaged places that were found.
    pub(super) fn damaged(&self) -> usize {
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        named.len()
    }

    /// Records the time at which the check of the whole store ended.
    pub(super) fn checked(&self, at: Timestamp) {
        // A store is checked once.
        let _ = self.checked_at.set(at);
    }

    /// Returns the time at which the check of the whole store ended.
    pub(super) fn checked_at(&self) -> Option<Timestamp> {
        self.checked_at.get().copied()
    }

    /// Registers `listener` for future damage, and calls it now if any was already found.
    pub(super) fn listen(&self, listener: Listener) {
        if self.is_damaged() {
            listener();
        }
        // A store has one host.
        let _ = self.listener.set(listener);
    }

    /// Records the failure of an operation on a document, if it was caused by damage.
    pub(super) fn note(&self, fault: &Fault, key: Option<&str>) {
        if !fault.is_damage() {
            return;
        }
        self.is_damaged.store(true, Ordering::Relaxed);
        if let Some(listener) = self.listener.get() {
            listener();
        }
        let key = key.unwrap_or_default();
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if named.len() < MAX_NAMED && named.insert(format!("{key} {fault}")) {
            let key = key.escape_debug();
            tracing::error!(
                %key, cause = %fault,
                "the store is damaged: stop the server, and run `countersign check`"
            );
        }
    }

    /// Records the result of the scan. Callers that wait for the scan continue.
    pub(super) fn inspected(&self, inspected: InspectionFindings) {
        self.inspected.send_replace(Some(Arc::new(inspected)));
    }

    /// Returns whether a read that finds nothing under this key must wait for the scan.
    pub(super) fn is_to_wait(&self, key: &Key) -> bool {
        is_missed(key) && self.inspected.borrow().is_none()
    }

    /// Waits until the scan of the store's rows has ended.
    pub(super) async fn wait(&self) -> Result<(), Fault> {
        let mut inspected = self.inspected.subscribe();
        let ended = tokio::time::timeout(INSPECTION_TIMEOUT, inspected.wait_for(Option::is_some));
        match ended.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(Fault::Closed),
            Err(_) => Err(Fault::NotLooked),
        }
    }

    /// Returns whether documents are missing from the index by app.
    pub(super) fn is_started_incomplete(&self) -> bool {
        let inspected = self.inspected.borrow();
        inspected
            .as_deref()
            .is_some_and(|inspected| inspected.is_started_incomplete)
    }

    /// Returns whether the key index is reliable for a key.
    pub(super) fn is_indexed(&self, key: &Key) -> bool {
        let inspected = self.inspected.borrow();
        inspected.as_deref().is_none_or(|inspected| {
            let is_complete = !inspected.is_incomplete || !key.is_permanent();
            let unindexed = &inspected.unindexed;
            is_complete && (unindexed.is_empty() || !unindexed.contains_key(&key.to_string()))
        })
    }

    /// Returns what it means that a key is missing from the key index.
    pub(super) fn absence(&self, key: &Key, name: &str) -> AbsenceMeaning {
        let inspected = self.inspected.borrow();
        let Some(inspected) = inspected.as_deref() else {
            return AbsenceMeaning::Certain;
        };
        match inspected.unindexed.get(name) {
            Some(number) => AbsenceMeaning::Unindexed(*number),
            None if inspected.is_incomplete && is_missed(key) => AbsenceMeaning::Unknown,
            None => AbsenceMeaning::Certain,
        }
    }
}

/// Returns whether it would be harmful to report an existing document as missing: a revoked key would be
/// active again, and a confirmation would seem never to have been started.
pub(super) const fn is_missed(key: &Key) -> bool {
    key.is_permanent() || key.subject().is_some()
}

impl From<AbsenceMeaning> for Fault {
    fn from(_: AbsenceMeaning) -> Self {
        Damage::AbsenceMeaning.into()
    }
}

impl fmt::Debug for Soundness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Soundness")
            .field("is_damaged", &self.is_damaged)
            .finish_non_exhaustive()
    }
}
