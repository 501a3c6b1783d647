//! A store in Redis, with the crate `redis` and its connections for tokio, such as `ConnectionManager`.
//!
//! Redis has no transaction that includes what an act writes: if the process dies between the two, the act runs
//! again. Make it harmless to repeat, or use SQL.

use std::future::Future;
use std::time::Duration;

use countersign_client::{Acceptance, Act, BoxError, Store, async_trait};
use redis::aio::ConnectionLike;
use redis::{Cmd, FromRedisValue, RedisResult, cmd};

/// Longer than any act takes. If a process dies during an act, another may retry after this time.
const LOCK: Duration = Duration::from_mins(1);

/// A store on a connection whose clones share one socket.
pub(crate) struct RedisStore<C>(C);

impl<C: ConnectionLike + Clone + Send + Sync> RedisStore<C> {
    /// Creates a store.
    pub(crate) fn new(connection: C) -> Self {
        Self(connection)
    }

    /// Awaits `run` while no other process acts on the id.
    async fn alone<T>(
        &self,
        id: &str,
        run: impl Future<Output = Result<T, BoxError>> + Send,
    ) -> Result<T, BoxError> {
        let lock = format!("countersign:lock:{id}");
        let mut set = cmd("SET");
        set.arg(&lock)
            .arg(1)
            .arg("NX")
            .arg("EX")
            .arg(LOCK.as_secs());
        let locked: Option<String> = self.send(&set).await?;
        if locked.is_none() {
            // The error makes the service retry after the other process has succeeded or failed.
            return Err("another process is acting on it".into());
        }
        let result = run.await;
        // If this fails, the lock expires by itself.
        let _: RedisResult<()> = self.send(cmd("DEL").arg(&lock)).await;
        result
    }

    async fn state(&self, id: &str) -> RedisResult<Option<String>> {
        self.send(cmd("GET").arg(key(id))).await
    }

    async fn send<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        command.query_async(&mut self.0.clone()).await
    }
}

#[async_trait]
impl<C: ConnectionLike + Clone + Send + Sync> Store for RedisStore<C> {
    async fn remember(&self, id: &str, ttl: Duration, act: Act<'_>) -> Result<bool, BoxError> {
        let remember = async {
            if self.state(id).await?.is_some() {
                return Ok(false);
            }
            act.await?;
            let mut set = cmd("SET");
            set.arg(key(id)).arg("pending").arg("EX").arg(ttl.as_secs());
            let _: () = self.send(&set).await?;
            Ok(true)
        };
        self.alone(id, remember).await
    }

    async fn accept(&self, id: &str, act: Act<'_>) -> Result<Acceptance, BoxError> {
        let accept = async {
            match self.state(id).await?.as_deref() {
                None => return Ok(Acceptance::Unknown),
                Some("accepted") => return Ok(Acceptance::Repeated),
                Some(_) => act.await?,
            }
            let mut set = cmd("SET");
            set.arg(key(id)).arg("accepted").arg("XX").arg("KEEPTTL");
            let _: () = self.send(&set).await?;
            Ok(Acceptance::Accepted)
        };
        self.alone(id, accept).await
    }
}

fn key(id: &str) -> String {
    format!("countersign:{id}")
}
