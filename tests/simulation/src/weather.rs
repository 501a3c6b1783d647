//! The probabilities of faults. Each seed draws its own probability for each kind of fault. Many of them
//! are zero, so some runs are one long outage and others have a single kind of fault.

use std::time::Duration;

use countersign_conformance::chance::Chance;
use countersign_domain::delivery::due::DueEntry;
use countersign_domain::primitives::time::Timestamp;

/// Time after the storm within which everything that it delayed comes to an end.
const AFTERMATH: Duration = Duration::from_mins(10);

/// A probability in ten-thousandths.
type Odds = u64;

/// The probabilities of faults in a run, and the time at which the storm ends and nothing fails any
/// more.
#[derive(Clone, Debug)]
pub struct Weather {
    /// The time after which no faults happen. Receivers may stay faulty for longer.
    pub storm_ends: Timestamp,
    /// Maximum amount by which a process's clock is ahead, in milliseconds.
    pub skew: u64,
    slow: Odds,
    refused: Odds,
    lost: Odds,
    late: Odds,
    death: Odds,
    queue: Odds,
    index: Odds,
    wire: Odds,
    schedule: Odds,
}

/// The fate of one call to a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fate {
    /// Time until the request arrives.
    pub(crate) before: Duration,
    /// Time until the answer arrives.
    pub(crate) after: Duration,
    pub(crate) ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The answer arrives.
    Answered,
    /// The call fails and has no effect.
    Refused,
    /// The call has its effect, but its answer is lost.
    Lost,
    /// The call fails, but has its effect after this delay.
    Late(Duration),
    /// The process dies before the effect.
    DeathBefore,
    /// The process dies between the effect and the answer.
    DeathAfter,
}

/// The fate of one message to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// The message is enqueued once.
    Once,
    /// The queue acknowledges the message but loses it.
    Lost,
    /// The message is enqueued twice.
    Twice,
    /// The queue hands the message out with this additional delay.
    Held(Duration),
}

impl Weather {
    /// Draws the weather of a run that begins at `now`.
    #[must_use]
    pub fn draw(chance: &mut Chance, now: Timestamp) -> Self {
        let mut odds = |most: Odds| chance.one_of(&[0, 0, most / 20, most / 4, most]);
        Self {
            slow: odds(2_000),
            refused: odds(2_000),
            lost: odds(2_000),
            late: odds(2_000),
            death: odds(500),
            queue: odds(3_000),
            index: odds(5_000),
            wire: odds(2_000),
            schedule: odds(3_000),
            skew: chance.one_of(&[0, 0, 0, 50, 400]),
            storm_ends: now.plus(Duration::from_mins(chance.one_of(&[
                3,
                15,
                15,
                60,
                6 * 60,
                36 * 60,
            ]))),
        }
    }

    /// Returns the time from which nothing fails and nothing delayed by the storm remains.
    #[must_use]
    pub fn calm_from(&self) -> Timestamp {
        self.storm_ends.plus(AFTERMATH)
    }

    fn strikes(&self, chance: &mut Chance, now: Timestamp, odds: Odds) -> bool {
        odds > 0 && now < self.storm_ends && chance.below(10_000) < odds
    }

    /// Draws the fate of a call.
    pub(crate) fn fate(&self, chance: &mut Chance, now: Timestamp) -> Fate {
        let mut under_way = || {
            if self.strikes(chance, now, self.slow) {
                // Sometimes longer than the lease of a claim.
                Duration::from_millis(chance.below(45_000))
            } else {
                Duration::from_millis(chance.below(12))
            }
        };
        let (before, after) = (under_way(), under_way());
        let ending = if self.strikes(chance, now, self.refused) {
            Ending::Refused
        } else if self.strikes(chance, now, self.lost) {
            Ending::Lost
        } else if self.strikes(chance, now, self.late) {
            Ending::Late(Duration::from_millis(chance.below(20_000)))
        } else if self.strikes(chance, now, self.death) {
            chance.one_of(&[Ending::DeathBefore, Ending::DeathAfter])
        } else {
            Ending::Answered
        };
        Fate {
            before,
            after,
            ending,
        }
    }

    /// Draws the fate of a message.
    pub(crate) fn transport(&self, chance: &mut Chance, now: Timestamp) -> Transport {
        if !self.strikes(chance, now, self.queue) {
            return Transport::Once;
        }
        let held = Duration::from_millis(chance.below(200_000));
        chance.one_of(&[Transport::Lost, Transport::Twice, Transport::Held(held)])
    }

    /// Draws what a lagging index returns for an entry: the entry, nothing, or an outdated entry.
    pub(crate) fn lags(
        &self,
        chance: &mut Chance,
        now: Timestamp,
        entry: DueEntry,
    ) -> Option<DueEntry> {
        if !self.strikes(chance, now, self.index) {
            return Some(entry);
        }
        let due_at = Timestamp::from_millis(entry.due_at.as_millis() - 1 - chance.below(60_000));
        chance.one_of(&[None, Some(DueEntry { due_at, ..entry })])
    }

    /// Draws whether a message between two machines is lost.
    pub(crate) fn loses(&self, chance: &mut Chance, now: Timestamp) -> bool {
        self.strikes(chance, now, self.wire)
    }

    /// Draws how often the schedule starts the sweep of a minute: once, never or twice.
    pub(crate) fn sweeps(&self, chance: &mut Chance, now: Timestamp) -> u32 {
        if self.strikes(chance, now, self.schedule) {
            chance.one_of(&[0, 2])
        } else {
            1
        }
    }
}
