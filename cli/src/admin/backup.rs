//! Streaming a backup over the admin socket.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use countersign_api::Causes;
use countersign_domain::primitives::time::Clock;
use futures_util::stream;
use tokio::sync::mpsc;

use crate::backup;
use crate::data_dir::DataDir;
use crate::storage::Storage;

/// Bytes per chunk.
const PIECE: usize = 64 << 10;

/// Chunks that may wait for a slow reader.
const WAITING: usize = 4;

type Piece = Result<Bytes, io::Error>;

/// Answers with a backup. An error on the way breaks the stream off, so that the reader notices.
pub(super) async fn stream(
    State((storage, data, clock)): State<(Storage, DataDir, Arc<dyn Clock>)>,
) -> Response {
    let (pieces, received) = mpsc::channel::<Piece>(WAITING);
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(PIECE, Pieces(pieces.clone()));
        let written = backup::write(&storage, &data, clock.now(), &mut out);
        if let Err(error) = written {
            tracing::error!(cause = %Causes(&error), "backup aborted");
            let _ = pieces.blocking_send(Err(io::Error::other("broken off")));
        }
    });
    let pieces = stream::unfold(received, async |mut received| {
        received.recv().await.map(|piece| (piece, received))
    });
    Response::new(Body::from_stream(pieces))
}

/// Sends what is written in chunks.
struct Pieces(mpsc::Sender<Piece>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Bytes::copy_from_slice(bytes);
        let sent = self.0.blocking_send(Ok(piece));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
