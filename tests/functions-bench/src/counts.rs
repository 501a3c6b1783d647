//! Counts of a warm call, and the recorded limits that they are compared with.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};

/// How far the number of instructions may be from the recorded one, in percent. Hash maps have random
/// seeds, and times and lengths of log lines vary.
const TOLERANCE: u64 = 5;

/// System calls by name. A number is in tenths, since some calls happen less often than once a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls(BTreeMap<String, usize>);

impl Calls {
    /// Makes the average of so many calls.
    ///
    /// # Panics
    /// If tenths cannot hold it.
    #[must_use]
    pub fn of(counts: &BTreeMap<String, usize>, calls: usize) -> Self {
        let tenths = |count: usize| {
            assert!(
                (count * 10).is_multiple_of(calls),
                "{count} in {calls} is not in tenths"
            );
            count * 10 / calls
        };
        let counts = counts.iter();
        Self(
            counts
                .map(|(name, &count)| (name.clone(), tenths(count)))
                .collect(),
        )
    }

    /// Returns the sum, in tenths.
    #[must_use]
    pub fn sum(&self) -> usize {
        self.0.values().sum()
    }

    fn read(value: &Value) -> Self {
        let counts = value.as_object().into_iter().flatten();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts are small and positive"
        )]
        let tenths = |value: &Value| (value.as_f64().unwrap_or_default() * 10.0).round() as usize;
        Self(
            counts
                .map(|(name, count)| (name.clone(), tenths(count)))
                .collect(),
        )
    }

    fn write(&self) -> Value {
        let number = |tenths: usize| match tenths % 10 {
            0 => json!(tenths / 10),
            #[allow(clippy::cast_precision_loss, reason = "counts are small")]
            _ => json!(tenths as f64 / 10.0),
        };
        let counts = self.0.iter();
        let counts = counts.map(|(name, &tenths)| (name.clone(), number(tenths)));
        Value::Object(counts.collect())
    }
}

/// What is counted of a function's warm call. What could not be counted is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Its system calls.
    pub system_calls: Option<Calls>,
    /// Its instructions.
    pub instructions: Option<u64>,
}

/// A count that differs from its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excess {
    function: String,
    what: String,
    limit: String,
    found: String,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            function,
            what,
            limit,
            found,
        } = self;
        write!(
            f,
            "{function}: {what}: {found} a call, recorded are {limit}"
        )
    }
}

/// The recorded counts of all functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(BTreeMap<String, Counts>);

impl Limits {
    /// Reads what [`Limits::write`] wrote.
    ///
    /// # Errors
    /// Fails if the text is not JSON.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        let functions: Map<String, Value> = serde_json::from_str(text)?;
        let counts = |value: &Value| Counts {
            system_calls: value.get("systemCalls").map(Calls::read),
            instructions: value["instructions"].as_u64(),
        };
        let functions = functions.iter();
        Ok(Self(
            functions
                .map(|(name, value)| (name.clone(), counts(value)))
                .collect(),
        ))
    }

    /// Records the counts of a function. Those that could not be counted stay as they are.
    pub fn record(&mut self, function: &str, counts: Counts) {
        let recorded = self.0.entry(function.to_owned()).or_default();
        recorded.system_calls = counts.system_calls.or(recorded.system_calls.take());
        recorded.instructions = counts.instructions.or(recorded.instructions);
    }

    /// Writes the limits as JSON.
    #[must_use]
    pub fn write(&self) -> String {
        let mut functions = Map::new();
        for (name, counts) in &self.0 {
            let mut members = Map::new();
            if let Some(calls) = &counts.system_calls {
                members.insert("systemCalls".to_owned(), calls.write());
            }
            if let Some(instructions) = counts.instructions {
                members.insert("instructions".to_owned(), json!(instructions));
            }
            functions.insert(name.clone(), Value::Object(members));
        }
        format!("{:#}\n", Value::Object(functions))
    }

    /// Compares the counts of a function with the recorded ones. System calls must be equal, also when
    /// there are fewer: the record then has to follow, so that it cannot creep back up.
    #[must_use]
    pub fn compare(&self, function: &str, counts: &Counts) -> Vec<Excess> {
        let none = Counts::default();
        let limits = self.0.get(function).unwrap_or(&none);
        let excess = |what: &str, limit: String, found: String| Excess {
            function: function.to_owned(),
            what: what.to_owned(),
            limit,
            found,
        };
        let mut found = Vec::new();
        if let Some(calls) = &counts.system_calls {
            let limits = limits.system_calls.clone().unwrap_or_default();
            let names: std::collections::BTreeSet<_> =
                calls.0.keys().chain(limits.0.keys()).collect();
            for name in names {
                let at = |calls: &Calls| calls.0.get(name).copied().unwrap_or_default();
                let (limit, count) = (at(&limits), at(calls));
                if limit != count {
                    found.push(excess(name, tenths(limit), tenths(count)));
                }
            }
        }
        if let Some(count) = counts.instructions {
            let limit = limits.instructions.unwrap_or_default();
            if count.abs_diff(limit) * 100 > limit * TOLERANCE {
                let limit = format!("{limit} ± {TOLERANCE} %");
                found.push(excess("instructions", limit, count.to_string()));
            }
        }
        found
    }
}

