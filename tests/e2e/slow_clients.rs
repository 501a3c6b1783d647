//! Clients of one address that open many connections and then read nothing, send nothing, or send a byte
//! now and then. Meanwhile, clients of other addresses must get answers, and the server must eventually
//! close every slow connection.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{Server, count_of, data_dir, skip, unless_hung};

/// Number of slow clients, more than the server accepts.
const CLIENTS: u32 = 1_030;

/// Number of requests from the other address, sent one after the other.
const PROBES: usize = 20;

/// Address of the slow clients. The others use 127.0.0.1.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Number of open files that the tests of this process need, with some margin.
const FILES: u64 = 6_000;

/// A way in which a client is slow.
#[derive(Clone, Copy, Debug)]
enum Slowness {
    ReadsNothing,
    SendsNothing,
    DripsHead,
    DripsBody,
}

/// Opens connections one after the other and is slow on each. Ends when the server has closed the connection
/// that was open when `over` became true.
async fn attack(
    server: SocketAddr,
    vice: Slowness,
    opened: Arc<Semaphore>,
    over: watch::Receiver<bool>,
) {
    let mut first = true;
    while first || !*over.borrow() {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((ADDRESS, 0).into()).unwrap();
        if let Ok(stream) = socket.connect(server).await {
            if std::mem::take(&mut first) {
                opened.add_permits(1);
            }
            // It does not matter how the connection is closed.
            let _ = be_slow(stream, server, vice).await;
        }
        sleep(Duration::from_secs(1)).await; // sleep: the pace of the connections
    }
}

/// Behaves slowly on a connection until the server closes it.
async fn be_slow(mut stream: TcpStream, server: SocketAddr, vice: Slowness) -> io::Result<()> {
    let begin = match vice {
        Slowness::ReadsNothing => {
            let request = format!("GET /openapi.json HTTP/1.1\r\nhost: {server}\r\n\r\n");
            let requests = request.repeat(50);
            loop {
                stream.write_all(requests.as_bytes()).await?;
            }
        }
        Slowness::SendsNothing => {
            return stream.read(&mut [0; 1024]).await.map(drop);
        }
        Slowness::DripsHead => format!("GET /healthz HTTP/1.1\r\nhost: {server}\r\nx-drip: "),
        Slowness::DripsBody => format!(
            "POST /acquire-phone-number HTTP/1.1\r\nhost: {server}\r\ncontent-type: \
             application/json\r\ncontent-length: 9000\r\n\r\n"
        ),
    };
    stream.write_all(begin.as_bytes()).await?;
    loop {
        let mut answer = [0; 1024];
        tokio::select! {
            read = stream.read(&mut answer) => if read? == 0 {
                return Ok(());
            },
            () = sleep(Duration::from_secs(1)) => stream.write_all(b" ").await?, // sleep: dripping
        }
    }
}

/// Raises the limit on open files and returns whether it is high enough.
fn has_files() -> bool {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let enough = maximum.is_none_or(|maximum| maximum >= FILES);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    enough && setrlimit(Resource::Nofile, raised).is_ok()
}

/// Returns whether this machine has the clients' address. By default, macOS has only 127.0.0.1.
fn has_address() -> bool {
    TcpListener::bind((ADDRESS, 0)).is_ok()
}

/// Runs the slow clients and returns the longest time that the other clients waited.
async fn others_are_answered_beside(test: &str, vice: Slowness) -> Duration {
    if !has_files() {
        skip(test, &format!("a limit of {FILES} open files (ulimit -n)"));
        return Duration::ZERO;
    }
    if !has_address() {
        skip(
            test,
            &format!("the address {ADDRESS} on the loopback device"),
        );
        return Duration::ZERO;
    }
    let data = data_dir();
    let server = Server::start(data.path());
    let address = server.facts.url.strip_prefix("http://").unwrap();
    let address: SocketAddr = address.parse().unwrap();
    let opened = Arc::new(Semaphore::new(0));
    let (end, over) = watch::channel(false);
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        clients.spawn(attack(address, vice, Arc::clone(&opened), over.clone()));
    }
    unless_hung("the clients to connect", async {
        opened.acquire_many(CLIENTS).await.unwrap().forget();
    })
    .await;
    // If the server waited for even one slow client, the total would exceed the time limit.
    let mut longest = Duration::ZERO;
    unless_hung("other clients among slow ones", async {
        for _ in 0..PROBES {
            let began = Instant::now();
            assert_eq!(server.anyone().get("/healthz").await.status, 200);
            longest = longest.max(began.elapsed());
        }
    })
    .await;
    end.send_replace(true);
    unless_hung("the connections to be closed", clients.join_all()).await;
    let without_a_place =
        count_of(data.path(), "connection_refused") + count_of(data.path(), "connection_reclaimed");
    assert!(
        without_a_place > 0,
        "no connection of the address was refused or reclaimed"
    );
    if matches!(vice, Slowness::ReadsNothing) {
        assert!(count_of(data.path(), "connection_stalled") > 0);
    }
    assert!(server.terminate().success());
    longest
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_read_nothing_delay_no_others() {
    let test = "clients_that_read_nothing_delay_no_others";
    let longest = others_are_answered_beside(test, Slowness::ReadsNothing).await;
    println!("{PROBES} requests beside {CLIENTS} clients: longest {longest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_send_nothing_delay_no_others() {
    let test = "clients_that_send_nothing_delay_no_others";
    let longest = others_are_answered_beside(test, Slowness::SendsNothing).await;
    println!("{PROBES} requests beside {CLIENTS} clients: longest {longest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_drip_heads_delay_no_others() {
    let test = "clients_that_drip_heads_delay_no_others";
    let longest = others_are_answered_beside(test, Slowness::DripsHead).await;
    println!("{PROBES} requests beside {CLIENTS} clients: longest {longest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_drip_bodies_delay_no_others() {
    let test = "clients_that_drip_bodies_delay_no_others";
    let longest = others_are_answered_beside(test, Slowness::DripsBody).await;
    println!("{PROBES} requests beside {CLIENTS} clients: longest {longest:?}");
}
