//! Clients that send or read slowly, over a pipe and with a paused clock.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::DuplexStream;
use tokio::time::{Instant, sleep};

use super::*;

/// Size of the answer of [`big`], in bytes: far more than the buffers of the pipes.
const BIG: usize = 64 << 10;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n";

fn limits() -> Limits {
    Limits::public(8, None)
}

/// Fails instead of hanging if a limit is not enforced: nothing here takes an hour of the paused
/// clock.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_hours(1), future).await;
    ended.expect("hung")
}

struct Piped {
    client: DuplexStream,
    ended: JoinHandle<()>,
    counters: Arc<Counters>,
    _stop: watch::Sender<bool>,
}

/// Serves one end of a pipe with a buffer of `room` bytes.
fn piped(router: Router, room: usize) -> Piped {
    let (client, stream) = tokio::io::duplex(room);
    let (stop, stopping) = watch::channel(false);
    let host = Arc::new(host(limits()));
    let counters = Arc::clone(&host.counters);
    let place = Admission::new(limits(), Vec::new()).admit(None).ok();
    let connection = Connection {
        place: place.unwrap(),
        peer: User::current().into(),
        router,
        host,
        telling: Arc::new(Semaphore::new(1)),
    };
    Piped {
        client,
        ended: tokio::spawn(soon(connection.serve(stream, stopping))),
        counters,
        _stop: stop,
    }
}

/// Returns a router with a large answer, and its request counter.
fn big() -> (Router, Arc<AtomicUsize>) {
    let requests = Arc::new(AtomicUsize::new(0));
    let handler = {
        let requests = Arc::clone(&requests);
        async move || {
            requests.fetch_add(1, Ordering::SeqCst);
            "x".repeat(BIG)
        }
    };
    (Router::new().route("/", get(handler)), requests)
}

#[tokio::test(start_paused = true)]
async fn client_that_reads_nothing_costs_one_answer_and_is_closed() {
    let (router, requests) = big();
    let mut piped = piped(router, 4096);
    let began = Instant::now();
    piped.client.write_all(&REQUEST.repeat(100)).await.unwrap();
    piped.ended.await.unwrap();
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    assert_eq!(began.elapsed().as_secs(), limits().write_stall.as_secs());
    assert_eq!(counted(&piped.counters, "connection_stalled"), 1);
}

#[tokio::test(start_paused = true)]
async fn answers_without_a_body_do_not_pile_up() {
    let (router, requests) = big();
    let mut piped = piped(router, 4096);
    let head = String::from_utf8_lossy(REQUEST).replace("GET", "HEAD");
    // Each answer is longer than its request.
    piped
        .client
        .write_all(head.repeat(130).as_bytes())
        .await
        .unwrap();
    piped.ended.await.unwrap();
    let answered = requests.load(Ordering::SeqCst);
    assert!((1..=4096 / head.len()).contains(&answered), "{answered}");
    assert_eq!(counted(&piped.counters, "connection_stalled"), 1);
}

#[tokio::test(start_paused = true)]
async fn reading_a_byte_now_and_then_does_not_keep_a_connection_open() {
    let (router, _) = big();
    let piped = piped(router, 16);
    let began = Instant::now();
    let (mut reading, mut writing) = tokio::io::split(piped.client);
    let reader = tokio::spawn(async move {
        let mut byte = [0];
        while reading.read(&mut byte).await.is_ok_and(|count| count > 0) {
            sleep(Duration::from_secs(5)).await; // sleep: slowness is its vice
        }
    });
    writing.write_all(REQUEST).await.unwrap();
    piped.ended.await.unwrap();
    assert_eq!(began.elapsed().as_secs(), limits().write.as_secs());
    assert_eq!(counted(&piped.counters, "connection_stalled"), 1);
    reader.abort();
}

#[tokio::test(start_paused = true)]
async fn slow_reader_gets_its_answer_and_the_next() {
    let (router, requests) = big();
    let mut piped = piped(router, 1024);
    for number in 1..=2 {
        let began = Instant::now();
        piped.client.write_all(REQUEST).await.unwrap();
        let mut read = 0;
        let mut part = [0; 1024];
        while read < BIG {
            sleep(Duration::from_secs(1)).await; // sleep: slowness is its vice
            let count = piped.client.read(&mut part).await.unwrap();
            assert_ne!(count, 0, "closed after {read} bytes");
            read += count;
        }
        assert!(began.elapsed() > limits().head * 4);
        // Read the rest of head and body.
        while reads_now(&mut piped.client, &mut part) {}
        assert_eq!(requests.load(Ordering::SeqCst), number);
    }
    assert_eq!(counted(&piped.counters, "connection_stalled"), 0);
}

