//! The TCP listeners.

use std::io;
use std::net::SocketAddr;

use axum::serve::{Listener, ListenerExt as _};
use tokio::net::{TcpListener, TcpSocket};

use crate::failure::Failure;

/// Size of the system's send buffer, in bytes, for a client that does not read; Linux doubles it.
/// By default it may grow to megabytes per connection.
const SEND_BUFFER: u32 = 128 << 10;

/// Maximum number of connections that wait briefly to be accepted.
const BACKLOG: u32 = 1024;

/// Listens on the address from this option of the command, and returns the listener with its bound
/// address.
pub(crate) fn listen(
    address: SocketAddr,
    option: &str,
) -> Result<(impl Listener<Addr = SocketAddr>, SocketAddr), Failure> {
    let (listener, bound) = bind(address)
        .and_then(|listener| listener.local_addr().map(|bound| (listener, bound)))
        .map_err(|error| {
            Failure::because(
                format!("cannot listen on {address}; choose another address or port with {option}"),
                &error,
            )
        })?;
    // Answers are small and callers wait for them, so none may wait for the acknowledgement of
    // another.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok((listener, bound))
}

/// Returns a listening socket whose connections buffer little for clients that do not read.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // Like `TcpListener::bind`: the port of a killed server is free immediately.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
