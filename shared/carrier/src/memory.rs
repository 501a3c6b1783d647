//! A process's memory of its lookups: cached answers, and the number of calls.

use std::collections::HashMap;
use std::time::Duration;

use countersign_domain::confirmation::carrier::CarrierName;
use tokio::time::Instant;

/// The time for which an answer is cached.
pub const ANSWER_TTL: Duration = Duration::from_mins(15);

/// Maximum number of cached answers.
pub const MAX_REMEMBERED: usize = 1024;

/// The period to which the maximum number of calls applies.
const DAY: Duration = Duration::from_hours(24);

/// Number of consecutive unanswered calls after which no calls are made for [`SILENCE_PAUSE`].
pub const MAX_UNANSWERED: u32 = 3;

/// The pause after too many unanswered calls.
pub const SILENCE_PAUSE: Duration = Duration::from_secs(30);

/// A hash of a number, keyed with a secret of the process. It does not reveal the number.
pub(crate) type NumberKey = [u8; 16];

#[derive(Debug, Default)]
pub(crate) struct Answers(HashMap<NumberKey, (CarrierName, Instant)>);

impl Answers {
    /// Returns the cached answer for a number.
    pub(crate) fn get(&self, key: &NumberKey) -> Option<CarrierName> {
        let (name, until) = self.0.get(key)?;
        (Instant::now() < *until).then(|| name.clone())
    }

    /// Caches an answer. Evicts expired answers, and the oldest if there are too many.
    pub(crate) fn keep(&mut self, key: NumberKey, name: CarrierName) {
        let now = Instant::now();
        self.0.retain(|_, (_, until)| now < *until);
        if self.0.len() >= MAX_REMEMBERED {
            let oldest = self.0.iter().min_by_key(|(_, (_, until))| *until);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.0.remove(&oldest);
            }
        }
        self.0.insert(key, (name, now + ANSWER_TTL));
    }
}

/// The number of consecutive unanswered calls. After a pause, one more unanswered call starts the
/// next pause.
#[derive(Debug, Default)]
pub(crate) struct Silence {
    unanswered: u32,
    until: Option<Instant>,
}

impl Silence {
    /// Returns whether calls are currently paused.
    pub(crate) fn is_paused(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Records that a call was answered, whatever the answer.
    pub(crate) fn answered(&mut self) {
        *self = Self::default();
    }

    /// Records an unanswered call.
    pub(crate) fn unanswered(&mut self) {
        self.unanswered = self.unanswered.saturating_add(1);
        if self.unanswered >= MAX_UNANSWERED {
            self.until = Some(Instant::now() + SILENCE_PAUSE);
        }
    }
}

/// Counts the calls of a day, which begins with its first call.
#[derive(Debug)]
pub(crate) struct DailyCalls {
    max: u32,
    made: u32,
    began: Option<Instant>,
}

/// The day's maximum has been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsedUp;

impl DailyCalls {
    pub(crate) const fn new(max: u32) -> Self {
        Self {
            max,
            made: 0,
            began: None,
        }
    }

    /// Counts a call.
    pub(crate) fn take(&mut self) -> Result<(), UsedUp> {
        let now = Instant::now();
        if self.began.is_none_or(|began| began + DAY <= now) {
            self.began = Some(now);
            self.made = 0;
        }
        if self.made >= self.max {
            return Err(UsedUp);
        }
        self.made += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> NumberKey {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&n.to_be_bytes());
        key
    }

    #[tokio::test(start_paused = true)]
    async fn answer_is_forgotten_after_its_time() {
        let mut answers = Answers::default();
        answers.keep(key(1), CarrierName::from_text("Acme"));
        let almost = ANSWER_TTL.checked_sub(Duration::from_millis(1)).unwrap();
        tokio::time::advance(almost).await;
        assert_eq!(answers.get(&key(1)), Some(CarrierName::from_text("Acme")));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(answers.get(&key(1)), None);
        answers.keep(key(2), CarrierName::default());
        assert_eq!(answers.0.len(), 1, "it is gone from memory, too");
    }

    #[tokio::test(start_paused = true)]
    async fn oldest_answer_makes_room() {
        let mut answers = Answers::default();
        for n in 0..=MAX_REMEMBERED {
            answers.keep(key(n), CarrierName::default());
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(answers.0.len(), MAX_REMEMBERED);
        assert_eq!(answers.get(&key(0)), None);
        assert!(answers.get(&key(1)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn calls_of_a_day_are_bounded() {
        let mut calls = DailyCalls::new(2);
        assert_eq!([calls.take(), calls.take()], [Ok(()), Ok(())]);
        let almost = DAY.checked_sub(Duration::from_millis(1)).unwrap();
        tokio::time::advance(almost).await;
        assert_eq!(calls.take(), Err(UsedUp));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(calls.take(), Ok(()));
        assert_eq!(DailyCalls::new(0).take(), Err(UsedUp));
    }
}
