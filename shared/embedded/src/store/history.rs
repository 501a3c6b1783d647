//! The history by which the risk of later logins is judged.

use async_trait::async_trait;
use countersign_domain::login::UserKey;
use countersign_domain::login::history::{
    HistoryQuery, NameOutcome, NamedUser, NewNames, RiskHistory,
};
use countersign_domain::login::risk::{ConfirmedLogin, Denials, History, PersonHistory};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::address_block::AddressBlock;
use redb::{ReadTransaction, ReadableTable, Table};

use super::EmbeddedStore;
use super::batch::Batch;
use super::checked;
use super::fault::Fault;
use super::tables::{
    DENIALS, FORGET_DENIALS, FORGET_NONCES, FORGET_PERSONS, FORGET_TEXTS, ItemKey, NONCES, PERSONS,
    TEXTS, TimeKey, after, denials_key, person_key, read_time_key, time_key,
};

#[async_trait]
impl RiskHistory for EmbeddedStore {
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable> {
        self.read("risk history: recent", |transaction| {
            let compare = |user: &NamedUser| {
                let claimed = person(transaction, &user.claimed)?;
                let verified = person(transaction, &user.verified)?;
                Ok::<_, Fault>(user.compare(&claimed, &verified, now))
            };
            Ok(History {
                denials: denials(transaction, query)?.count(now),
                name: query.user.as_ref().map(compare).transpose()?,
            })
        })
    }

    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable> {
        let key = denials_key(app, browser);
        self.write("risk history: note denial", move |batch| {
            let mut table = batch.transaction.open_table(DENIALS)?;
            let known = table.get(&key)?;
            // A damaged record is replaced, so that later denials count again.
            let known =
                known.and_then(|record| checked::read(&DENIALS, &key, (), record.value()).ok());
            let known: Denials = known.unwrap_or_default();
            let before = known.forgotten_at();
            let denials = known.with(at);
            let sealed = checked::write(&DENIALS, &key, &denials)?;
            table.insert(&key, sealed.stored())?;
            drop(table);
            let index = batch.transaction.open_table(FORGET_DENIALS)?;
            move_in(index, &key, before, denials.forgotten_at())?;
            batch.mark_changed();
            Ok(())
        })
        .await
    }

    async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable> {
        self.note_name(user, login, NewNames::Remember).await?;
        Ok(())
    }

    async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Unavailable> {
        let key = person_key(&user);
        self.write("risk history: note confirmation", move |batch| {
            let mut table = batch.transaction.open_table(PERSONS)?;
            let known = table.get(&key)?;
            let outcome = match (&known, new_names) {
                (Some(_), _) => NameOutcome::Known,
                (None, NewNames::Remember) => NameOutcome::New,
                (None, NewNames::LeaveOut) => return Ok(NameOutcome::LeftOut),
            };
            let known =
                known.and_then(|record| checked::read(&PERSONS, &key, (), record.value()).ok());
            let known: PersonHistory = known.unwrap_or_default();
            let before = known.forgotten_at();
            let person = known.with(login);
            let sealed = checked::write(&PERSONS, &key, &person)?;
            table.insert(&key, sealed.stored())?;
            drop(table);
            let index = batch.transaction.open_table(FORGET_PERSONS)?;
            move_in(index, &key, before, person.forgotten_at())?;
            batch.mark_changed();
            Ok(outcome)
        })
        .await
    }
}

/// Moves an entry to its new place in an index by time.
pub(super) fn move_in(
    mut index: Table<'_, &'static TimeKey, ()>,
    key: &ItemKey,
    before: Option<Timestamp>,
    after: Option<Timestamp>,
) -> Result<(), Fault> {
    if let Some(before) = before {
        index.remove(&time_key(before, key))?;
    }
    if let Some(after) = after {
        index.insert(&time_key(after, key), ())?;
    }
    Ok(())
}

fn denials(transaction: &ReadTransaction, query: &HistoryQuery) -> Result<Denials, Fault> {
    let table = transaction.open_table(DENIALS)?;
    let key = denials_key(&query.app, query.browser);
    Ok(match table.get(&key)? {
        Some(record) => checked::read(&DENIALS, &key, (), record.value())?,
        None => Denials::default(),
    })
}

fn person(transaction: &ReadTransaction, user: &UserKey) -> Result<PersonHistory, Fault> {
    let table = transaction.open_table(PERSONS)?;
    let key = person_key(user);
    Ok(match table.get(&key)? {
        Some(record) => checked::read(&PERSONS, &key, (), record.value())?,
        None => PersonHistory::default(),
    })
}

/// Removes at most `limit` expired histories, nonces and texts of each kind, and returns how many it removed.
pub(super) fn forget(batch: &mut Batch<'_>, now: Timestamp, limit: usize) -> Result<usize, Fault> {
    let mut removed = 0;
    for (index, histories) in [
        (FORGET_DENIALS, DENIALS),
        (FORGET_PERSONS, PERSONS),
        (FORGET_NONCES, NONCES),
        (FORGET_TEXTS, TEXTS),
    ] {
        let mut index = batch.transaction.open_table(index)?;
        let mut histories = batch.transaction.open_table(histories)?;
        let end = after(now);
        let over = index.range::<&TimeKey>(..&end)?.take(limit);
        let over = over.map(|entry| Ok(*entry?.0.value()));
        let over = over.collect::<Result<Vec<TimeKey>, Fault>>()?;
        for entry in &over {
            index.remove(entry)?;
            histories.remove(&read_time_key(entry).1)?;
        }
        removed += over.len();
    }
    if removed > 0 {
        batch.mark_changed();
    }
    Ok(removed)
}
