//! Tests of changes between two calls of one store operation.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU32;
use std::sync::Arc;

use countersign_conformance::failing::{Access, FailingItems};
use countersign_conformance::samples::association_keys::{association_key, user};
use countersign_conformance::samples::{NOW, app_id};
use countersign_domain::app::quota::{Allowance, Quota};
use countersign_domain::login::AssociationKey;
use countersign_domain::login::association_key::transitions::{RegisterRefusal, Registration};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::store::{Key, Store};

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        NOW
    }
}

fn store(items: &Arc<FailingItems>) -> Store {
    Store::new(items.clone(), Arc::new(Stopped))
}

async fn register(store: &Store, key: AssociationKey) -> Result<Registration, RegisterRefusal> {
    let quota = Quota {
        max_open: NonZeroU32::MIN,
        ..Quota::ASSOCIATION_KEYS
    };
    let registered = store.register_association_key(key, Allowance::Within(quota), NOW);
    registered.await.unwrap()
}

/// The same key is registered twice concurrently, as the last one that the app may have. The refused call must not
/// remove the other call's entry from the list of the user's keys, because revocation uses that list.
#[tokio::test]
async fn active_key_is_listed_although_its_registration_was_refused_elsewhere() {
    let key = association_key("shop", "zoe", 1);
    for after in ["AOWNER#", "AKEY#shop"] {
        let items = Arc::<FailingItems>::default();
        let (elsewhere, same) = (store(&items), key.clone());
        let is_next = move |access: Access<'_>| match access {
            Access::Write(written) => {
                !matches!(written, Key::AssociationKey(..))
                    && written.to_string().starts_with(after)
            }
            _ => false,
        };
        items.interrupt(is_next, async move {
            let _ = register(&elsewhere, same).await;
        });
        let here = store(&items);
        let _ = register(&here, key.clone()).await;
        let stored = here.find_association_key(&key.app, key.id).await.unwrap();
        let (app, owner) = (app_id("shop"), user("zoe"));
        let listed = here.association_keys_of(&app, &owner).await.unwrap();
        assert_eq!(listed, Vec::from_iter(stored), "{after}");
    }
}
