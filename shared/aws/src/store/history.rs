//! The history that the risk of later logins is derived from. No transition depends on it.

use async_trait::async_trait;
use countersign_domain::login::UserKey;
use countersign_domain::login::history::{HistoryQuery, NameOutcome, NewNames, RiskHistory};
use countersign_domain::login::risk::{
    ConfirmedLogin, DENIAL_WINDOW, DENIALS, Denials, History, MAX_KNOWN_BROWSERS, PersonHistory,
    REMEMBERED,
};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::address_block::AddressBlock;
use futures_util::future::try_join;

use super::attributes::denials::slot;
use super::attributes::person::{BROWSERS, EAST, LAST_AT, NORTH};
use super::attributes::{Key, PK, REVISION, TTL};
use super::change::{Change, difference};
use super::fault::Fault;
use super::item::{Item, instant, integer, number, seconds};
use super::record::{NEVER, decode_person, encode_person, from_item, mark_name};
use super::transact::MAX_DECISIONS;
use super::{DynamoStore, Written, unavailable};

#[async_trait]
impl RiskHistory for DynamoStore {
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable> {
        let denials = self.denials(&query.app, query.browser);
        let name = async {
            let Some(user) = &query.user else {
                return Ok(None);
            };
            let both = try_join(self.person(user.claimed), self.person(user.verified));
            let (claimed, verified) = both.await?;
            Ok(Some(user.compare(&claimed, &verified, now)))
        };
        let read = try_join(denials, Box::pin(name)).await;
        let (denials, name) = read.map_err(unavailable("login history: recent"))?;
        Ok(History {
            denials: denials.count(now),
            name,
        })
    }

    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable> {
        let change = one_denial_more(app, browser, at);
        let written = async {
            match self.make(change).await? {
                Written::Made(_) => Ok(()),
                Written::Refused(item) => {
                    // The item has a version that this release cannot read. Decoding it returns that error.
                    let read = |item: Item| from_item::<Denials>((), &item);
                    item.map(read).transpose()?;
                    Err(Fault::Contradiction("the denials"))
                }
            }
        };
        written
            .await
            .map_err(unavailable("login history: note denial"))
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
        self.remember(user, login, new_names)
            .await
            .map_err(unavailable("login history: note confirmation"))
    }
}

impl DynamoStore {
    async fn denials(&self, app: &AppId, browser: AddressBlock) -> Result<Denials, Fault> {
        let item = self.get(Key::denials(app, browser)).await?;
        let denials = item.map(|item| from_item((), &item)).transpose()?;
        Ok(denials.unwrap_or_default())
    }

    async fn person(&self, user: UserKey) -> Result<PersonHistory, Fault> {
        let item = self.get(Key::person(user)).await?;
        let history = item.map(|item| decode_person(&item)).transpose()?;
        Ok(history.map_or_else(PersonHistory::default, |(history, _)| history))
    }

    /// Records a login. Updates the item in place, or rewrites the history if there is none yet or a
    /// browser must be dropped to make room.
    async fn remember(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Fault> {
        let mut change = one_login_more(user, login);
        let mut outcome = NameOutcome::Known;
        for _ in 0..MAX_DECISIONS {
            change = match self.make(change).await? {
                Written::Made(_) => return Ok(outcome),
                Written::Refused(None) if new_names == NewNames::LeaveOut => {
                    return Ok(NameOutcome::LeftOut);
                }
                Written::Refused(stored) => {
                    outcome = match stored {
                        Some(_) => NameOutcome::Known,
                        None => NameOutcome::New,
                    };
                    rewritten(user, stored.as_ref(), login)?
                }
            };
        }
        Err(Fault::Contended(MAX_DECISIONS))
    }
}

/// Stores a denial in slot 0, moves the others up by one slot and drops the oldest.
fn one_denial_more(app: &AppId, browser: AddressBlock, at: Timestamp) -> Change {
    let change = Change::of_any(Key::denials(app, browser))
        .once()
        .given(":never", instant(NEVER))
        .set(&slot(0), instant(at))
        .set(TTL, seconds(at.plus(DENIAL_WINDOW)));
    // Every expression sees the item as it was before the update.
    (1..DENIALS).fold(change, |change, number| {
        let (here, before) = (slot(number), slot(number - 1));
        change.set_to(format!("#{here} = if_not_exists(#{before}, :never)"))
    })
}

/// Adds a login of a known person, if the browser is known or there is room for it.
fn one_login_more(user: UserKey, login: ConfirmedLogin) -> Change {
    let mark = mark_name(&login.browser);
    let change = Change::of(Key::person(user))
        .when(format!(
            "(attribute_exists(#{BROWSERS}.#{mark}) OR size(#{BROWSERS}) < :most)"
        ))
        .given(":most", number(MAX_KNOWN_BROWSERS as u64))
        .given(":at", instant(login.at))
        .set_to(format!("#{BROWSERS}.#{mark} = :at"))
        .set(TTL, seconds(login.at.plus(REMEMBERED)));
    let Some((north, east)) = login.coordinates.map(|point| point.units()) else {
        return change;
    };
    change
        .set(LAST_AT, instant(login.at))
        .set(NORTH, integer(north))
        .set(EAST, integer(east))
}

/// Rewrites the history with that login added, unless the item changed since it was read.
fn rewritten(user: UserKey, stored: Option<&Item>, login: ConfirmedLogin) -> Result<Change, Fault> {
    let key = Key::person(user);
    let Some(item) = stored else {
        let free = Change::of_any(key).when(format!("attribute_not_exists(#{PK})"));
        let history = encode_person(&PersonHistory::default().with(login))?;
        return Ok(difference(free, &Item::new(), &Item::new(), history));
    };
    let (history, revision) = decode_person(item)?;
    let before = encode_person(&history)?;
    let same = Change::of(key)
        .when(format!("#{REVISION} = :revision"))
        .given(":revision", number(revision));
    Ok(difference(
        same,
        item,
        &before,
        encode_person(&history.with(login))?,
    ))
}
