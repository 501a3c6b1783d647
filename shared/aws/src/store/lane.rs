//! The sort key of the due index: lane and time in one number, so that the entries of a lane are adjacent
//! and ordered by time.
//!
//! It has at most 28 digits: DynamoDB keeps 38, and an emulator 28.

use countersign_domain::delivery::DeliveryLane;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::form::FormError;

use super::item::{AttributeValue, Attributes, DUE_AT};

/// Upper bound of times: milliseconds until the year 9999.
const INSTANTS: u128 = 1_000_000_000_000_000;

/// Encodes the sort key of a lane at a time.
pub(super) fn sort_key(lane: DeliveryLane, at: Timestamp) -> AttributeValue {
    AttributeValue::N((base_of(lane) + u128::from(at.as_millis())).to_string())
}

/// Decodes a sort key into the hash of the lane and the time. Keys that an earlier release wrote have
/// lane zero.
pub(super) fn read(item: Attributes<'_>) -> Result<([u8; 5], Timestamp), FormError> {
    let key: u128 = item.number(DUE_AT)?;
    let lane = u64::try_from(key / INSTANTS).map_err(|_| FormError::Malformed)?;
    let at = u64::try_from(key % INSTANTS).map_err(|_| FormError::Malformed)?;
    let [0, 0, 0, lane @ ..] = lane.to_be_bytes() else {
        return Err(FormError::Malformed);
    };
    Ok((lane, Timestamp::from_millis(at)))
}

/// Returns the next lane, or `None` after the last.
pub(super) fn following(lane: DeliveryLane) -> Option<DeliveryLane> {
    match (number_of(lane) + 1).to_be_bytes() {
        [0, 0, 0, next @ ..] => Some(DeliveryLane::from_bytes(lane.kind(), next)),
        _ => None,
    }
}

fn base_of(lane: DeliveryLane) -> u128 {
    u128::from(number_of(lane)) * INSTANTS
}

fn number_of(lane: DeliveryLane) -> u64 {
    let mut bytes = [0; 8];
    bytes[3..].copy_from_slice(lane.as_bytes());
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use countersign_domain::delivery::DeliveryKind;

    use super::*;
    use crate::store::item::Item;

    fn key(lane: u8, millis: u64) -> u128 {
        let lane = DeliveryLane::from_bytes(DeliveryKind::Logins, [lane; 5]);
        let key = sort_key(lane, Timestamp::from_millis(millis));
        let item = Item::from([(DUE_AT.to_owned(), key)]);
        Attributes(&item).number(DUE_AT).unwrap()
    }

    #[test]
    fn keys_are_ordered_by_lane_and_time() {
        assert!(key(1, u64::MAX) < key(2, 0));
        assert!(key(2, 1) < key(2, 2));
        assert!(key(255, u64::MAX).to_string().len() <= 28);
    }

    #[test]
    fn key_round_trips() {
        for (lane, millis) in [(0, 1_767_323_045_678), (7, 0), (255, 253_402_300_799_999)] {
            let at = Timestamp::from_millis(millis);
            let key = sort_key(
                DeliveryLane::from_bytes(DeliveryKind::Logins, [lane; 5]),
                at,
            );
            let item = Item::from([(DUE_AT.to_owned(), key)]);
            assert_eq!(read(Attributes(&item)), Ok(([lane; 5], at)));
        }
    }

    #[test]
    fn last_lane_has_no_next_one() {
        let lane = |hash| DeliveryLane::from_bytes(DeliveryKind::Logins, hash);
        assert_eq!(
            following(lane([0, 0, 0, 0, 255])),
            Some(lane([0, 0, 0, 1, 0]))
        );
        assert_eq!(following(lane([255; 5])), None);
    }
}
