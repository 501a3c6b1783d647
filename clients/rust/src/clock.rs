//! The service's time, which is reliable even if this machine's clock is wrong.

use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use serde_json::Value;

use crate::request::text_of;
use crate::types::time::parse_seconds;
use crate::world::World;

/// Tolerance, in seconds, for the difference between this process's clocks; beyond it, one of them
/// was set.
const STEP_SECONDS: f64 = 2.0;

/// This machine's clock, corrected by the service's answers, which TLS authenticates.
pub(crate) struct Clock {
    world: Arc<World>,
    learned: Mutex<Option<Learned>>,
}

#[derive(Clone, Copy)]
struct Learned {
    offset: f64,
    /// Difference between the machine's two clocks.
    apart: f64,
}

impl Clock {
    pub(crate) fn new(world: Arc<World>) -> Self {
        Self {
            world,
            learned: Mutex::default(),
        }
    }

    /// Returns whether the service's time is known. It becomes unknown when the machine's clock is
    /// set.
    pub(crate) fn is_known(&self) -> bool {
        self.offset().is_some()
    }

    /// Returns the service's time in seconds since 1970, or the machine's if the service's is
    /// unknown.
    pub(crate) fn now(&self) -> f64 {
        (self.world.wall)() + self.offset().unwrap_or(0.0)
    }

    /// Updates the time from an answer that has just arrived.
    pub(crate) fn learn(&self, headers: &HeaderMap, body: Option<&Value>) {
        let server_time = body.and_then(|body| body.get("serverTime"));
        let told = server_time.and_then(Value::as_str).and_then(parse_seconds);
        let Some(told) = told.or_else(|| date_of(headers)) else {
            return;
        };
        let learned = Learned {
            offset: told - (self.world.wall)(),
            apart: self.apart(),
        };
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner) = Some(learned);
    }

    fn offset(&self) -> Option<f64> {
        let learned = *self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_still = |known: &Learned| (self.apart() - known.apart).abs() < STEP_SECONDS;
        learned.filter(is_still).map(|known| known.offset)
    }

    fn apart(&self) -> f64 {
        (self.world.wall)() - (self.world.monotonic)().as_secs_f64()
    }
}

fn date_of(headers: &HeaderMap) -> Option<f64> {
    let date = httpdate::parse_http_date(text_of(headers, "date")?).ok()?;
    // An intermediate cache answers with the date of its copy.
    let age = text_of(headers, "age").filter(|age| age.bytes().all(|byte| byte.is_ascii_digit()));
    let age = age.and_then(|age| age.parse::<u32>().ok()).unwrap_or(0);
    Some(crate::world::seconds_of(date) + f64::from(age))
}
