//! Lists of the items that an app started: the number of reads for a page, and the app's quota.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_conformance::failing::Access;
use countersign_conformance::samples;
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::{Allowance, Quota, QuotaLimit};
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{
    ConfirmationFilter, ConfirmationSearch, Cursor, ListPage, PageStart, Period, SearchCursor,
};

use crate::world::{World, now_or_never};

/// Starts `count` confirmations, a millisecond apart.
fn started(count: u8) -> World {
    let world = World::new();
    for n in 0..count {
        let item = Confirmation {
            created_at: world.now(),
            ..samples::acquisition(n)
        };
        world.items.items.put(item.id, item);
        world.pass(Duration::from_millis(1));
    }
    world
}

/// Returns a page that starts at a position.
fn page(
    world: &World,
    status: Option<Status>,
    after: Option<Cursor>,
    limit: usize,
) -> ListPage<Confirmation> {
    let before = after.map_or(PageStart::Time(world.now()), PageStart::from);
    let from = Timestamp::from_millis(0);
    let wanted = ConfirmationFilter {
        status,
        last_digits: None,
        period: Period { from, before },
    };
    let (store, now) = (&world.store, world.now());
    let permit = store.begin_list(&world.app.id, Allowance::Unlimited, now);
    let permit = permit.unwrap();
    now_or_never(store.list_confirmations(&permit, KeyMode::Live, &wanted, limit, now)).unwrap()
}

/// Returns a page, and the number of documents requested in each read.
fn page_and_reads(
    world: &World,
    status: Option<Status>,
    limit: usize,
) -> (ListPage<Confirmation>, Vec<usize>) {
    let reads = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&reads);
    world.items.fail(move |access| {
        if let Access::List(limit) = access {
            noted.lock().unwrap().push(limit);
        }
        false
    });
    let page = page(world, status, None, limit);
    world.items.fail(|_| false);
    let reads = reads.lock().unwrap().clone();
    (page, reads)
}

#[test]
fn page_without_a_filter_reads_what_it_shows() {
    let world = started(250);
    for limit in [1, 2, 20, 100] {
        let (page, reads) = page_and_reads(&world, None, limit);
        assert_eq!(page.items.len(), limit);
        assert!(page.next.is_some(), "{limit}");
        assert_eq!(reads, [limit]);
    }
}

#[test]
fn filter_that_fits_nothing_reads_no_more_than_five_times_the_limit() {
    let world = started(250);
    for limit in [1, 2, 20, 40, 100] {
        let (page, reads) = page_and_reads(&world, Some(Status::Cancelled), limit);
        assert!(page.items.is_empty());
        assert_eq!(page.next.is_some(), limit * 5 < 250, "{limit}");
        assert!(reads.iter().sum::<usize>() <= limit * 5, "{reads:?}");
        assert!(reads.iter().all(|read| *read <= 100), "{reads:?}");
    }
}

