//! Stores: the in-memory store and those in `examples/stores` behave the same.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod fake_redis;
#[path = "../../examples/stores/redis.rs"]
mod redis_store;
#[path = "../../examples/stores/sql.rs"]
mod sql;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use countersign_client::{Acceptance, Act, BoxError, MemoryStore, Store};
use futures_util::future::{join_all, join3};
use rusqlite::Connection;
use tokio::sync::oneshot;

use fake_redis::FakeRedis;
use redis_store::RedisStore;
use sql::SqlStore;

const DAY: Duration = Duration::from_hours(24);

fn sqlite() -> SqlStore {
    let connection = Connection::open_in_memory().unwrap();
    let tables = "CREATE TABLE countersign_ids (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at BIGINT NOT NULL);
         CREATE TABLE effects (id TEXT NOT NULL);";
    connection.execute_batch(tables).unwrap();
    SqlStore::new(connection)
}

fn all() -> [(&'static str, Box<dyn Store>); 3] {
    [
        ("memory", Box::new(MemoryStore::new())),
        ("SQL", Box::new(sqlite())),
        ("Redis", Box::new(RedisStore::new(FakeRedis::default()))),
    ]
}

/// The stores whose concurrent calls wait for each other. In Redis, concurrent calls fail and are
/// retried.
fn waiting() -> impl Iterator<Item = (&'static str, Box<dyn Store>)> {
    all().into_iter().filter(|(name, _)| *name != "Redis")
}

fn succeed() -> Act<'static> {
    Act::new(async { Ok::<_, BoxError>(()) })
}

fn fail() -> Act<'static> {
    Act::new(async { Err("trouble") })
}

/// Returns an act that counts how often it runs.
fn count(acts: &AtomicU32) -> Act<'_> {
    Act::new(async {
        acts.fetch_add(1, Ordering::Relaxed);
        Ok::<_, BoxError>(())
    })
}

#[tokio::test]
async fn store_accepts_once_what_it_remembers() {
    for (name, store) in all() {
        let acts = AtomicU32::new(0);
        let accept = async |id| store.accept(id, count(&acts)).await.unwrap();
        assert_eq!(accept("cfm_1").await, Acceptance::Unknown, "{name}");
        let is_new = store.remember("cfm_1", DAY, succeed()).await.unwrap();
        assert!(is_new, "{name}");
        assert_eq!(accept("cfm_2").await, Acceptance::Unknown, "{name}");
        assert_eq!(accept("cfm_1").await, Acceptance::Accepted, "{name}");
        assert_eq!(accept("cfm_1").await, Acceptance::Repeated, "{name}");
        let is_new = store.remember("cfm_1", DAY, count(&acts)).await.unwrap();
        assert!(!is_new, "{name}");
        assert_eq!(accept("cfm_1").await, Acceptance::Repeated, "{name}");
        assert_eq!(acts.into_inner(), 1, "{name}");
    }
}

#[tokio::test]
async fn store_forgets_what_an_act_that_fails_would_have_changed() {
    for (name, store) in all() {
        store.remember("cfm_1", DAY, fail()).await.unwrap_err();
        let accept = async |act| store.accept("cfm_1", act).await;
        let unknown = accept(succeed()).await.unwrap();
        assert_eq!(unknown, Acceptance::Unknown, "{name}");
        let is_new = store.remember("cfm_1", DAY, succeed()).await.unwrap();
        assert!(is_new, "{name}");
        accept(fail()).await.unwrap_err();
        let accepted = accept(succeed()).await.unwrap();
        assert_eq!(accepted, Acceptance::Accepted, "{name}");
    }
}

#[tokio::test]
async fn store_accepts_nothing_before_the_act_of_remember_has_ended() {
    for (name, store) in waiting() {
        let acts = AtomicU32::new(0);
        let (release, written) = oneshot::channel::<()>();
        let write = Act::new(async {
            written.await?;
            acts.store(10, Ordering::Relaxed);
            Ok::<_, oneshot::error::RecvError>(())
        });
        let first = store.remember("cfm_1", DAY, write);
        let again = store.remember("cfm_1", DAY, count(&acts));
        let accepted = async {
            // Both other calls have begun.
            release.send(()).unwrap();
            store.accept("cfm_1", count(&acts)).await
        };
        let (first, again, accepted) = join3(first, again, accepted).await;
        assert!(first.unwrap() && !again.unwrap(), "{name}");
        assert_eq!(accepted.unwrap(), Acceptance::Accepted, "{name}");
        assert_eq!(acts.into_inner(), 11, "{name}");
    }
}

