//! Lists of the confirmations and logins that an app started, page by page.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use futures_util::future::try_join_all;
use thiserror::Error;

use super::document::Entity;
use super::items::{ListedItem, PageStart};
use super::{ListPermit, Store, entity};
use crate::app::api_key::KeyMode;
use crate::app::scope::Scope;
use crate::confirmation::{Confirmation, Status};
use crate::delivery::{DeliveryKind, DeliverySubject};
use crate::login::{self, Login};
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Maximum number of documents in one read.
const MAX_BATCH: usize = 100;

/// Minimum number of documents in the first read of each of several apps.
const MIN_BATCH: usize = 8;

/// Maximum number of documents that are examined for each one that a page may have, however few of them
/// match.
const MAX_READS_PER_ITEM: usize = 5;

/// The last two to six digits of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastDigits(String);

impl LastDigits {
    /// Takes the last four digits of what an operator entered, who may have a whole number. More would let a reader
    /// complete a masked number digit by digit.
    ///
    /// # Errors
    /// Fails without two to fifteen digits, or with other characters than people put between them.
    pub fn of_entry(text: &str) -> Result<Self, MalformedDigits> {
        let is_known = |c: char| c.is_ascii_digit() || " +-./()".contains(c);
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        if !text.chars().all(is_known) || digits.len() > 15 {
            return Err(MalformedDigits);
        }
        digits[digits.len().saturating_sub(4)..].parse()
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn end(&self, number: &PhoneNumber) -> bool {
        number.as_str().ends_with(&self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the last digits of a number are two to six digits")]
pub struct MalformedDigits;

impl FromStr for LastDigits {
    type Err = MalformedDigits;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (2..=6).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedDigits)
        }
    }
}

/// The beginning of the next page, as text: time and id of the last item examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    created_at: Timestamp,
    subject: DeliverySubject,
}

impl Cursor {
    const fn after(listed: &ListedItem) -> Self {
        Self::at(listed.started_at, listed.subject)
    }

    pub(super) const fn at(created_at: Timestamp, subject: DeliverySubject) -> Self {
        Self {
            created_at,
            subject,
        }
    }

    pub(super) const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// Returns the kind of the listed items.
    #[must_use]
    pub const fn kind(&self) -> DeliveryKind {
        self.subject.kind()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a nextCursor of an earlier answer")]
pub struct MalformedCursor;

impl From<Cursor> for PageStart {
    fn from(cursor: Cursor) -> Self {
        Self::Item(cursor.created_at, cursor.subject)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.created_at.as_millis(), self.subject)
    }
}

impl FromStr for Cursor {
    type Err = MalformedCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (millis, id) = text.split_once('.').ok_or(MalformedCursor)?;
        let millis = millis.parse().map_err(|_| MalformedCursor)?;
        let confirmation = id.parse().map(DeliverySubject::Confirmation);
        let subject = confirmation.or_else(|_| id.parse().map(DeliverySubject::Login));
        Ok(Self {
            created_at: Timestamp::from_millis(millis),
            subject: subject.map_err(|_| MalformedCursor)?,
        })
    }
}

/// The period in which the listed items were started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub from: Timestamp,
    pub before: PageStart,
}

/// The filter for confirmations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmationFilter {
    pub status: Option<Status>,
    /// The last digits of the number to confirm, or of the verified one.
    pub last_digits: Option<LastDigits>,
    pub period: Period,
}

impl ConfirmationFilter {
    fn has(&self, item: &Confirmation, now: Timestamp) -> bool {
        let status = item.status(now);
        now < item.purge_at
            && self.status.is_none_or(|wanted| wanted == status)
            && self
                .last_digits
                .as_ref()
                .is_none_or(|digits| item.number().is_some_and(|number| digits.end(number)))
    }
}

/// An item that an app starts and can list.
pub(super) trait Listable: Entity {
    const KIND: DeliveryKind;
}

impl Listable for Confirmation {
    const KIND: DeliveryKind = DeliveryKind::Confirmations;
}

impl Listable for Login {
    const KIND: DeliveryKind = DeliveryKind::Logins;
}

/// A page of the matching items, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage<T> {
    pub items: Vec<T>,
    /// The beginning of the next page; `None` after the last one.
    pub next: Option<Cursor>,
    /// Number of documents that were skipped because they cannot be read, whether they match or not.
    pub left_out: usize,
}

