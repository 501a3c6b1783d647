//! The stored form of association keys.

use countersign_domain::login::{
    AssociationKey, ClaimedUserId, KeyId, KeyPoint, KeyState, UserKey,
};
use countersign_domain::primitives::ids::AppId;
use serde::{Deserialize, Serialize};

use crate::entity::Entity;
use crate::error::{RecordError, invalid};
use crate::value::{Bytes, Millis, Text};

/// An association key or its tombstone, stored under its app and its id. It is a tombstone if it has
/// a time of revocation.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct AssociationKeyRecord<'a> {
    /// The uncompressed point.
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    point: Option<Bytes<'a>>,
    /// The user to whom the key belongs.
    #[serde(rename = "o", skip_serializing_if = "Option::is_none")]
    owner: Option<Text<'a>>,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    registered_at: Option<Millis>,
    /// Hash of the user to whom a revoked key belonged.
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    former_owner: Option<Bytes<'a>>,
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Millis>,
}

impl<'a> From<&'a AssociationKey> for AssociationKeyRecord<'a> {
    fn from(key: &'a AssociationKey) -> Self {
        let none = Self {
            point: None,
            owner: None,
            registered_at: None,
            former_owner: None,
            revoked_at: None,
        };
        match &key.state {
            KeyState::Active {
                point,
                owner,
                registered_at,
            } => Self {
                point: Some(point.as_bytes().into()),
                owner: Some(owner.as_str().into()),
                registered_at: Some((*registered_at).into()),
                ..none
            },
            KeyState::Revoked { owner, at } => Self {
                former_owner: Some(owner.as_bytes().into()),
                revoked_at: Some((*at).into()),
                ..none
            },
        }
    }
}

impl Entity for AssociationKey {
    type Id = (AppId, KeyId);
    type Record<'a> = AssociationKeyRecord<'a>;

    fn record(&self) -> AssociationKeyRecord<'_> {
        self.into()
    }

    fn from_record(
        (app, id): (AppId, KeyId),
        record: AssociationKeyRecord<'_>,
    ) -> Result<Self, RecordError> {
        let state = match record.revoked_at {
            Some(at) => KeyState::Revoked {
                owner: former_owner(record.former_owner.as_ref())?,
                at: at.into(),
            },
            None => KeyState::Active {
                point: point(id, record.point.as_ref())?,
                owner: owner(record.owner.as_ref())?,
                registered_at: record
                    .registered_at
                    .ok_or(RecordError::Missing("registered_at"))?
                    .into(),
            },
        };
        Ok(Self { app, id, state })
    }
}

/// Reads the key, whose id must be the one that it is stored under.
fn point(id: KeyId, stored: Option<&Bytes<'_>>) -> Result<KeyPoint, RecordError> {
    let stored = stored.ok_or(RecordError::Missing("point"))?;
    let point = KeyPoint::from_bytes(stored.fixed("point")?).map_err(invalid("point"))?;
    if point.key_id() == id {
        Ok(point)
    } else {
        Err(RecordError::Invalid("point"))
    }
}

fn owner(stored: Option<&Text<'_>>) -> Result<ClaimedUserId, RecordError> {
    let stored = stored.ok_or(RecordError::Missing("owner"))?;
    let owner = ClaimedUserId::from_stored(stored.as_str());
    owner.map_err(invalid("owner"))
}

fn former_owner(stored: Option<&Bytes<'_>>) -> Result<UserKey, RecordError> {
    let stored = stored.ok_or(RecordError::Missing("former_owner"))?;
    Ok(UserKey::from_bytes(stored.fixed("former_owner")?))
}

#[cfg(test)]
mod tests {
    use countersign_domain::primitives::time::Timestamp;

    use super::*;

    const COORDINATES: [u8; 64] = [7; 64];

    /// Returns the fields of an active key.
    fn active(point: &KeyPoint) -> AssociationKeyRecord<'_> {
        AssociationKeyRecord {
            point: Some(point.as_bytes().into()),
            owner: Some("zoe".into()),
            registered_at: Some(Timestamp::from_millis(1).into()),
            former_owner: None,
            revoked_at: None,
        }
    }

    #[test]
    fn record_without_what_its_state_needs_is_refused() {
        let point = KeyPoint::from_coordinates(&COORDINATES);
        let other = KeyPoint::from_coordinates(&[8; 64]);
        let full = || active(&point);
        let (missing, invalid) = (RecordError::Missing, RecordError::Invalid);
        for (record, error) in [
            (
                AssociationKeyRecord {
                    point: None,
                    ..full()
                },
                missing("point"),
            ),
            (active(&other), invalid("point")),
            (
                AssociationKeyRecord {
                    owner: None,
                    ..full()
                },
                missing("owner"),
            ),
            (
                AssociationKeyRecord {
                    owner: Some("\n".into()),
                    ..full()
                },
                invalid("owner"),
            ),
            (
                AssociationKeyRecord {
                    registered_at: None,
                    ..full()
                },
                missing("registered_at"),
            ),
            (
                AssociationKeyRecord {
                    revoked_at: Some(Timestamp::from_millis(1).into()),
                    ..full()
                },
                missing("former_owner"),
            ),
        ] {
            let app = "shop".parse::<AppId>().unwrap();
            let read = AssociationKey::from_record((app, point.key_id()), record);
            assert_eq!(read, Err(error));
        }
    }
}