#[test]
fn following_the_cursor_ends_and_finds_all_that_fit() {
    let world = started(250);
    let mut all = page(&world, None, None, 250).items;
    // The oldest, the newest, and two in between.
    for n in [0, 99, 100, 249] {
        let verified = samples::verified(&all[n], &samples::text(1), world.now());
        world.items.items.put(verified.id, verified.clone());
        all[n] = verified;
    }
    let wanted = [0, 99, 100, 249].map(|n| all[n].clone());
    for limit in [1, 3, 7, 100] {
        let (mut found, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = page(&world, Some(Status::Verified), after, limit);
            found.extend(page.items);
            pages += 1;
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        assert_eq!(found, wanted, "{limit}");
        assert!(pages <= 250 / limit + 2, "{limit}: {pages}");
    }
}

/// Searches these apps page by page, and returns the ids found and the number of pages.
fn search_all(
    world: &World,
    apps: &[AppId],
    search: &ConfirmationSearch,
    limit: usize,
) -> (Vec<ConfirmationId>, usize) {
    let (mut found, mut after, mut pages) = (Vec::new(), None::<SearchCursor>, 0);
    loop {
        let page =
            world
                .store
                .search_confirmations(apps, search, after.as_ref(), limit, world.now());
        let page = now_or_never(page).unwrap();
        assert!(page.items.len() <= limit);
        assert!(page.looked_at <= 1_000, "{}", page.looked_at);
        found.extend(page.items.into_iter().map(|item| item.id));
        pages += 1;
        match page.next {
            // As text, since the next page is another request.
            Some(next) => after = Some(next.to_string().parse().unwrap()),
            None => return (found, pages),
        }
    }
}

fn everything(world: &World) -> ConfirmationSearch {
    ConfirmationSearch {
        statuses: Vec::new(),
        last_digits: None,
        failed: false,
        no_text: false,
        from: Timestamp::from_millis(0),
        before: world.now(),
    }
}

#[test]
fn search_finds_each_item_of_all_apps_once_and_newest_first() {
    let world = World::new();
    let apps = ["shop", "bank", "zoo"].map(|app| app.parse::<AppId>().unwrap());
    let mut made = Vec::new();
    // Three in each millisecond, of which the apps have two, one and none in turn.
    for n in 0..120 {
        let item = Confirmation {
            app: apps[usize::from(n / 2 % 3)].clone(),
            created_at: world.now(),
            ..samples::acquisition(n)
        };
        made.push((item.created_at, item.id));
        world.items.items.put(item.id, item);
        if n % 3 == 2 {
            world.pass(Duration::from_millis(1));
        }
    }
    world.pass(Duration::from_millis(1));
    let search = everything(&world);
    let (whole, _) = search_all(&world, &apps, &search, 100);
    let at = |id: &ConfirmationId| made.iter().find(|(_, found)| found == id).unwrap().0;
    assert!(whole.is_sorted_by_key(|id| std::cmp::Reverse(at(id))));
    let mut sorted = whole.clone();
    sorted.sort_unstable();
    let mut all: Vec<_> = made.iter().map(|(_, id)| *id).collect();
    all.sort_unstable();
    assert_eq!(sorted, all);
    for limit in [1, 2, 7, 50] {
        assert_eq!(
            search_all(&world, &apps, &search, limit).0,
            whole,
            "{limit}"
        );
    }
    let reversed = [apps[2].clone(), apps[1].clone(), apps[0].clone()];
    assert_eq!(search_all(&world, &reversed, &search, 7).0, whole);
    let one = search_all(&world, &apps[1..2], &search, 7).0;
    assert_eq!(one.len(), 40);
    assert_eq!(search_all(&world, &[], &search, 7), (Vec::new(), 1));
}

#[test]
fn search_narrows_by_what_operators_ask_for() {
    let world = World::new();
    let mut ids = Vec::new();
    for (n, (name, item)) in (0_u8..).zip(samples::confirmations::in_every_state()) {
        let id = samples::acquisition(100 + n).id;
        let item = Confirmation {
            id,
            created_at: world.now(),
            purge_at: world.now().plus(Duration::from_hours(1)),
            expires_at: world.now().plus(Duration::from_mins(5)),
            ..item
        };
        ids.push((id, name));
        world.items.items.put(id, item);
        world.pass(Duration::from_millis(1));
    }
    let apps = [samples::acquisition(1).app];
    let names = |search: &ConfirmationSearch| {
        let found = search_all(&world, &apps, search, 3).0;
        let name = |id: ConfirmationId| ids.iter().find(|(it, _)| *it == id).unwrap().1;
        let mut names: Vec<_> = found.into_iter().map(name).collect();
        names.reverse();
        names
    };
    let all = everything(&world);
    assert_eq!(names(&all).len(), ids.len());
    let failed = ConfirmationSearch {
        failed: true,
        ..all.clone()
    };
    assert_eq!(names(&failed), ["failed"]);
    let no_text = ConfirmationSearch {
        no_text: true,
        ..all.clone()
    };
    assert_eq!(
        names(&no_text),
        [
            "acquisition",
            "acquisition-with-choices",
            "acquisition-watched",
            "openid",
            "open",
            "open-on-whatsapp"
        ]
    );
    let ended = ConfirmationSearch {
        statuses: vec![Status::Cancelled, Status::Expired],
        ..all.clone()
    };
    assert_eq!(names(&ended), ["cancelled"]);
    let number = samples::text(1).from;
    let end = &number.as_str()[number.as_str().len() - 4..];
    let of_number = ConfirmationSearch {
        last_digits: Some(end.parse().unwrap()),
        failed: true,
        ..all.clone()
    };
    assert_eq!(names(&of_number), ["failed"]);
    let nothing = ConfirmationSearch {
        from: world.now(),
        ..all
    };
    assert!(names(&nothing).is_empty());
}

const fn count(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

const QUOTA: Allowance = Allowance::Within(Quota {
    per_minute: count(60),
    burst: count(3),
    max_open: count(2),
});

#[test]
fn app_lists_within_its_rate_and_another_is_not_affected() {
    let world = World::new();
    let other = "other".parse::<AppId>().unwrap();
    let list = |app| {
        let begun = world.store.begin_list(app, QUOTA, world.now());
        begun.map(drop)
    };
    for _ in 0..3 {
        list(&world.app.id).unwrap();
    }
    let refused = list(&world.app.id).unwrap_err();
    assert_eq!(refused.limit, QuotaLimit::Rate);
    assert_eq!(refused.retry_after, Duration::from_secs(1));
    list(&other).unwrap();
    world.pass(Duration::from_secs(1));
    list(&world.app.id).unwrap();
    list(&world.app.id).unwrap_err();
    let unlimited = Allowance::Unlimited;
    let begun = world
        .store
        .begin_list(&world.app.id, unlimited, world.now());
    begun.unwrap();
}

#[test]
fn list_is_under_way_until_its_permit_is_dropped() {
    let world = World::new();
    let other = "other".parse::<AppId>().unwrap();
    let begin = |app| world.store.begin_list(app, QUOTA, world.now());
    let first = begin(&world.app.id).unwrap();
    let second = begin(&world.app.id).unwrap();
    let refused = begin(&world.app.id).unwrap_err();
    assert_eq!(refused.limit, QuotaLimit::Open);
    assert!(refused.retry_after > Duration::ZERO);
    begin(&other).unwrap();
    drop(first);
    // The refused list has used up none of the rate.
    let third = begin(&world.app.id).unwrap();
    drop((second, third));
    let refused = begin(&world.app.id).unwrap_err();
    assert_eq!(refused.limit, QuotaLimit::Rate);
}
