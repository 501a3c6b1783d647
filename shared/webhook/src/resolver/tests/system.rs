//! Lookups at a name server on loopback.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_domain::web::callback_url::CallbackPolicy;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::proto::op::{Message, OpCode, ResponseCode};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType, rdata};
use tokio::net::UdpSocket;

use crate::resolver::{Family, GuardedResolver, LookupError, NameLookup, SystemLookup};

/// Time limit that only a hanging test reaches.
const HANG: Duration = Duration::from_mins(1);

/// The name server's behavior for a name and a record type.
enum Does {
    Answers(Vec<RData>),
    Says(ResponseCode),
    Nothing,
}

struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<(String, RecordType)>>>,
}

impl NameServer {
    async fn start(script: impl Fn(&str, RecordType) -> Does + Send + 'static) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut datagram = [0; 1_500];
            while let Ok((length, from)) = socket.recv_from(&mut datagram).await {
                let question = Message::from_vec(&datagram[..length]).unwrap();
                let query = question.queries[0].clone();
                let name = query.name().to_ascii();
                kept.lock()
                    .unwrap()
                    .push((name.clone(), query.query_type()));
                let mut answer = Message::response(question.metadata.id, OpCode::Query);
                answer.metadata.recursion_available = true;
                answer.add_query(query.clone());
                match script(&name, query.query_type()) {
                    Does::Answers(all) => {
                        let name = query.name();
                        answer.add_answers(
                            all.into_iter()
                                .map(|data| Record::from_rdata(name.clone(), 60, data)),
                        );
                    }
                    Does::Says(code) => answer.metadata.response_code = code,
                    Does::Nothing => continue,
                }
                socket
                    .send_to(&answer.to_vec().unwrap(), from)
                    .await
                    .unwrap();
            }
        });
        Self { address, asked }
    }

    fn config(&self) -> NameServerConfig {
        let mut config = NameServerConfig::udp(self.address.ip());
        config.connections = vec![ConnectionConfig::udp()];
        config.connections[0].port = self.address.port();
        config
    }

    fn lookup(&self) -> SystemLookup {
        let config = self.config();
        SystemLookup::from_source(move || Ok(vec![config.clone()]))
    }
}

fn a(text: &str) -> RData {
    RData::A(rdata::A(text.parse().unwrap()))
}

fn aaaa(text: &str) -> RData {
    RData::AAAA(rdata::AAAA(text.parse().unwrap()))
}

async fn ask(
    lookup: &SystemLookup,
    name: &str,
    family: Family,
) -> Result<Vec<IpAddr>, LookupError> {
    tokio::time::timeout(HANG, lookup.addresses(name, family))
        .await
        .unwrap()
}

#[tokio::test]
async fn every_address_of_a_name_is_returned() {
    let server = NameServer::start(|_, record_type| match record_type {
        RecordType::A => Does::Answers(vec![a("1.1.1.1"), a("127.0.0.1"), a("10.0.0.1")]),
        _ => Does::Answers(vec![aaaa("2606:4700::1111"), aaaa("::1")]),
    })
    .await;
    let lookup = server.lookup();
    let mut v4 = ask(&lookup, "hooks.example.com", Family::V4).await.unwrap();
    v4.sort_unstable();
    assert_eq!(
        v4,
        ["1.1.1.1", "10.0.0.1", "127.0.0.1"].map(|t| t.parse::<IpAddr>().unwrap())
    );
    let mut v6 = ask(&lookup, "hooks.example.com", Family::V6).await.unwrap();
    v6.sort_unstable();
    assert_eq!(
        v6,
        ["::1", "2606:4700::1111"].map(|t| t.parse::<IpAddr>().unwrap())
    );
}

#[tokio::test]
async fn alias_is_followed() {
    let alias = Name::from_ascii("inside.example.net.").unwrap();
    let server = NameServer::start(move |name, _| match name {
        "hooks.example.com." => Does::Answers(vec![RData::CNAME(rdata::CNAME(alias.clone()))]),
        "inside.example.net." => Does::Answers(vec![a("10.0.0.1")]),
        _ => Does::Says(ResponseCode::NXDomain),
    })
    .await;
    let addresses = ask(&server.lookup(), "hooks.example.com", Family::V4)
        .await
        .unwrap();
    assert_eq!(addresses, [IpAddr::from([10, 0, 0, 1])]);
}

