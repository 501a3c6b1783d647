//! The guard, with scripted lookups.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::web::callback_url::CallbackPolicy;
use tokio::time::Instant;

use crate::resolver::{Family, GuardedResolver, LookupError, NameLookup, ResolveError};

const TIMEOUT: Duration = Duration::from_secs(2);

/// Time limit that only a hanging test reaches.
const HANG: Duration = Duration::from_mins(1);

/// The behavior of a family's lookup.
#[derive(Clone)]
enum Does {
    Answers(Vec<IpAddr>),
    Fails(LookupError),
    Hangs,
}

struct Script {
    v4: Does,
    v6: Does,
    asked: AtomicUsize,
}

#[async_trait]
impl NameLookup for Script {
    async fn addresses(&self, _: &str, family: Family) -> Result<Vec<IpAddr>, LookupError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let does = if family == Family::V4 {
            &self.v4
        } else {
            &self.v6
        };
        match does {
            Does::Answers(addresses) => Ok(addresses.clone()),
            Does::Fails(error) => Err(*error),
            Does::Hangs => std::future::pending().await,
        }
    }
}

fn answers(texts: &[&str]) -> Does {
    Does::Answers(texts.iter().map(|text| text.parse().unwrap()).collect())
}

async fn vetted_by(
    policy: &CallbackPolicy,
    v4: Does,
    v6: Does,
) -> Result<Vec<String>, ResolveError> {
    let lookup = Arc::new(Script {
        v4,
        v6,
        asked: AtomicUsize::new(0),
    });
    let resolver = GuardedResolver::new(lookup, policy, TIMEOUT);
    let vetted = resolver.vetted("hooks.example.com");
    let vetted = tokio::time::timeout(HANG, vetted).await.unwrap()?;
    Ok(vetted
        .into_iter()
        .map(|address| address.to_string())
        .collect())
}

async fn vetted(v4: Does, v6: Does) -> Result<Vec<String>, ResolveError> {
    vetted_by(&CallbackPolicy::deployed(), v4, v6).await
}

const NOT_FOUND: Does = Does::Fails(LookupError::NotFound);

