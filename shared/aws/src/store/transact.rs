//! Transitions of confirmations and logins: one read, one decision, one conditional write.

use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::Decision;
use countersign_domain::login::Login;
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{OLDEST_VERSION, RecordError, VERSION};

use super::DynamoStore;
use super::attributes::common::{CREATED_AT, PURGE_AT};
use super::attributes::{Key, PK, REVISION, WRITER};
use super::change::{Change, difference, known_version, new_mark};
use super::fault::Fault;
use super::item::{Item, instant, number};
use super::record::{encode_confirmation, encode_login, from_item};
use super::table::{Put, Written};

/// Maximum number of decisions for one transition. Each repetition means that another writer changed the
/// item.
pub(super) const MAX_DECISIONS: usize = 64;

/// A kind of item that has transitions.
pub(super) trait Kind: Sized + Send {
    /// The id of an item.
    type Id: Copy + Send + Sync;

    /// Returns the key of an item.
    fn key(id: Self::Id) -> Key;

    /// Encodes all attributes but the key and the revision.
    fn encode(&self) -> Result<Item, RecordError>;

    /// Decodes an item.
    fn decode(id: Self::Id, item: &Item) -> Result<Self, RecordError>;
}

impl Kind for Confirmation {
    type Id = ConfirmationId;

    fn key(id: Self::Id) -> Key {
        Key::confirmation(id)
    }

    fn encode(&self) -> Result<Item, RecordError> {
        encode_confirmation(self)
    }

    fn decode(id: Self::Id, item: &Item) -> Result<Self, RecordError> {
        from_item(id, item)
    }
}

impl Kind for Login {
    type Id = LoginId;

    fn key(id: Self::Id) -> Key {
        Key::login(id)
    }

    fn encode(&self) -> Result<Item, RecordError> {
        encode_login(self)
    }

    fn decode(id: Self::Id, item: &Item) -> Result<Self, RecordError> {
        from_item(id, item)
    }
}

impl DynamoStore {
    /// Writes the domain's decision on an item if the item is still the same. Otherwise decides again.
    pub(super) async fn transact<T: Kind, O: Send>(
        &self,
        id: T::Id,
        decide: impl Fn(Option<T>) -> Decision<T, O> + Send,
    ) -> Result<O, Fault> {
        let mut stored = self.get(T::key(id)).await?;
        for _ in 0..MAX_DECISIONS {
            let current = stored
                .as_ref()
                .map(|item| T::decode(id, item))
                .transpose()?;
            let before = current.as_ref().map(T::encode).transpose()?;
            let Decision { outcome, write } = decide(current);
            let Some(after) = write else {
                return Ok(outcome);
            };
            let (Some(item), Some(before)) = (&stored, &before) else {
                return Err(Fault::Contradiction("a missing item"));
            };
            let same = if_unchanged(Change::of(T::key(id)), item)?;
            let change = difference(same, item, before, after.encode()?);
            match self.make(change).await? {
                Written::Made(_) => return Ok(outcome),
                Written::Refused(newer) => stored = newer,
            }
        }
        Err(Fault::Contended(MAX_DECISIONS))
    }

    /// Creates an item if none has its id, or if only an expired one has. Otherwise the domain decides.
    pub(super) async fn put_new<T: Kind, O>(
        &self,
        id: T::Id,
        new: T,
        now: Timestamp,
        created: O,
        decide: impl FnOnce(Option<T>, T) -> Decision<T, O>,
    ) -> Result<O, Fault> {
        let mark = new_mark();
        let mut item = new.encode()?;
        item.extend(T::key(id).attributes());
        item.insert(REVISION.to_owned(), number(1_u32));
        item.insert(WRITER.to_owned(), mark.clone());
        let put = Put {
            item,
            condition: format!(
                "attribute_not_exists(#{PK}) OR (#{PURGE_AT} <= :now AND {})",
                known_version()
            ),
            values: Item::from([
                (":now".to_owned(), instant(now)),
                (":oldest".to_owned(), number(OLDEST_VERSION)),
                (":format".to_owned(), number(VERSION)),
            ]),
        };
        let stored = match self.table.put(put).await? {
            Written::Made(_) => return Ok(created),
            Written::Refused(stored) => stored,
        };
        // An earlier attempt of this call wrote it, and its response was lost.
        if stored
            .as_ref()
            .is_some_and(|item| item.get(WRITER) == Some(&mark))
        {
            return Ok(created);
        }
        let current = stored.map(|item| T::decode(id, &item)).transpose()?;
        match decide(current, new) {
            Decision {
                outcome,
                write: None,
            } => Ok(outcome),
            Decision { write: Some(_), .. } => Err(Fault::Contradiction("a free id")),
        }
    }
}

/// Requires that nothing wrote to the item since it was read. An item that replaces an expired one starts
/// again at revision one, so the time of creation must be the same, too.
fn if_unchanged(mut change: Change, stored: &Item) -> Result<Change, RecordError> {
    for (name, placeholder) in [(REVISION, ":revision"), (CREATED_AT, ":created_at")] {
        let value = stored.get(name).ok_or(RecordError::Missing(name))?;
        change = change
            .when(format!("#{name} = {placeholder}"))
            .given(placeholder, value.clone());
    }
    Ok(change)
}
