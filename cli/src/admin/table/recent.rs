//! Answers that cost money on AWS, kept for a while: the console asks for them every few seconds.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::admin::request::Request;

/// Time for which an answer is kept.
const KEPT_FOR: Duration = Duration::from_mins(5);

/// Maximum number of kept answers. Each range and split of the history is one.
const MAX_KEPT: usize = 64;

/// The kept answers of this process, as JSON.
static ANSWERS: LazyLock<Mutex<Answers>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Answers(HashMap<String, (Instant, String)>);

impl Answers {
    fn get(&self, key: &str, now: Instant) -> Option<&str> {
        let (at, answer) = self.0.get(key)?;
        (now.duration_since(*at) < KEPT_FOR).then_some(answer)
    }

    fn put(&mut self, key: String, answer: String, now: Instant) {
        self.0
            .retain(|_, (at, _)| now.duration_since(*at) < KEPT_FOR);
        if self.0.len() < MAX_KEPT {
            self.0.insert(key, (now, answer));
        }
    }
}

/// Identifies a request to a table whose answer is kept; `None` if the request is always executed.
pub(super) fn key_of<R: Request>(table: &str, request: &R) -> Option<String> {
    if !R::IS_COSTLY {
        return None;
    }
    let request = serde_json::to_string(request).ok()?;
    Some(format!("{table} {} {request}", R::NAME))
}

/// Returns the kept answer.
pub(super) fn get<R: Request>(key: &str) -> Option<R::Answer> {
    let answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    serde_json::from_str(answers.get(key, Instant::now())?).ok()
}

/// Keeps an answer.
pub(super) fn put<R: Request>(key: String, answer: &R::Answer) {
    if let Ok(answer) = serde_json::to_string(answer) {
        let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
        answers.put(key, answer, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_is_kept_for_five_minutes_and_their_number_is_bounded() {
        let mut answers = Answers::default();
        let now = Instant::now();
        answers.put("a".to_owned(), "1".to_owned(), now);
        let last = now + Duration::from_secs(299);
        assert_eq!(answers.get("a", last), Some("1"));
        assert_eq!(answers.get("a", now + KEPT_FOR), None);
        for n in 0..2 * MAX_KEPT {
            answers.put(n.to_string(), String::new(), last);
        }
        assert_eq!(answers.0.len(), MAX_KEPT);
        answers.put("b".to_owned(), "2".to_owned(), last + KEPT_FOR);
        assert_eq!(answers.0.len(), 1);
    }
}