impl Store {
    /// Lists at most `limit` confirmations that a caller may see, newest first. Examines at most five times as
    /// many, so a page may have fewer even if more pages follow. Skips documents that cannot be read.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_confirmations(
        &self,
        permit: &ListPermit<'_>,
        mode: KeyMode,
        filter: &ConfirmationFilter,
        limit: usize,
        now: Timestamp,
    ) -> Result<ListPage<Confirmation>, Unavailable> {
        let (app, period) = (permit.app(), filter.period);
        let scope = Scope { app, mode };
        let fits = |item: &Confirmation| scope.has(&item.app, item.test) && filter.has(item, now);
        self.list_started(app, period, limit, fits).await
    }

    /// Lists the confirmations of an app whose personal data was erased, as [`list_confirmations`](Self::list_confirmations)
    /// does, for an administrator: without a quota, and including tests.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_redacted(
        &self,
        app: &AppId,
        before: PageStart,
        limit: usize,
        now: Timestamp,
    ) -> Result<ListPage<Confirmation>, Unavailable> {
        let from = Timestamp::from_millis(0);
        let fits = |item: &Confirmation| item.redacted_at.is_some() && now < item.purge_at;
        self.list_started(app, Period { from, before }, limit, fits)
            .await
    }

    /// Lists logins of an app as [`list_confirmations`](Self::list_confirmations) does its confirmations.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_logins(
        &self,
        permit: &ListPermit<'_>,
        mode: KeyMode,
        status: Option<login::Status>,
        period: Period,
        limit: usize,
        now: Timestamp,
    ) -> Result<ListPage<Login>, Unavailable> {
        let scope = Scope {
            app: permit.app(),
            mode,
        };
        let fits = |item: &Login| {
            scope.has(&item.app, item.test)
                && now < item.purge_at
                && status.is_none_or(|wanted| wanted == item.status(now))
        };
        self.list_started(permit.app(), period, limit, fits).await
    }

    async fn list_started<T: Listable>(
        &self,
        app: &AppId,
        period: Period,
        limit: usize,
        fits: impl Fn(&T) -> bool,
    ) -> Result<ListPage<T>, Unavailable> {
        let most = limit.saturating_mul(MAX_READS_PER_ITEM);
        let from = period.from;
        let places = [(app, period.before)];
        let walked = self.walk(&places, from, limit, most, fits).await?;
        Ok(ListPage {
            items: walked.items,
            next: walked.last.map(|(_, cursor)| cursor),
            left_out: walked.left_out,
        })
    }

    /// Walks through what apps started, newest first, from a place in the list of each one on. Of one millisecond, it has
    /// the items of the first app first. Stops after `limit` items that fit, or `most` that it looked at.
    pub(super) async fn walk<T: Listable>(
        &self,
        places: &[(&AppId, PageStart)],
        from: Timestamp,
        limit: usize,
        most: usize,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Walked<T>, Unavailable> {
        // If all documents match, the first batches fill the page; each further batch is twice as large as the
        // previous one.
        let size = limit
            .div_ceil(places.len().max(1))
            .max(MIN_BATCH.min(limit));
        let mut lists: Vec<_> = places
            .iter()
            .map(|&(app, before)| AppList {
                app,
                before,
                batch: VecDeque::new(),
                size,
                ended: false,
            })
            .collect();
        let mut walked = Walked {
            items: Vec::new(),
            last: None,
            looked_at: 0,
            left_out: 0,
        };
        loop {
            let rest = most.saturating_sub(walked.looked_at);
            let filled = lists.iter_mut().map(|list| async move {
                if !list.batch.is_empty() || list.ended {
                    return Ok(());
                }
                let batch = list.size.min(MAX_BATCH).min(rest);
                list.size = list.size.saturating_mul(2);
                let batch = self
                    .items
                    .started(T::KIND, list.app, from, list.before, batch);
                list.batch = batch.await?.into();
                list.ended = list.batch.is_empty();
                Ok::<_, Unavailable>(())
            });
            try_join_all(filled).await?;
            let next = lists
                .iter()
                .enumerate()
                .filter_map(|(index, list)| Some((index, list.batch.front()?.started_at)))
                .max_by_key(|&(index, started_at)| (started_at, Reverse(index)));
            let Some((listed, index)) =
                next.and_then(|(index, _)| Some((lists[index].batch.pop_front()?, index)))
            else {
                walked.last = None;
                return Ok(walked);
            };
            let cursor = Cursor::after(&listed);
            lists[index].before = cursor.into();
            walked.last = Some((index, cursor));
            walked.looked_at += 1;
            match listed.document.and_then(entity) {
                Ok(item) if fits(&item) => walked.items.push(item),
                Ok(_) => {}
                Err(_) => walked.left_out += 1,
            }
            if walked.items.len() >= limit || walked.looked_at >= most {
                return Ok(walked);
            }
        }
    }
}

/// The list of what one app started, from a place on.
struct AppList<'a> {
    app: &'a AppId,
    before: PageStart,
    batch: VecDeque<ListedItem>,
    size: usize,
    ended: bool,
}

/// The result of a walk.
pub(super) struct Walked<T> {
    pub(super) items: Vec<T>,
    /// The app, by its position, and the place of the last one that was looked at; `None` if none follow.
    pub(super) last: Option<(usize, Cursor)>,
    pub(super) looked_at: usize,
    pub(super) left_out: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::ids::{ConfirmationId, LoginId, LoginKind};

    #[test]
    fn cursor_reads_back() {
        let created_at = Timestamp::from_millis(1_767_323_045_678);
        let confirmation = ConfirmationId::from_bytes([7; 16]);
        let login = LoginId::from_bytes(LoginKind::Sealed, [7; 16]);
        let cursors = [confirmation.into(), login.into()].map(|subject| Cursor {
            created_at,
            subject,
        });
        for cursor in cursors {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        let text = cursors[0].to_string();
        for bad in [
            "",
            ".",
            "1767323045678",
            "x.cfm_07",
            &text[..text.len() - 1],
        ] {
            assert_eq!(bad.parse::<Cursor>(), Err(MalformedCursor), "{bad}");
        }
    }

    #[test]
    fn last_digits_are_two_to_six() {
        for (text, fits) in [
            ("1", false),
            ("12", true),
            ("123456", true),
            ("1234567", false),
            ("+1", false),
        ] {
            assert_eq!(text.parse::<LastDigits>().is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn only_the_last_four_digits_of_an_entry_count() {
        for (entry, digits) in [
            ("67", Some("67")),
            ("4567", Some("4567")),
            ("+49 (170) 123-4567", Some("4567")),
            ("7", None),
            ("", None),
            ("١٢٣٤", None),
            ("4567x", None),
            ("1234567890123456", None),
        ] {
            let read = LastDigits::of_entry(entry).ok();
            assert_eq!(
                read,
                digits.map(|digits| digits.parse().unwrap()),
                "{entry}"
            );
        }
    }
}
