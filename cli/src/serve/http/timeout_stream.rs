//! A stream that requires its other end to keep pace.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::Activity;
use super::limits::Limits;

/// A stream that fails with [`io::ErrorKind::TimedOut`] if the head of a request does not arrive in
/// time or the client does not read an answer in time. It reads nothing while bytes are waiting for
/// the client.
pub(super) struct TimeoutStream<S> {
    stream: S,
    activity: Arc<Activity>,
    limits: Limits,
    head: Alarm,
    write: Alarm,
    /// Time since which bytes have been waiting for the client.
    backlog_since: Option<Instant>,
    /// Time since which the client has read none of them.
    stuck_since: Option<Instant>,
}

impl<S> TimeoutStream<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>, limits: Limits) -> Self {
        Self {
            stream,
            activity,
            limits,
            head: Alarm::default(),
            write: Alarm::default(),
            backlog_since: None,
            stuck_since: None,
        }
    }

    /// Returns the outcome of a write, or fails if the client reads too little.
    fn check_progress(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stuck_since = None;
            return written;
        }
        self.activity.blocked();
        let now = Instant::now();
        let backlog_since = *self.backlog_since.get_or_insert(now);
        let stuck_since = *self.stuck_since.get_or_insert(now);
        let until = (backlog_since + self.limits.write).min(stuck_since + self.limits.write_stall);
        ready!(self.write.poll(until, context));
        self.activity.stalled();
        Poll::Ready(Err(timed_out("the client does not read the answer")))
    }
}

fn timed_out(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.activity.poll_no_backlog(context));
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_pending()
            && let Some(since) = this.activity.waiting_since()
        {
            ready!(this.head.poll(since + this.limits.head, context));
            return Poll::Ready(Err(timed_out("no request arrived in time")));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_progress(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.check_progress(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Writers call this when there is nothing left to write.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.backlog_since = None;
        self.stuck_since = None;
        self.activity.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Wakes the task at an instant that may change.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    fn poll(&mut self, at: Instant, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if sleep.deadline() != at {
            sleep.as_mut().reset(at);
        }
        sleep.as_mut().poll(context)
    }
}