/// Formats a number of tenths.
#[must_use]
pub fn tenths(count: usize) -> String {
    match count % 10 {
        0 => (count / 10).to_string(),
        rest => format!("{}.{rest}", count / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(write: usize, instructions: u64) -> Counts {
        let calls = BTreeMap::from([("read".to_owned(), 21), ("write".to_owned(), write)]);
        Counts {
            system_calls: Some(Calls::of(&calls, 10)),
            instructions: Some(instructions),
        }
    }

    fn limits() -> Limits {
        let mut limits = Limits::default();
        limits.record("acquire", counts(30, 800_000));
        limits
    }

    #[test]
    fn limits_read_back() {
        let text = limits().write();
        assert!(text.contains("2.1"), "{text}");
        assert_eq!(Limits::read(&text).unwrap(), limits());
    }

    #[test]
    fn equal_counts_pass() {
        assert_eq!(limits().compare("acquire", &counts(30, 800_000)), []);
        assert_eq!(limits().compare("acquire", &counts(30, 760_000)), []);
        assert_eq!(limits().compare("acquire", &counts(30, 840_000)), []);
        assert_eq!(limits().compare("acquire", &Counts::default()), []);
    }

    #[test]
    fn one_more_system_call_fails() {
        let found = limits().compare("acquire", &counts(40, 800_000));
        let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["acquire: write: 4 a call, recorded are 3"]);
    }

    #[test]
    fn one_more_in_ten_calls_fails() {
        assert_eq!(limits().compare("acquire", &counts(31, 800_000)).len(), 1);
    }

    #[test]
    fn fewer_system_calls_fail() {
        assert_eq!(limits().compare("acquire", &counts(29, 800_000)).len(), 1);
        assert_eq!(limits().compare("acquire", &counts(0, 800_000)).len(), 1);
    }

    #[test]
    fn system_call_without_a_limit_fails() {
        let mut more = counts(30, 800_000);
        let calls = more.system_calls.as_mut().unwrap();
        calls.0.insert("futex".to_owned(), 10);
        let found = limits().compare("acquire", &more);
        assert_eq!(
            found[0].to_string(),
            "acquire: futex: 1 a call, recorded are 0"
        );
    }

    #[test]
    fn instructions_beyond_the_tolerance_fail() {
        assert_eq!(limits().compare("acquire", &counts(30, 840_001)).len(), 1);
        assert_eq!(limits().compare("acquire", &counts(30, 759_999)).len(), 1);
    }

    #[test]
    fn function_without_limits_fails() {
        assert!(!limits().compare("confirm", &counts(30, 800_000)).is_empty());
    }
}
