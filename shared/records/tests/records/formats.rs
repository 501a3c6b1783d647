//! Tests that entities survive a round trip through both formats, and that records stay small.

use std::fmt::Debug;

use countersign_conformance::samples::acquisition;
use countersign_conformance::samples::confirmations::in_every_state;
use countersign_records::{Entity, compact};
use serde_dynamo::Item;

use crate::entities::{Visitor, visit_all};

struct ReadBack;

impl Visitor for ReadBack {
    fn visit<E>(&mut self, name: &str, id: E::Id, entity: &E)
    where
        E: Entity + PartialEq + Debug,
        E::Id: Clone,
    {
        let bytes = compact::encode(entity).unwrap();
        let read: E = compact::decode(id.clone(), &bytes).unwrap();
        assert_eq!(read, *entity, "{name}");
        let item: Item = serde_dynamo::to_item(entity.record()).unwrap();
        let record = serde_dynamo::from_item(item).unwrap();
        assert_eq!(E::from_record(id, record).unwrap(), *entity, "{name}");
    }
}

#[test]
fn every_entity_reads_back_from_both_formats() {
    visit_all(&mut ReadBack);
}

#[test]
fn successful_confirmations_stay_small() {
    let record = compact::encode(&acquisition(1)).unwrap();
    assert!(record.len() < 160, "{}", record.len());
    let confirmations = in_every_state();
    let (_, delivered) = confirmations
        .iter()
        .find(|(name, _)| *name == "delivered")
        .unwrap();
    let record = compact::encode(delivered).unwrap();
    assert!(record.len() < 512, "{}", record.len());
}
