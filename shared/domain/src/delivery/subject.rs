//! Identification of a delivery: its subject, its lane, its group, and the pointer that a queue
//! carries.

use std::fmt;

use sha2::{Digest, Sha256};
use strum::VariantArray as _;

use crate::primitives::ids::{AppId, ConfirmationId, LoginId, PhoneRegistrationId};
use crate::web::callback_url::CallbackOrigin;

/// The kinds of items with webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray)]
pub enum DeliveryKind {
    /// Verified confirmations.
    Confirmations,
    /// Logins that were confirmed or denied, and phones that were set up for them.
    Logins,
}

/// The item of a webhook, which contains the delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliverySubject {
    /// A verified confirmation.
    Confirmation(ConfirmationId),
    /// A login that was confirmed or denied.
    Login(LoginId),
    /// A phone that was set up.
    PhoneRegistration(PhoneRegistrationId),
}

impl DeliverySubject {
    /// Returns the 128 bits of the id.
    #[must_use]
    pub const fn id_bytes(&self) -> &[u8; 16] {
        match self {
            Self::Confirmation(id) => id.as_bytes(),
            Self::Login(id) => id.as_bytes(),
            Self::PhoneRegistration(id) => id.as_bytes(),
        }
    }

    /// Returns the kind of the item.
    #[must_use]
    pub const fn kind(&self) -> DeliveryKind {
        match self {
            Self::Confirmation(_) => DeliveryKind::Confirmations,
            Self::Login(_) | Self::PhoneRegistration(_) => DeliveryKind::Logins,
        }
    }
}

/// Writes the id, whose prefix identifies the kind.
impl fmt::Display for DeliverySubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confirmation(id) => id.fmt(f),
            Self::Login(id) => id.fmt(f),
            Self::PhoneRegistration(id) => id.fmt(f),
        }
    }
}

impl From<ConfirmationId> for DeliverySubject {
    fn from(id: ConfirmationId) -> Self {
        Self::Confirmation(id)
    }
}

impl From<LoginId> for DeliverySubject {
    fn from(id: LoginId) -> Self {
        Self::Login(id)
    }
}

impl From<PhoneRegistrationId> for DeliverySubject {
    fn from(id: PhoneRegistrationId) -> Self {
        Self::PhoneRegistration(id)
    }
}

/// A queue message that identifies an attempt of a delivery. It is only a hint: losing or repeating
/// a pointer only costs time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryPointer {
    /// The item of the webhook.
    pub subject: DeliverySubject,
    /// Number of attempts that had been claimed when the pointer was created: the condition of the
    /// claim.
    pub attempts_claimed: u32,
    /// The delivery group that gets a fair share of a queue.
    pub group: ReceiverGroup,
}

impl DeliveryPointer {
    /// Returns whether this is a first attempt, which has a separate queue on AWS.
    #[must_use]
    pub const fn is_first_attempt(&self) -> bool {
        self.attempts_claimed == 0
    }
}

/// One app's webhooks of one kind.
///
/// Queues and sweeps divide their capacity evenly between lanes, so that an app's receivers never
/// delay another app. Logins have a separate lane: anyone with the app's public key can cause their
/// webhooks, and must not delay webhooks of phone numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantLane {
    kind: DeliveryKind,
    hash: [u8; 5],
}

impl TenantLane {
    /// Returns the lane of an app's webhooks of one kind.
    #[must_use]
    pub fn new(kind: DeliveryKind, app: &AppId) -> Self {
        let label: &[u8] = match kind {
            DeliveryKind::Confirmations => b"countersign/lane/1\0confirmations\0",
            DeliveryKind::Logins => b"countersign/lane/1\0logins\0",
        };
        let digest = Sha256::new()
            .chain_update(label)
            .chain_update(app.as_str().as_bytes())
            .finalize();
        let mut hash = [0; 5];
        hash.copy_from_slice(&digest[..5]);
        Self { kind, hash }
    }

    /// Returns the lane of that kind with this hash, as stored in an index.
    #[must_use]
    pub const fn from_bytes(kind: DeliveryKind, hash: [u8; 5]) -> Self {
        Self { kind, hash }
    }

    /// Returns the kind of the lane's webhooks.
    #[must_use]
    pub const fn kind(&self) -> DeliveryKind {
        self.kind
    }

    /// Returns the 5 bytes of the lane's hash. Lanes of different kinds may have the same hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 5] {
        &self.hash
    }
}