#[tokio::test]
async fn public_addresses_are_limited_and_ipv4_comes_first() {
    assert_eq!(
        vetted(answers(&["1.1.1.1"]), NOT_FOUND).await.unwrap(),
        ["1.1.1.1"]
    );
    assert_eq!(
        vetted(NOT_FOUND, answers(&["2606:4700::1111"]))
            .await
            .unwrap(),
        ["2606:4700::1111"]
    );
    let v4: Vec<_> = (1..200).map(|last| format!("8.8.8.{last}")).collect();
    let v6: Vec<_> = (1..200).map(|last| format!("2606:4700::{last}")).collect();
    let [v4, v6] =
        [&v4, &v6].map(|all| answers(&all.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(
        vetted(v4, v6).await.unwrap(),
        [
            "8.8.8.1",
            "8.8.8.2",
            "8.8.8.3",
            "2606:4700::1",
            "2606:4700::2",
            "2606:4700::3"
        ]
    );
}

#[tokio::test]
async fn any_forbidden_address_refuses_the_name() {
    for forbidden in [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
    ] {
        for at in 0..6 {
            let mut v4 = vec!["1.1.1.1"; 5];
            v4.insert(at, forbidden);
            let outcome = vetted(answers(&v4), answers(&["2606:4700::1111"])).await;
            assert!(
                matches!(outcome, Err(ResolveError::Refused(_))),
                "{forbidden} at {at}"
            );
        }
    }
    for forbidden in [
        "::1",
        "::7f00:1",
        "::ffff:0:7f00:1",
        "fec0::1",
        "2001::1",
        "fd00:ec2::254",
    ] {
        let outcome = vetted(answers(&["1.1.1.1"]), answers(&["2606:4700::1", forbidden])).await;
        assert!(
            matches!(outcome, Err(ResolveError::Refused(_))),
            "{forbidden}"
        );
    }
}

#[tokio::test]
async fn nat64_addresses_are_judged_by_the_embedded_address() {
    let nat64 = CallbackPolicy {
        nat64: true,
        ..CallbackPolicy::deployed()
    };
    let inside = |text: &str| answers(&[text]);
    let public = vetted_by(&nat64, NOT_FOUND, inside("64:ff9b::1.1.1.1")).await;
    assert_eq!(public.unwrap(), ["64:ff9b::101:101"]);
    let private = vetted_by(&nat64, NOT_FOUND, inside("64:ff9b::10.0.0.1")).await;
    assert!(matches!(private, Err(ResolveError::Refused(_))));
    let without = vetted(NOT_FOUND, inside("64:ff9b::1.1.1.1")).await;
    assert!(matches!(without, Err(ResolveError::Refused(_))));
}

#[tokio::test(start_paused = true)]
async fn hanging_lookup_ends_at_the_limit() {
    let began = Instant::now();
    let outcome = vetted(Does::Hangs, Does::Hangs).await;
    assert_eq!(outcome, Err(ResolveError::Lookup(LookupError::TimedOut)));
    assert_eq!(began.elapsed(), TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn failing_family_does_not_spoil_the_other() {
    for broken in [
        Does::Hangs,
        NOT_FOUND,
        Does::Fails(LookupError::Failed),
        answers(&[]),
    ] {
        let outcome = vetted(answers(&["1.1.1.1"]), broken.clone()).await;
        assert_eq!(outcome.unwrap(), ["1.1.1.1"]);
        let outcome = vetted(broken.clone(), answers(&["2606:4700::1111"])).await;
        assert_eq!(outcome.unwrap(), ["2606:4700::1111"]);
        // Addresses that arrived are still checked.
        let outcome = vetted(answers(&["127.0.0.1"]), broken).await;
        assert!(matches!(outcome, Err(ResolveError::Refused(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn failure_reports_the_most_telling_reason() {
    let of = async |v4, v6| match vetted(v4, v6).await {
        Err(ResolveError::Lookup(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(of(NOT_FOUND, NOT_FOUND).await, LookupError::NotFound);
    assert_eq!(of(answers(&[]), answers(&[])).await, LookupError::NotFound);
    assert_eq!(of(answers(&[]), NOT_FOUND).await, LookupError::NotFound);
    assert_eq!(of(NOT_FOUND, answers(&[])).await, LookupError::NotFound);
    assert_eq!(of(NOT_FOUND, Does::Hangs).await, LookupError::TimedOut);
    assert_eq!(of(Does::Hangs, NOT_FOUND).await, LookupError::TimedOut);
    assert_eq!(of(Does::Hangs, answers(&[])).await, LookupError::TimedOut);
    let failed = Does::Fails(LookupError::Failed);
    assert_eq!(of(failed.clone(), NOT_FOUND).await, LookupError::Failed);
    assert_eq!(of(NOT_FOUND, failed).await, LookupError::Failed);
}

#[tokio::test]
async fn localhost_is_never_looked_up() {
    for (policy, expected) in [
        (
            CallbackPolicy::local(),
            Ok(vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()]),
        ),
        (CallbackPolicy::deployed(), Err(ResolveError::RefusedName)),
    ] {
        let (v4, v6) = (answers(&["1.1.1.1"]), answers(&["2606:4700::1111"]));
        let lookup = Arc::new(Script {
            v4,
            v6,
            asked: AtomicUsize::new(0),
        });
        let asked = Arc::clone(&lookup);
        let resolver = GuardedResolver::new(lookup, &policy, TIMEOUT);
        for name in ["localhost", "LocalHost", "localhost."] {
            assert_eq!(resolver.vetted(name).await, expected);
        }
        assert_eq!(asked.asked.load(Ordering::SeqCst), 0);
    }
}
