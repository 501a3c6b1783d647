//! Lists of the confirmations and logins that an app started, page by page.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::document::Entity;
use super::items::{ListedItem, PageStart};
use super::{ListPermit, Store, entity};
use crate::app::api_key::KeyMode;
use crate::app::scope::Scope;
use crate::confirmation::{Confirmation, Flow, Status};
use crate::delivery::{DeliveryKind, DeliverySubject};
use crate::login::{self, Login};
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Maximum number of documents in one read.
const MAX_BATCH: usize = 100;

/// Maximum number of documents that are examined for each one that a page may have, however few of them
/// match.
const MAX_READS_PER_ITEM: usize = 5;

/// The last two to six digits of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastDigits(String);

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
        Self {
            created_at: listed.started_at,
            subject: listed.subject,
        }
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
            && self.last_digits.as_ref().is_none_or(|LastDigits(digits)| {
                number_of(item).is_some_and(|number| number.as_str().ends_with(digits))
            })
    }
}

/// Returns the verified number, or else the number to confirm.
fn number_of(item: &Confirmation) -> Option<&PhoneNumber> {
    let verified = item.verified();
    let expected = match &item.flow {
        Flow::Acquisition => None,
        Flow::Confirmation { expected } => expected.present(),
    };
    let verified = verified.and_then(|verified| verified.phone_number.present());
    verified.or(expected)
}

/// An item that an app starts and can list.
trait Listable: Entity {
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
        let (mut items, mut before, mut looked_at) = (Vec::new(), period.before, 0);
        let mut left_out = 0;
        let most = limit.saturating_mul(MAX_READS_PER_ITEM);
        // If all documents match, the first batch fills the page; each further batch is twice as large as the
        // previous one.
        let mut size = limit;
        loop {
            let batch = size.min(MAX_BATCH).min(most - looked_at);
            size = size.saturating_mul(2);
            let batch = self
                .items
                .started(T::KIND, app, period.from, before, batch)
                .await?;
            let is_last = batch.is_empty();
            for listed in batch {
                let cursor = Cursor::after(&listed);
                (before, looked_at) = (cursor.into(), looked_at + 1);
                match listed.document.and_then(entity) {
                    Ok(item) if fits(&item) => items.push(item),
                    Ok(_) => {}
                    Err(_) => left_out += 1,
                }
                if items.len() >= limit || looked_at >= most {
                    let next = Some(cursor);
                    return Ok(ListPage {
                        items,
                        next,
                        left_out,
                    });
                }
            }
            if is_last {
                return Ok(ListPage {
                    items,
                    next: None,
                    left_out,
                });
            }
        }
    }
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
}
