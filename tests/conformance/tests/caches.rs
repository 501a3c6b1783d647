//! Tests of the caches of two instances that share their documents.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::convert::Infallible;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::failing::{Access, FailingItems};
use countersign_conformance::model::ModelItems;
use countersign_conformance::samples::{MILLI, NOW, app, app_id, before, key};
use countersign_domain::app::{App, AppKey};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::KeyId;
use countersign_domain::primitives::day::Day;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    ChangeAppOutcome, Collection, CreateResult, Document, Items, Key, KeyLookup, KeyUse,
    ListedItem, ListedKey, PageStart, ReplaceResult, Store, StoredDocument, Write,
};
use countersign_domain::web::link_host::LinkHost;

/// Returns an instance whose clock the test controls, and another instance.
fn two(clock: &MovedClock) -> (Store, Store) {
    let items = Arc::new(ModelItems::default());
    let here = Store::new(items.clone(), Arc::new(clock.clone()));
    (here, Store::new(items, Arc::new(MovedClock::at(NOW))))
}

/// A clock that the test moves.
#[derive(Clone)]
struct MovedClock(Arc<AtomicU64>);

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed))
    }
}

impl MovedClock {
    fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicU64::new(now.as_millis())))
    }

    fn move_to(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::Relaxed);
    }
}

#[tokio::test]
async fn revocation_by_another_instance_holds_within_a_minute() {
    let clock = MovedClock::at(NOW);
    let (here, elsewhere) = two(&clock);
    let demo = app_id("demo");
    elsewhere.create_app(app("demo")).await.unwrap();
    elsewhere.issue_key(&demo, key(1)).await.unwrap();
    let active = KeyLookup::Active(Arc::new(app("demo")));
    let lookup = async |n| here.lookup_key(&key(n).hash).await.unwrap();
    assert_eq!(lookup(1).await, active);
    // A key that another instance issued works immediately.
    elsewhere.issue_key(&demo, key(2)).await.unwrap();
    assert_eq!(lookup(2).await, active);
    let revoked = elsewhere.revoke_key(&demo, &key(1).hash.id(), NOW).await;
    revoked.unwrap();
    assert_eq!(lookup(1).await, active, "still cached");
    let end = NOW.plus(Duration::from_mins(1));
    clock.move_to(before(end, MILLI));
    assert_eq!(lookup(1).await, active, "still cached");
    clock.move_to(end);
    assert_eq!(lookup(1).await, KeyLookup::Revoked);
    assert_eq!(lookup(2).await, active);
    // A key that is revoked here stops working here immediately.
    let revoked = here.revoke_key(&demo, &key(2).hash.id(), NOW).await;
    revoked.unwrap();
    assert_eq!(lookup(2).await, KeyLookup::Revoked);
}

#[tokio::test]
async fn start_reads_the_first_apps_with_their_keys() {
    let clock = MovedClock::at(NOW);
    let (here, elsewhere) = two(&clock);
    let names: Vec<_> = (10..=60).map(|n| format!("app-{n}")).collect();
    for (n, name) in (1..).zip(&names) {
        elsewhere.create_app(app(name)).await.unwrap();
        let issued = elsewhere.issue_key(&app_id(name), key(n)).await;
        issued.unwrap();
    }
    here.read_first_apps().await.unwrap();

    // Whether later revocations take effect shows which keys are read again.
    let last = u8::try_from(names.len()).unwrap();
    for n in [1, last - 1, last] {
        let (app, key) = (&names[usize::from(n) - 1], key(n).hash.id());
        let revoked = elsewhere.revoke_key(&app_id(app), &key, NOW).await;
        revoked.unwrap();
    }
    let is_active = async |n| {
        let found = here.lookup_key(&key(n).hash).await.unwrap();
        matches!(found, KeyLookup::Active(_))
    };
    assert!(is_active(1).await && is_active(last - 1).await, "cached");
    assert!(!is_active(last).await, "the fifty-first app is looked up");
    clock.move_to(NOW.plus(Duration::from_mins(1)));
    assert!(!is_active(1).await && !is_active(last - 1).await);
    assert!(is_active(2).await);
}

async fn replace_app(store: &Store, app: App) {
    let changed = store.change_app(&app.id, |_| Ok::<_, Infallible>(app.clone()));
    let expected = ChangeAppOutcome::Changed(app.clone().into());
    assert_eq!(changed.await.unwrap(), expected);
}

