use futures_util::FutureExt as _;

use super::*;

fn admission(connections: usize, per_address: usize) -> Admission {
    let limits = Limits {
        settled: Duration::ZERO,
        ..Limits::public(connections, Some(per_address))
    };
    Admission::new(limits, Vec::new())
}

fn admit(admission: &Admission, peer: &str) -> Result<ConnectionPermit, Refused> {
    admission.admit(Some(peer.parse().unwrap()))
}

/// Admits a connection that has read a request.
fn working(admission: &Admission, peer: &str) -> ConnectionPermit {
    let place = admit(admission, peer).ok().unwrap();
    assert_eq!(place.slot().work(), SlotState::Open);
    place
}

fn is_reclaimed(place: &ConnectionPermit) -> bool {
    place.reclaimed().now_or_never().is_some()
}

#[test]
fn one_address_gets_its_share_and_others_find_room() {
    let admission = admission(10, 2);
    let places = [
        working(&admission, "192.0.2.1"),
        working(&admission, "::ffff:192.0.2.1"),
    ];
    assert_eq!(
        admit(&admission, "192.0.2.1").err(),
        Some(Refused::AddressFull)
    );
    assert!(admit(&admission, "192.0.2.2").is_ok());
    drop(places);
    assert!(admit(&admission, "192.0.2.1").is_ok());
    let state = admission.shared.locked();
    assert!(state.open.is_empty() && state.networks.is_empty() && state.waiting.is_empty());
}

#[test]
fn ipv6_connections_count_by_subnet_and_by_site() {
    let admission = admission(100, 2);
    let mut places = Vec::new();
    for peer in [
        "2001:db8:0:1::1",
        "2001:db8:0:1::2",
        "2001:db8:0:2::1",
        "2001:db8:0:3::1",
    ] {
        places.push(working(&admission, peer));
    }
    let refused = Some(Refused::AddressFull);
    assert_eq!(admit(&admission, "2001:db8:0:1::3").err(), refused, "a /64");
    assert_eq!(admit(&admission, "2001:db8:0:4::1").err(), refused, "a /48");
    assert!(admit(&admission, "2001:db8:1:1::1").is_ok());
}

#[test]
fn trusted_proxy_may_use_all_connections() {
    let trusted = vec!["10.0.0.0/8".parse().unwrap()];
    let admission = Admission::new(Limits::public(3, Some(1)), trusted);
    let _places: Vec<_> = (0..3).map(|_| working(&admission, "10.1.2.3")).collect();
    assert_eq!(
        admit(&admission, "10.1.2.3").err(),
        Some(Refused::ServerFull)
    );
}

#[test]
fn longest_waiting_connection_makes_room_first() {
    let admission = admission(10, 2);
    let first = working(&admission, "192.0.2.1");
    let second = admit(&admission, "192.0.2.1").ok().unwrap();
    // From here on, the second connection has waited longer.
    first.slot().wait();
    let third = admit(&admission, "192.0.2.1").ok().unwrap();
    assert!(is_reclaimed(&second) && !is_reclaimed(&first));
    assert_eq!(
        second.slot().work(),
        SlotState::Reclaimed,
        "it may not start a request"
    );
    second.slot().wait();
    drop(second);
    let _fourth = admit(&admission, "192.0.2.1").ok().unwrap();
    assert!(is_reclaimed(&first) && !is_reclaimed(&third));
}

#[test]
fn full_server_closes_the_newcomers_own_connections_first() {
    let admission = admission(3, 2);
    let other = admit(&admission, "192.0.2.9").ok().unwrap();
    let busy = working(&admission, "192.0.2.2");
    let own = admit(&admission, "192.0.2.1").ok().unwrap();
    let next = admit(&admission, "192.0.2.1").ok().unwrap();
    assert!(is_reclaimed(&own) && !is_reclaimed(&other));
    let _last = admit(&admission, "192.0.2.2").ok().unwrap();
    assert!(is_reclaimed(&other) && !is_reclaimed(&busy) && !is_reclaimed(&next));
}

#[test]
fn server_with_all_connections_at_work_refuses() {
    let admission = admission(2, 2);
    let _places = [
        working(&admission, "192.0.2.1"),
        working(&admission, "192.0.2.2"),
    ];
    assert_eq!(
        admit(&admission, "192.0.2.3").err(),
        Some(Refused::ServerFull)
    );
    assert_eq!(admission.admit(None).err(), Some(Refused::ServerFull));
}

#[tokio::test(start_paused = true)]
async fn connection_that_was_just_opened_or_used_makes_no_room() {
    for (connections, refused) in [(2, Refused::ServerFull), (9, Refused::AddressFull)] {
        let admission = Admission::new(Limits::public(connections, Some(2)), Vec::new());
        let address = "192.0.2.1";
        let (first, second) = (working(&admission, address), working(&admission, address));
        first.slot().wait();
        second.slot().wait();
        let peer = if connections == 2 {
            "192.0.2.2"
        } else {
            address
        };
        tokio::time::advance(Duration::from_millis(999)).await;
        assert_eq!(admit(&admission, peer).err(), Some(refused));
        assert!(!is_reclaimed(&first));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(admit(&admission, peer).is_ok());
        assert!(is_reclaimed(&first) && !is_reclaimed(&second));
    }
}
