//! The thread that flushes for all requests that wait.

use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;

/// Handle to the thread, which ends when the handle is dropped.
pub(super) struct Flusher(mpsc::Sender<oneshot::Sender<()>>);

impl Flusher {
    /// Starts the thread. It calls `flush` with the number of requests that share the flush.
    pub(super) fn start(mut flush: impl FnMut(usize) + Send + 'static) -> Self {
        let (sender, requests) = mpsc::channel::<oneshot::Sender<()>>();
        thread::spawn(move || {
            let mut batch = Vec::new();
            while let Ok(first) = requests.recv() {
                batch.push(first);
                batch.extend(requests.try_iter());
                flush(batch.len());
                for request in batch.drain(..) {
                    // The request may be gone.
                    let _ = request.send(());
                }
            }
        });
        Self(sender)
    }

    /// Adds a request to the next flush. The returned channel tells when it is on disk.
    pub(super) fn flush(&self) -> oneshot::Receiver<()> {
        let (request, flushed) = oneshot::channel();
        self.0.send(request).unwrap();
        flushed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_requests_share_a_flush() {
        let (started, sizes) = mpsc::channel();
        let (release, held) = mpsc::channel();
        let flusher = Flusher::start(move |requests| {
            started.send(requests).unwrap();
            held.recv().unwrap();
        });
        let mut first = flusher.flush();
        assert_eq!(sizes.recv(), Ok(1));
        let others = [flusher.flush(), flusher.flush(), flusher.flush()];
        assert!(first.try_recv().is_err(), "answered before the flush ended");
        release.send(()).unwrap();
        first.await.unwrap();
        assert_eq!(sizes.recv(), Ok(3));
        release.send(()).unwrap();
        for other in others {
            other.await.unwrap();
        }
        drop(flusher);
        assert!(sizes.recv().is_err(), "flushed again");
    }

    #[tokio::test]
    async fn request_that_is_gone_does_not_stop_the_thread() {
        let flusher = Flusher::start(|_| ());
        drop(flusher.flush());
        flusher.flush().await.unwrap();
    }
}