#[tokio::test]
async fn change_by_another_instance_is_found_within_a_minute() {
    let clock = MovedClock::at(NOW);
    let (here, elsewhere) = two(&clock);
    let [one, two] = ["one.example", "two.example"].map(|name| name.parse::<LinkHost>().unwrap());
    let linked = |name, host: &LinkHost| {
        let mut app = app(name);
        app.app_key = format!("cs_app_{:0>22}", name.len())
            .parse::<AppKey>()
            .unwrap();
        app.login.link_host = Some(host.clone());
        app
    };
    let found = async |app: &App| {
        let app = here.lookup_app_key(&app.app_key).await.unwrap();
        app.map(|app| app.login.link_host.clone())
    };
    let names = async |host| {
        let apps: Vec<Arc<App>> = here.apps_of_link_host(host).await.unwrap();
        apps.iter()
            .map(|app| app.id.to_string())
            .collect::<Vec<_>>()
    };
    let (demo, other) = (linked("demo", &one), linked("other", &one));
    elsewhere.create_app(demo.clone()).await.unwrap();
    assert_eq!(found(&demo).await, Some(Some(one.clone())));
    assert_eq!(names(&one).await, ["demo"]);

    // An app that is not in the cache is looked up.
    let soon = NOW.plus(Duration::from_secs(5));
    clock.move_to(soon);
    elsewhere.create_app(other.clone()).await.unwrap();
    assert_eq!(names(&two).await, Vec::<String>::new());
    assert_eq!(found(&other).await, Some(Some(one.clone())));
    assert_eq!(names(&one).await, ["demo"], "still cached");

    // A cached app is valid for a minute, and so is the list of apps for a host.
    replace_app(&elsewhere, linked("demo", &two)).await;
    let end = NOW.plus(Duration::from_mins(1));
    clock.move_to(before(end, MILLI));
    assert_eq!(found(&demo).await, Some(Some(one.clone())), "still cached");
    assert_eq!(names(&one).await, ["demo"], "still cached");
    assert_eq!(names(&two).await, ["demo"], "no cached app has it");
    assert_eq!(
        names(&one).await,
        ["other"],
        "what was read again is cached"
    );
    clock.move_to(end);
    assert_eq!(found(&demo).await, Some(Some(two.clone())));
    assert_eq!(names(&one).await, ["other"]);

    // A change that is made here takes effect here immediately.
    replace_app(&here, linked("other", &two)).await;
    assert_eq!(names(&two).await, ["demo", "other"]);
}

/// Documents whose reads are counted.
#[derive(Default)]
struct CountedItems {
    items: ModelItems,
    reads: AtomicU64,
    lists: AtomicU64,
    writes: AtomicU64,
}

#[async_trait]
impl Items for CountedItems {
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.items.get(key).await
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.items.create(key, new, now, most_open).await
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.items.replace(key, seen, new).await
    }

    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable> {
        self.writes.fetch_add(2, Ordering::Relaxed);
        self.items.write_both(writes).await
    }

    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        self.items.list(what, limit).await
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable> {
        self.items.started(kind, app, from, before, limit).await
    }

    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable> {
        self.items.association_keys(app, after, limit).await
    }
}

#[tokio::test]
async fn unknown_keys_and_hosts_cost_a_read_each_and_no_list_of_all_apps() {
    let clock = MovedClock::at(NOW);
    let items = Arc::new(CountedItems::default());
    let store = Store::new(items.clone(), Arc::new(clock.clone()));
    store.create_app(app("demo")).await.unwrap();
    let known = app("demo").app_key;
    store.lookup_app_key(&known).await.unwrap().unwrap();
    items.reads.store(0, Ordering::Relaxed);
    for n in 10..30 {
        let key = format!("cs_app_{n:0>22}").parse::<AppKey>().unwrap();
        assert_eq!(store.lookup_app_key(&key).await.unwrap(), None);
        let host = format!("h{n}.example").parse::<LinkHost>().unwrap();
        assert!(store.apps_of_link_host(&host).await.unwrap().is_empty());
        store.lookup_app_key(&known).await.unwrap().unwrap();
    }
    assert_eq!(items.reads.load(Ordering::Relaxed), 40);
    assert_eq!(items.lists.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn use_of_a_key_is_recorded_once_a_day_for_all_instances() {
    let clock = MovedClock::at(NOW);
    let items = Arc::new(CountedItems::default());
    let instance = || Store::new(items.clone(), Arc::new(clock.clone()));
    let (here, elsewhere) = (instance(), instance());
    here.create_app(app("demo")).await.unwrap();
    here.issue_key(&app_id("demo"), key(1)).await.unwrap();
    let calls = async |store: &Store| {
        items.reads.store(0, Ordering::Relaxed);
        items.writes.store(0, Ordering::Relaxed);
        for _ in 0..100 {
            store.note_key_use(&key(1).hash);
        }
        store.record_key_uses().await.unwrap();
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        (count(&items.reads), count(&items.writes))
    };
    assert_eq!(calls(&here).await, (1, 1));
    assert_eq!(calls(&here).await, (0, 0));
    assert_eq!(calls(&elsewhere).await, (1, 0), "recorded by the other one");
    assert_eq!(calls(&elsewhere).await, (0, 0));
    clock.move_to(NOW.plus(Duration::from_hours(24)));
    assert_eq!(calls(&elsewhere).await, (1, 1));
    let uses = here.last_uses(&[key(1)]).await.unwrap();
    assert_eq!(uses, [Some(Day::of(clock.now()))]);
    // A clock that was set back does not undo a use.
    clock.move_to(NOW);
    assert_eq!(calls(&instance()).await, (1, 0));
}

#[tokio::test]
async fn use_that_cannot_be_recorded_is_tried_again_a_minute_later() {
    let clock = MovedClock::at(NOW);
    let items = Arc::new(FailingItems::default());
    let store = Store::new(items.clone(), Arc::new(clock.clone()));
    let tried = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&tried);
    items.fail(move |access| {
        let is_use = matches!(access, Access::Read(Key::KeyUse(_)));
        counted.fetch_add(u64::from(is_use), Ordering::Relaxed);
        is_use
    });
    store.note_key_use(&key(1).hash);
    store.record_key_uses().await.unwrap_err();
    store.record_key_uses().await.unwrap();
    assert_eq!(tried.load(Ordering::Relaxed), 1);
    items.fail(|_| false);
    clock.move_to(NOW.plus(Duration::from_mins(1)));
    store.record_key_uses().await.unwrap();
    let day = Day::of(NOW);
    let recorded = store.get::<KeyUse>(Key::KeyUse(key(1).hash)).await;
    assert_eq!(recorded.unwrap(), Some(KeyUse { day }));
}
