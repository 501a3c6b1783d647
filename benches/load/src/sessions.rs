//! A store with many sessions: memory, file size and startup time.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::acquire;
use crate::client::Client;
use crate::figures::{mebibytes, rate};
use crate::server::{Limits, Memory, Server};

/// Name of the store's file in the data directory.
const STORE_FILE: &str = "countersign.db";

/// Number of connections that fill the store. It is below the server's limit per address.
const CALLERS: usize = 128;

/// The figures of a server with many sessions.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) count: usize,
    /// Sessions started per second while the store was filled.
    pub(crate) rate: f64,
    /// Memory of the server that started all sessions.
    pub(crate) filled: Memory,
    /// Size of the store's file, in MiB.
    pub(crate) file: f64,
    pub(crate) stopped: Start,
    pub(crate) killed: Start,
}

/// The figures of one startup.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Time until the server answers that it is healthy.
    pub(crate) healthy: Duration,
    /// Time of the first acquisition after that, with quotas enforced.
    pub(crate) first: Duration,
    pub(crate) memory: Memory,
}

/// Starts `count` sessions through the API. Then stops and restarts the server, and finally kills
/// and restarts it.
pub(crate) async fn measure(binary: &Path, count: usize) -> Figures {
    let folder = crate::disk::folder();
    let data = folder.path();
    let server = Server::start(binary, data, Limits::Lifted).await;
    let began = Instant::now();
    acquire::fill(&server, count, CALLERS).await;
    let rate = rate(count, began.elapsed());
    let filled = server.memory();
    server.stop().await;
    let file = mebibytes(std::fs::metadata(data.join(STORE_FILE)).unwrap().len());
    let (server, stopped) = start(binary, data).await;
    server.kill().await;
    let (server, killed) = start(binary, data).await;
    crate::console::print(binary, data, count).await;
    server.stop().await;
    Figures {
        count,
        rate,
        filled,
        file,
        stopped,
        killed,
    }
}

async fn start(binary: &Path, data: &Path) -> (Server, Start) {
    let server = Server::start(binary, data, Limits::Enforced).await;
    let mut client = Client::connect(&server.authority).await;
    let began = Instant::now();
    let headers = [("x-api-key", server.api_key.as_str())];
    let body = acquire::body("http://127.0.0.1:9/hook");
    let answer = client.post(acquire::PATH, &headers, body).await;
    // The demo app has more open confirmations than its quota allows.
    assert!([200, 429].contains(&answer.status.as_u16()));
    let start = Start {
        healthy: server.start,
        first: began.elapsed(),
        memory: server.memory(),
    };
    (server, start)
}
