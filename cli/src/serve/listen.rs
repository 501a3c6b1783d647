//! The port that callers reach.

use std::io;
use std::net::SocketAddr;

use axum::serve::{Listener, ListenerExt as _};
use tokio::net::{TcpListener, TcpSocket};

use crate::failure::Failure;

/// How much of an answer the system keeps for a client that does not read, in bytes; Linux takes
/// twice that. Left alone it may grow to megabytes for each connection.
const SEND_BUFFER: u32 = 128 << 10;

/// How many connections may wait to be accepted, which takes a moment.
const BACKLOG: u32 = 1024;

/// Listens on an address, and returns the one that it was bound to.
pub(super) fn listen(
    address: SocketAddr,
) -> Result<(impl Listener<Addr = SocketAddr>, SocketAddr), Failure> {
    let (listener, bound) = bind(address)
        .and_then(|listener| listener.local_addr().map(|bound| (listener, bound)))
        .map_err(|error| {
            Failure::because(
                format!("cannot listen on {address}; choose another address or port with --listen"),
                &error,
            )
        })?;
    // Answers are small and awaited: none may wait for the acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok((listener, bound))
}

/// Returns a listening socket whose connections hold little for clients that do not read.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // As `TcpListener::bind` does: the port of a server that was killed can be used at once.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
