use std::sync::{Arc, Mutex};

use super::*;
use crate::tests::vectors::{text, vectors};

fn limiter() -> (StartLimiter, Arc<Mutex<Duration>>) {
    let now = Arc::new(Mutex::new(Duration::ZERO));
    let clock = Arc::clone(&now);
    (
        StartLimiter::with_clock(move || *clock.lock().unwrap()),
        now,
    )
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn sixth_start_of_a_browser_waits_for_the_end_of_its_time() {
    let (limiter, now) = limiter();
    let start = Start::new("session-1", address("192.0.2.1"));
    for _ in 0..5 {
        assert_eq!(limiter.take(&start).unwrap(), None);
    }
    *now.lock().unwrap() += Duration::from_millis(1500);
    let refusal = limiter.take(&start).unwrap().unwrap();
    assert_eq!(
        (refusal.limit, refusal.retry_after),
        (Kind::Browser, Duration::from_secs(599))
    );
    *now.lock().unwrap() = Duration::from_mins(10);
    assert_eq!(limiter.take(&start).unwrap(), None);
}

#[test]
fn refused_start_does_not_count_for_other_limits() {
    let (limiter, _) = limiter();
    let limiter = limiter.per_address(Limit {
        starts: 6,
        within: Duration::from_mins(1),
    });
    let greedy = Start::new("greedy", address("2001:db8::1"));
    for _ in 0..50 {
        limiter.take(&greedy).unwrap();
    }
    // The same network, from which five starts were counted.
    let other = Start::new("other", address("2001:db8::2"));
    assert_eq!(limiter.take(&other).unwrap(), None);
    let refusal = limiter.take(&other).unwrap().unwrap();
    assert_eq!(refusal.limit, Kind::Address);
}

#[test]
fn spellings_of_a_number_are_one() {
    let (limiter, _) = limiter();
    let spellings = [
        "+49 170 12345678",
        "0170 12345678",
        "0049 (170) 1234-5678",
        "٠١٧٠١٢٣٤٥٦٧٨",
        "+4917012345678",
    ];
    for (at, number) in spellings.iter().enumerate() {
        let session = at.to_string();
        let start = Start::new(&session, address("192.0.2.1")).phone_number(number);
        assert_eq!(limiter.take(&start).unwrap(), None, "{number}");
    }
    let start = Start::new("6", address("192.0.2.1")).phone_number("017012345678");
    assert_eq!(limiter.take(&start).unwrap().unwrap().limit, Kind::Number);
    // The service refuses a text without digits.
    assert_eq!(
        limiter
            .take(&Start::new("7", address("192.0.2.1")).phone_number("x"))
            .unwrap(),
        None
    );
}

#[test]
fn browser_without_a_name_is_refused() {
    let (limiter, _) = limiter();
    limiter
        .take(&Start::new("", address("192.0.2.1")))
        .unwrap_err();
}

#[test]
fn windows_that_have_ended_are_forgotten() {
    let (limiter, now) = limiter();
    for at in 0..100 {
        limiter
            .take(&Start::new(&at.to_string(), address("192.0.2.1")))
            .unwrap();
    }
    *now.lock().unwrap() = Duration::from_hours(1);
    limiter
        .take(&Start::new("last", address("192.0.2.1")))
        .unwrap();
    assert_eq!(limiter.counts.lock().unwrap().windows.len(), 2);
}

#[test]
fn vectors_of_limits() {
    let limits = &vectors()["limits"];
    let addresses = limits["addresses"].as_array().unwrap();
    for case in addresses {
        // Frameworks have already parsed the address; the zone is not part of the type.
        let parsed = text(case, "address")
            .split('%')
            .next()
            .unwrap_or_default()
            .parse();
        assert_eq!(
            parsed.ok().map(address_value).as_deref(),
            case["value"].as_str(),
            "{case}"
        );
    }
    let numbers = limits["numbers"].as_array().unwrap();
    for case in numbers {
        assert_eq!(
            number_value(text(case, "number")).as_deref(),
            case["value"].as_str(),
            "{case}"
        );
    }
    let keys = limits["keys"].as_array().unwrap();
    for case in keys {
        let kinds = [Kind::Browser, Kind::Address, Kind::Number];
        let kind = kinds
            .into_iter()
            .find(|kind| kind.as_str() == text(case, "kind"))
            .unwrap();
        assert_eq!(key_of(kind, text(case, "value")), text(case, "key"));
    }
    assert_eq!((addresses.len(), numbers.len(), keys.len()), (21, 17, 4));
}
