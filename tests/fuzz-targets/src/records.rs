//! Stored records, which a backup or another release may have written.

use std::fmt::Debug;

use countersign_domain::app::App;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::text::store::{KeptText, TakenNonce};
use countersign_domain::login::association_key::AssociationKey;
use countersign_domain::login::risk::{Denials, PersonHistory};
use countersign_domain::login::{KeyId, Login};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_records::{Entity, compact};

/// A record that is read is written as one that is read as the same. The first byte chooses the kind.
pub(crate) fn records(input: &[u8]) {
    let Some((kind, record)) = input.split_first() else {
        return;
    };
    let app = || "demo".parse().expect("an app's id");
    match kind {
        b'a' => round_trip::<App>(app, record),
        b'k' => round_trip::<ApiKeyRecord>(|| ApiKeyHash::from_bytes([7; 32]), record),
        b'p' => round_trip::<AssociationKey>(|| (app(), KeyId::from_bytes([7; 32])), record),
        b'c' => round_trip::<Confirmation>(|| ConfirmationId::from_bytes([7; 16]), record),
        b'l' => {
            let id = || {
                let id = "qrs_abababababababababababababababab".parse();
                id.expect("a login's id")
            };
            round_trip::<Login>(id, record);
        }
        b'd' => round_trip::<Denials>(|| (), record),
        b'h' => round_trip::<PersonHistory>(|| (), record),
        b'n' => round_trip::<TakenNonce>(|| (), record),
        b't' => round_trip::<KeptText>(|| (), record),
        _ => {}
    }
}

fn round_trip<E: Entity + Debug + PartialEq>(id: impl Fn() -> E::Id, record: &[u8]) {
    let Ok(entity) = compact::decode::<E>(id(), record) else {
        return;
    };
    let written = compact::encode(&entity).expect("a record is written");
    let again = compact::decode::<E>(id(), &written).expect("a written record is read");
    assert_eq!(again, entity);
}
