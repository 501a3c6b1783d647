//! Cases of searches through what all apps started.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{ConfirmationSearch, SearchCursor};

use super::Case;
use crate::check::{Checked, equal};
use crate::samples::{NOW, acquisition, app_id};

type Store = Arc<countersign_domain::store::Store>;

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[Case {
    name: "searches: each item of all apps is found once, newest first, whatever the size of pages",
    run: |store| Box::pin(all_apps(store)),
}];

/// The number of confirmations, three of which begin in each millisecond.
const COUNT: u8 = 24;

async fn all_apps(store: Store) -> Checked {
    let apps = ["bank", "shop", "zoo"].map(app_id);
    for n in 0..COUNT {
        let item = Confirmation {
            app: apps[usize::from(n / 2 % 2)].clone(),
            created_at: began(n),
            ..acquisition(n)
        };
        store
            .start_confirmation(item, Allowance::Unlimited, NOW)
            .await?;
    }
    let search = ConfirmationSearch {
        statuses: Vec::new(),
        last_digits: None,
        failed: false,
        no_text: false,
        from: Timestamp::from_millis(0),
        before: NOW.plus(Duration::from_hours(1)),
    };
    let mut whole = Vec::new();
    for limit in [100, 1, 2, 5] {
        let (mut found, mut after) = (Vec::new(), None::<SearchCursor>);
        loop {
            let page = store.search_confirmations(&apps, &search, after.as_ref(), limit, NOW);
            let page = page.await?;
            found.extend(page.items.iter().map(|item| (item.created_at, item.id)));
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        if whole.is_empty() {
            whole.clone_from(&found);
        }
        equal(
            "order with pages of this size",
            (limit, &found),
            (limit, &whole),
        )?;
    }
    let times: Vec<_> = whole.iter().map(|(at, _)| *at).collect();
    equal("newest first", times, (0..COUNT).rev().map(began).collect())?;
    let mut ids: Vec<_> = whole.into_iter().map(|(_, id)| id).collect();
    ids.sort_unstable();
    let mut all: Vec<ConfirmationId> = (0..COUNT).map(|n| acquisition(n).id).collect();
    all.sort_unstable();
    equal("each once", ids, all)
}

fn began(n: u8) -> Timestamp {
    NOW.plus(Duration::from_millis(u64::from(n / 3)))
}