#[tokio::test]
async fn names_are_fully_qualified() {
    let server = NameServer::start(|_, _| Does::Says(ResponseCode::NXDomain)).await;
    let lookup = server.lookup();
    for family in [Family::V4, Family::V6] {
        assert_eq!(
            ask(&lookup, "hooks.example", family).await,
            Err(LookupError::NotFound)
        );
    }
    let asked = server.asked.lock().unwrap().clone();
    assert!(
        asked.iter().all(|(name, _)| name == "hooks.example."),
        "{asked:?}"
    );
}

#[tokio::test]
async fn missing_names_and_failing_servers_are_told_apart() {
    let server = NameServer::start(|name, _| match name {
        "empty.example.com." => Does::Answers(Vec::new()),
        "broken.example.com." => Does::Says(ResponseCode::ServFail),
        _ => Does::Says(ResponseCode::Refused),
    })
    .await;
    let lookup = server.lookup();
    for (name, error) in [
        ("empty.example.com", LookupError::NotFound),
        ("broken.example.com", LookupError::Failed),
        ("refused.example.com", LookupError::Failed),
    ] {
        assert_eq!(ask(&lookup, name, Family::V4).await, Err(error), "{name}");
    }
}

#[tokio::test]
async fn hanging_names_do_not_delay_another() {
    let server = NameServer::start(|name, record_type| match (name, record_type) {
        (name, _) if name.starts_with("hang") => Does::Nothing,
        (_, RecordType::A) => Does::Answers(vec![a("1.1.1.1")]),
        _ => Does::Answers(Vec::new()),
    })
    .await;
    let policy = CallbackPolicy::deployed();
    let resolver = GuardedResolver::new(Arc::new(server.lookup()), &policy, HANG);
    let hanging: Vec<_> = (0..200)
        .map(|number| {
            let resolver = resolver.clone();
            let name = format!("hang{number}.example.com");
            tokio::spawn(async move { resolver.vetted(&name).await })
        })
        .collect();
    // All lookups are in progress, each with both its queries.
    let all_ask = async {
        while server.asked.lock().unwrap().len() < 400 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG, all_ask).await.unwrap();
    let good = resolver.vetted("good.example.com").await.unwrap();
    assert_eq!(good, [IpAddr::from([1, 1, 1, 1])]);
    assert!(
        hanging.iter().all(|task| !task.is_finished()),
        "the good name waited for them"
    );
    for task in hanging {
        task.abort();
    }
}

#[tokio::test]
async fn lookups_fail_until_there_are_name_servers() {
    let server = NameServer::start(|_, _| Does::Answers(vec![a("1.1.1.1")])).await;
    let config = server.config();
    let there = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&there);
    let lookup = SystemLookup::from_source(move || {
        if seen.load(Ordering::SeqCst) {
            Ok(vec![config.clone()])
        } else {
            Err(NetError::Message("no such file"))
        }
    });
    let unavailable = Err(LookupError::Unavailable);
    assert_eq!(
        ask(&lookup, "hooks.example.com", Family::V4).await,
        unavailable
    );
    there.store(true, Ordering::SeqCst);
    assert!(ask(&lookup, "hooks.example.com", Family::V4).await.is_ok());

    let none_listed = SystemLookup::from_source(|| Ok(Vec::new()));
    assert_eq!(
        ask(&none_listed, "hooks.example.com", Family::V4).await,
        unavailable
    );
}

#[tokio::test]
async fn name_that_fits_no_query_is_not_found() {
    let lookup = SystemLookup::from_source(|| Ok(Vec::new()));
    let name = "a".repeat(64) + ".example.com";
    assert_eq!(
        ask(&lookup, &name, Family::V4).await,
        Err(LookupError::NotFound)
    );
}

#[test]
fn configuration_is_read_at_the_first_lookup() {
    // There is no runtime here, and perhaps no configuration: creating the lookup must need
    // neither.
    let _ = SystemLookup::new();
    let _ = SystemLookup::default();
}
