//! Listing the association keys of apps, and revoking all keys of a user.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::listing::MalformedCursor;
use super::{Store, entity};
use crate::login::association_key::transitions::RevokeOutcome;
use crate::login::{AssociationKey, ClaimedUserId, KeyId};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Largest number of documents that a page looks at. Tombstones count.
const MAX_EXAMINED: usize = 1_000;

/// The position of the last key that a page looked at, in the order of apps and of key ids.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct AssociationKeyCursor {
    app: AppId,
    id: KeyId,
}

impl fmt::Display for AssociationKeyCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.app)
    }
}

impl FromStr for AssociationKeyCursor {
    type Err = MalformedCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (id, app) = text.split_once('@').ok_or(MalformedCursor)?;
        Ok(Self {
            app: app.parse().map_err(|_| MalformedCursor)?,
            id: id.parse().map_err(|_| MalformedCursor)?,
        })
    }
}

/// Some of the active keys of apps, ordered by app and by key id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssociationKeyPage {
    pub keys: Vec<AssociationKey>,
    /// Where the next page begins; `None` after the last key.
    pub next: Option<AssociationKeyCursor>,
    /// Number of keys and tombstones that were looked at.
    pub examined: usize,
    /// Number of keys that were skipped because they cannot be read.
    pub left_out: usize,
}

impl Store {
    /// Lists the active association keys of these apps, at most `limit` of them. Looks at no more than 1,000 keys and
    /// tombstones, so there may be fewer although more follow.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_association_keys(
        &self,
        apps: &[AppId],
        after: Option<&AssociationKeyCursor>,
        limit: usize,
    ) -> Result<AssociationKeyPage, Unavailable> {
        let mut apps: Vec<_> = apps.iter().collect();
        apps.sort();
        let mut page = AssociationKeyPage::default();
        for app in apps {
            let mut last = match after {
                Some(after) if *app < after.app => continue,
                Some(after) if *app == after.app => Some(after.id),
                _ => None,
            };
            loop {
                let room = (limit - page.keys.len()).min(MAX_EXAMINED - page.examined);
                if room == 0 {
                    return Ok(page);
                }
                let listed = self.items.association_keys(app, last, room).await?;
                let Some(end) = listed.last() else { break };
                last = Some(end.id);
                page.next = last.map(|id| AssociationKeyCursor {
                    app: app.clone(),
                    id,
                });
                page.examined += listed.len();
                for key in listed {
                    match key.document.and_then(entity::<AssociationKey>) {
                        Ok(key) if key.owner().is_some() => page.keys.push(key),
                        Ok(_) => {}
                        Err(_) => page.left_out += 1,
                    }
                }
            }
        }
        page.next = None;
        Ok(page)
    }

    /// Revokes all keys of a user of an app, and returns their ids, oldest first. After this has returned, no key that
    /// the user had before is active in any read.
    ///
    /// # Errors
    /// Fails if the store is unavailable; some keys may be revoked by then.
    pub async fn revoke_association_keys_of(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
        now: Timestamp,
    ) -> Result<Vec<KeyId>, Unavailable> {
        let mut revoked = Vec::new();
        for key in self.association_keys_of(app, owner).await? {
            match self.revoke_association_key(app, key.id, now).await? {
                RevokeOutcome::Revoked => revoked.push(key.id),
                RevokeOutcome::AlreadyRevoked | RevokeOutcome::Unknown => {}
            }
        }
        Ok(revoked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_reads_back() {
        let cursor = AssociationKeyCursor {
            app: "shop".parse().unwrap(),
            id: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
                .parse()
                .unwrap(),
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for bad in ["", "@", "@shop", "x@shop"] {
            let read = bad.parse::<AssociationKeyCursor>();
            assert_eq!(read, Err(MalformedCursor), "{bad}");
        }
    }
}