#[tokio::test]
async fn concurrent_calls_wait_for_the_one_that_acts() {
    for (name, store) in waiting() {
        store.remember("cfm_1", DAY, succeed()).await.unwrap();
        let acts = AtomicU32::new(0);
        // The first two fail after others have started waiting.
        let act = || {
            Act::new(async {
                let number = acts.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
                if number < 2 { Err("trouble") } else { Ok(()) }
            })
        };
        let calls = (0..8).map(|_| store.accept("cfm_1", act()));
        let outcomes = join_all(calls).await;
        let of = |wanted| {
            outcomes
                .iter()
                .flatten()
                .filter(|it| **it == wanted)
                .count()
        };
        let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
        let found = (failed, of(Acceptance::Accepted), of(Acceptance::Repeated));
        assert_eq!(found, (2, 1, 5), "{name}");
        assert_eq!(acts.into_inner(), 3, "{name}");
    }
}

#[tokio::test]
async fn store_in_redis_has_concurrent_calls_tried_again_later() {
    let store = RedisStore::new(FakeRedis::default());
    store.remember("cfm_1", DAY, succeed()).await.unwrap();
    let (release, released) = oneshot::channel::<()>();
    let first = store.accept("cfm_1", Act::new(released));
    let second = async {
        let error = store.accept("cfm_1", succeed()).await.unwrap_err();
        release.send(()).unwrap();
        error.to_string()
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(second, "another process is acting on it");
    assert_eq!(first.unwrap(), Acceptance::Accepted);
    let again = store.accept("cfm_1", succeed()).await.unwrap();
    assert_eq!(again, Acceptance::Repeated);
}

#[tokio::test]
async fn store_in_redis_forgets_ids_after_their_time() {
    let redis = FakeRedis::default();
    let store = RedisStore::new(redis.clone());
    let minutes = |minutes| Duration::from_mins(minutes);
    store
        .remember("cfm_1", minutes(10), succeed())
        .await
        .unwrap();
    store
        .remember("cfm_2", minutes(1), succeed())
        .await
        .unwrap();
    let accept = async |id| store.accept(id, succeed()).await.unwrap();
    redis.advance(minutes(2));
    assert_eq!(accept("cfm_2").await, Acceptance::Unknown);
    assert_eq!(accept("cfm_1").await, Acceptance::Accepted);
    redis.advance(minutes(7));
    assert_eq!(accept("cfm_1").await, Acceptance::Repeated);
    redis.advance(minutes(1));
    assert_eq!(accept("cfm_1").await, Acceptance::Unknown);
}

#[tokio::test]
async fn lock_in_redis_ends_if_a_process_dies() {
    let redis = FakeRedis::default();
    let store = RedisStore::new(redis.clone());
    store.remember("cfm_1", DAY, succeed()).await.unwrap();
    let dies = store.accept(
        "cfm_1",
        Act::new(std::future::pending::<Result<(), BoxError>>()),
    );
    assert!(futures_util::FutureExt::now_or_never(dies).is_none());
    let accept = async || store.accept("cfm_1", succeed()).await;
    accept().await.unwrap_err();
    redis.advance(Duration::from_mins(1));
    assert_eq!(accept().await.unwrap(), Acceptance::Accepted);
}

/// Returns an act that writes within the SQL store's transaction.
fn effect(outcome: Result<(), &'static str>) -> Act<'static> {
    Act::new(async move {
        sql::write(|connection| connection.execute("INSERT INTO effects VALUES ('record')", []))
            .map_err(|_| "the database")?;
        outcome
    })
}

#[tokio::test]
async fn store_in_sql_writes_the_record_and_the_mark_together() {
    let store = sqlite();
    let effects = async || {
        // Read in another id's act, because the connection belongs to the store.
        let mut count = 0_i64;
        let read = Act::new(async {
            let sql = "SELECT count(*) FROM effects";
            count = sql::write(|connection| connection.query_row(sql, [], |row| row.get(0)))?;
            Err::<(), BoxError>("nothing to remember".into())
        });
        store.remember("cfm_other", DAY, read).await.unwrap_err();
        count
    };
    store
        .remember("cfm_1", DAY, effect(Err("trouble")))
        .await
        .unwrap_err();
    assert_eq!(effects().await, 0);
    store.remember("cfm_1", DAY, effect(Ok(()))).await.unwrap();
    assert_eq!(effects().await, 1);
    store
        .accept("cfm_1", effect(Err("trouble")))
        .await
        .unwrap_err();
    assert_eq!(effects().await, 1);
    let accepted = store.accept("cfm_1", effect(Ok(()))).await.unwrap();
    assert_eq!(accepted, Acceptance::Accepted);
    assert_eq!(effects().await, 2);
}

#[tokio::test]
async fn store_in_sql_goes_on_after_a_call_was_dropped() {
    let store = sqlite();
    let never = Act::new(async {
        sql::write(|connection| connection.execute("INSERT INTO effects VALUES ('record')", []))?;
        std::future::pending::<Result<(), BoxError>>().await
    });
    let dropped = store.remember("cfm_1", DAY, never);
    assert!(futures_util::FutureExt::now_or_never(dropped).is_none());
    let unknown = store.accept("cfm_1", succeed()).await.unwrap();
    assert_eq!(unknown, Acceptance::Unknown);
    assert!(store.remember("cfm_1", DAY, succeed()).await.unwrap());
}
