//! Lookups of carriers, controlled by the tests.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::carrier::{CarrierLookup, LookupOutcome};
use countersign_domain::primitives::phone::PhoneNumber;

/// Lookups of carriers: off until answers are prepared.
#[derive(Default)]
pub(crate) struct TestLookup {
    answers: Mutex<Option<VecDeque<LookupOutcome>>>,
    pub(crate) asked: Mutex<Vec<String>>,
    /// The time limit of each lookup.
    pub(crate) within: Mutex<Vec<Duration>>,
}

impl TestLookup {
    /// Turns lookups on, with these answers.
    pub(crate) fn will_answer(&self, answers: impl IntoIterator<Item = LookupOutcome>) {
        *self.answers.lock().unwrap() = Some(answers.into_iter().collect());
    }

    pub(super) fn is_on(&self) -> bool {
        self.answers.lock().unwrap().is_some()
    }
}

#[async_trait]
impl CarrierLookup for TestLookup {
    async fn lookup(&self, number: &PhoneNumber, within: Duration) -> LookupOutcome {
        self.within.lock().unwrap().push(within);
        self.asked.lock().unwrap().push(number.as_str().to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = answers.as_mut().and_then(VecDeque::pop_front);
        answer.expect("a lookup that the test prepared")
    }
}