/// The deliveries of one lane to one origin.
///
/// A slow receiver delays its own group only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiverGroup {
    kind: DeliveryKind,
    /// The lane's hash, followed by 11 bytes of the origin's hash.
    hash: [u8; 16],
}

impl ReceiverGroup {
    /// Returns the group of an app's webhooks of one kind to an origin.
    #[must_use]
    pub fn new(kind: DeliveryKind, app: &AppId, origin: &CallbackOrigin) -> Self {
        let digest = Sha256::digest(origin.as_str().as_bytes());
        let mut hash = [0; 16];
        hash[..5].copy_from_slice(TenantLane::new(kind, app).as_bytes());
        hash[5..].copy_from_slice(&digest[..11]);
        Self { kind, hash }
    }

    /// Returns the group of that kind with this hash, as carried by a queue.
    #[must_use]
    pub const fn from_bytes(kind: DeliveryKind, hash: [u8; 16]) -> Self {
        Self { kind, hash }
    }

    /// Returns the lane that the group belongs to.
    #[must_use]
    pub fn lane(&self) -> TenantLane {
        let mut hash = [0; 5];
        hash.copy_from_slice(&self.hash[..5]);
        TenantLane::from_bytes(self.kind, hash)
    }

    /// Returns the 16 bytes of the group's hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.hash
    }
}

/// The first attempts of one group, or its retries. Shards are ordered by lane, then by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiverShard {
    pub group: ReceiverGroup,
    /// True if the shard contains retries, which must not delay first attempts.
    pub retries: bool,
}

impl ReceiverShard {
    /// Returns the first possible shard of a lane.
    #[must_use]
    pub fn first_of(lane: TenantLane) -> Self {
        Self::in_lane(lane, 0, false)
    }

    /// Returns the last possible shard of a lane.
    #[must_use]
    pub fn last_of(lane: TenantLane) -> Self {
        Self::in_lane(lane, u8::MAX, true)
    }

    fn in_lane(lane: TenantLane, rest: u8, retries: bool) -> Self {
        let mut hash = [rest; 16];
        hash[..5].copy_from_slice(lane.as_bytes());
        Self {
            group: ReceiverGroup::from_bytes(lane.kind(), hash),
            retries,
        }
    }

    /// Returns the shard with this key, or `None` if the key is invalid.
    #[must_use]
    pub fn from_key(key: &[u8; 18]) -> Option<Self> {
        let [kind, hash @ .., retries] = key;
        let kind = *DeliveryKind::VARIANTS.get(usize::from(*kind))?;
        Some(Self {
            group: ReceiverGroup::from_bytes(kind, *hash),
            retries: *retries != 0,
        })
    }

    /// Returns the key of the shard in an index. Keys have the same order as shards.
    #[must_use]
    pub fn key(&self) -> [u8; 18] {
        let mut key = [0; 18];
        key[0] = self.group.kind as u8;
        key[1..17].copy_from_slice(&self.group.hash);
        key[17] = u8::from(self.retries);
        key
    }
}

impl From<&DeliveryPointer> for ReceiverShard {
    fn from(pointer: &DeliveryPointer) -> Self {
        Self {
            group: pointer.group,
            retries: !pointer.is_first_attempt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_round_trips_through_its_key_in_order() {
        let mut shards: Vec<ReceiverShard> = Vec::new();
        for kind in DeliveryKind::VARIANTS {
            for hash in [[0; 16], [0x7f; 16], [0xff; 16]] {
                let group = ReceiverGroup::from_bytes(*kind, hash);
                shards.extend([false, true].map(|retries| ReceiverShard { group, retries }));
            }
        }
        let mut keys: Vec<[u8; 18]> = shards.iter().map(ReceiverShard::key).collect();
        assert!(shards.is_sorted() && keys.is_sorted());
        for (shard, key) in shards.iter().zip(&keys) {
            assert_eq!(ReceiverShard::from_key(key), Some(*shard));
        }
        keys[0][0] = 2;
        assert_eq!(ReceiverShard::from_key(&keys[0]), None);
    }

    #[test]
    fn lane_holds_its_lines_and_no_others() {
        let group = ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [7; 16]);
        let shard = ReceiverShard {
            group,
            retries: true,
        };
        let (first, last) = (
            ReceiverShard::first_of(group.lane()),
            ReceiverShard::last_of(group.lane()),
        );
        assert!(first < shard && shard < last);
        let other = ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [8; 16]);
        assert!(
            last < ReceiverShard {
                group: other,
                retries: false
            }
        );
    }
}