/// Reads what has arrived, and returns whether it was anything.
fn reads_now(stream: &mut DuplexStream, buffer: &mut [u8]) -> bool {
    matches!(stream.read(buffer).now_or_never(), Some(Ok(1..)))
}

#[tokio::test(start_paused = true)]
async fn dripping_and_missing_heads_close_the_connection() {
    let mut dripping = piped(hello(), 4096);
    let began = Instant::now();
    let drip = tokio::spawn(async move {
        dripping
            .client
            .write_all(b"GET / HTTP/1.1\r\nx: ")
            .await
            .unwrap();
        while dripping.client.write_all(b"x").await.is_ok() {
            sleep(Duration::from_secs(1)).await; // sleep: slowness is its vice
        }
    });
    let silent = piped(hello(), 4096);
    dripping.ended.await.unwrap();
    silent.ended.await.unwrap();
    assert_eq!(began.elapsed().as_secs(), limits().head.as_secs());
    drip.abort();
}

#[tokio::test(start_paused = true)]
async fn upgraded_connection_needs_no_requests() {
    let upgrade = async |mut request: Request| {
        let upgraded = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let mut stream = TokioIo::new(upgraded.await.unwrap());
            let mut byte = [0];
            stream.read_exact(&mut byte).await.unwrap();
            stream.write_all(&byte).await.unwrap();
            stream.flush().await.unwrap();
        });
        let headers = [("connection", "upgrade"), ("upgrade", "echo")];
        (http::StatusCode::SWITCHING_PROTOCOLS, headers)
    };
    let mut piped = piped(Router::new().route("/", get(upgrade)), 4096);
    piped
        .client
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n")
        .await
        .unwrap();
    piped.ended.await.unwrap();
    sleep(Duration::from_mins(10)).await; // sleep: a long silence, on the paused clock
    piped.client.write_all(b"!").await.unwrap();
    let mut answer = Vec::new();
    piped.client.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 101 ") && answer.ends_with(b"\r\n\r\n!"));
}

#[tokio::test(start_paused = true)]
async fn upgraded_connection_has_to_read() {
    let (failed, failure) = tokio::sync::oneshot::channel();
    let failed = Arc::new(std::sync::Mutex::new(Some(failed)));
    let upgrade = async move |mut request: Request| {
        let upgraded = hyper::upgrade::on(&mut request);
        let failed = failed.lock().unwrap().take().unwrap();
        tokio::spawn(async move {
            let mut stream = TokioIo::new(upgraded.await.unwrap());
            let written = stream.write_all(&vec![0; BIG]).await;
            failed.send(written.unwrap_err().kind()).unwrap();
        });
        let headers = [("connection", "upgrade"), ("upgrade", "echo")];
        (http::StatusCode::SWITCHING_PROTOCOLS, headers)
    };
    let mut piped = piped(Router::new().route("/", get(upgrade)), 4096);
    piped
        .client
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(soon(failure).await.unwrap(), std::io::ErrorKind::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn event_stream_lasts_while_it_is_read() {
    const EVENT: usize = 1024;
    const PAUSE: Duration = Duration::from_secs(20);
    let events = async || {
        Body::from_stream(futures_util::stream::unfold((), async |()| {
            sleep(PAUSE).await; // sleep: the pace of the events
            let event = Ok::<_, std::convert::Infallible>("x".repeat(EVENT));
            Some((event, ()))
        }))
    };
    let mut piped = piped(Router::new().route("/", get(events)), 4 * EVENT);
    piped.client.write_all(REQUEST).await.unwrap();
    let began = Instant::now();
    let mut event = [0; EVENT];
    while began.elapsed() < limits().write * 3 {
        piped.client.read_exact(&mut event).await.unwrap();
    }
    assert_eq!(counted(&piped.counters, "connection_stalled"), 0);
    let stopped = Instant::now();
    piped.ended.await.unwrap();
    assert_eq!(counted(&piped.counters, "connection_stalled"), 1);
    assert!(stopped.elapsed() <= 5 * PAUSE + limits().write_stall);
}
