//! Tests that a receiver that hangs, drips, floods or is down does not delay webhooks to other
//! receivers.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{ClosedReceiver, Receiver, Server, data_dir, deliver_text};

const BAD: usize = 100;
const TEXTS_EACH: usize = 5;

/// A way in which a receiver misbehaves.
#[derive(Clone, Copy)]
pub(crate) enum Misbehaviour {
    Hangs,
    Drips,
    Floods,
    Refuses,
}

pub(crate) async fn bad_receiver(vice: Misbehaviour) -> String {
    if matches!(vice, Misbehaviour::Refuses) {
        let closed = ClosedReceiver::new();
        let url = closed.url.clone();
        tokio::spawn(async move {
            let _held = closed;
            std::future::pending::<()>().await;
        });
        return url;
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(misbehave(stream, vice));
        }
    });
    url
}

async fn misbehave(mut stream: TcpStream, vice: Misbehaviour) -> std::io::Result<()> {
    let mut request = [0; 1024];
    let _ = stream.read(&mut request).await?;
    match vice {
        Misbehaviour::Hangs | Misbehaviour::Refuses => std::future::pending::<()>().await,
        Misbehaviour::Drips => loop {
            stream.write_all(b"H").await?;
            tokio::time::sleep(Duration::from_secs(1)).await; // sleep: the pace of the dripping
        },
        Misbehaviour::Floods => {
            stream
                .write_all(b"HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n")
                .await?;
            loop {
                stream.write_all(b"1000\r\n").await?;
                stream.write_all(&[b'x'; 0x1000]).await?;
                stream.write_all(b"\r\n").await?;
            }
        }
    }
    Ok(())
}

/// Starts a confirmation with this callback, sends its text, and returns the time of sending.
async fn owe(server: &Server, callback: &str) -> Instant {
    let (id, message) = server.acquire(callback).await;
    let began = Instant::now();
    deliver_text(&server.facts, &id, "+12025550100", &message)
        .await
        .unwrap();
    began
}

/// Delivers a webhook to a receiver that answers, and returns how long that took.
async fn deliver(server: &Server, receiver: &Receiver) -> Duration {
    let began = owe(server, &receiver.url).await;
    receiver.next().await;
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_receivers_do_not_delay_webhooks_to_a_good_one() {
    let data = data_dir();
    let server = Server::start(data.path());
    let good = Receiver::start().await;
    // A server without bad receivers, which a stall of the disk or the machine also delays.
    let other_data = data_dir();
    let other = Server::start(other_data.path());
    let undisturbed = Receiver::start().await;
    let vices = [
        Misbehaviour::Hangs,
        Misbehaviour::Drips,
        Misbehaviour::Floods,
        Misbehaviour::Refuses,
    ];
    for number in 0..BAD {
        let url = bad_receiver(vices[number % vices.len()]).await;
        for _ in 0..TEXTS_EACH {
            owe(&server, &url).await;
        }
    }
    let mut times = Vec::new();
    for _ in 0..100 {
        let (beside, alone) = tokio::join!(deliver(&server, &good), deliver(&other, &undisturbed));
        times.push(beside.saturating_sub(alone));
    }
    times.sort();
    println!(
        "delay beside {BAD} bad receivers: p50 {:?}, worst {:?}",
        times[50], times[99]
    );
    // A bad receiver blocks an attempt for ten seconds, so waiting for even one of them would show
    // in the times.
    assert!(times[99] < Duration::from_secs(6), "{times:?}");
}
