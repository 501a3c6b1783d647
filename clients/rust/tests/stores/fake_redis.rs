//! A fake Redis with the commands that the store uses, and a clock that a test sets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use redis::aio::ConnectionLike;
use redis::{Cmd, Pipeline, RedisFuture, Value};

#[derive(Clone, Default)]
pub(crate) struct FakeRedis(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    now: Duration,
    /// Values and their expiry times.
    keys: HashMap<String, (String, Duration)>,
}

impl FakeRedis {
    pub(crate) fn advance(&self, by: Duration) {
        self.0.lock().unwrap().now += by;
    }
}

impl State {
    fn answer(&mut self, words: &[&str]) -> Value {
        let now = self.now;
        self.keys.retain(|_, (_, until)| now < *until);
        let found = self.keys.get(words[1]).cloned();
        let ends = |seconds: &str| now + Duration::from_secs(seconds.parse().unwrap());
        match *words {
            ["GET", _] => found.map_or(Value::Nil, |(value, _)| {
                Value::BulkString(value.into_bytes())
            }),
            ["DEL", key] => Value::Int(self.keys.remove(key).is_some().into()),
            ["SET", _, _, "NX", "EX", _] if found.is_some() => Value::Nil,
            ["SET", _, _, "XX", "KEEPTTL"] if found.is_none() => Value::Nil,
            ["SET", key, value, "XX", "KEEPTTL"] => {
                let (_, until) = found.unwrap();
                self.set(key, value, until)
            }
            ["SET", key, value, "EX", seconds] | ["SET", key, value, "NX", "EX", seconds] => {
                self.set(key, value, ends(seconds))
            }
            _ => panic!("a command that this fake does not know: {words:?}"),
        }
    }

    fn set(&mut self, key: &str, value: &str, until: Duration) -> Value {
        self.keys.insert(key.to_owned(), (value.to_owned(), until));
        Value::Okay
    }
}

impl ConnectionLike for FakeRedis {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        let words = cmd.args_iter().map(|word| match word {
            redis::Arg::Simple(word) => String::from_utf8(word.to_vec()).unwrap(),
            _ => panic!("an argument that this fake does not know"),
        });
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let answer = self.0.lock().unwrap().answer(&words);
        Box::pin(async { Ok(answer) })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        _: &'a Pipeline,
        _: usize,
        _: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        panic!("the store sends no pipelines")
    }

    fn get_db(&self) -> i64 {
        0
    }
}
