//! Settings of an app as an operator saw them, so that a change does not undo another operator's.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::print::Tree;

/// Values by their path in the app's JSON, such as `login.linkHost`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SeenSettings(BTreeMap<String, Value>);

/// Why a change that was based on other values is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum SeenRefusal {
    #[error("another operator changed {} in the meantime; nothing was changed", paths(.now))]
    Changed {
        /// The present values of those that differ.
        now: BTreeMap<String, Value>,
    },
    #[error("an app has no setting {0}")]
    NoSetting(String),
}

fn paths(now: &BTreeMap<String, Value>) -> String {
    let paths: Vec<_> = now.keys().map(String::as_str).collect();
    paths.join(", ")
}

impl SeenSettings {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that an app still has these values.
    pub(super) fn check(&self, app: &Tree) -> Result<(), SeenRefusal> {
        let mut now = BTreeMap::new();
        for (path, seen) in &self.0 {
            let found = path.split('.').try_fold(app, Tree::get);
            let found = found.and_then(|found| serde_json::to_value(found).ok());
            let found = found.ok_or_else(|| SeenRefusal::NoSetting(path.clone()))?;
            if found != *seen {
                now.insert(path.clone(), found);
            }
        }
        if now.is_empty() {
            Ok(())
        } else {
            Err(SeenRefusal::Changed { now })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_compared_by_their_paths() {
        let app = Tree::from_value(&json!({
            "codePrefix": "CS",
            "callbackOrigins": ["https://a.example"],
            "login": { "linkHost": null, "checkCode": false },
        }));
        let check = |seen: Value| {
            serde_json::from_value::<SeenSettings>(seen)
                .unwrap()
                .check(&app)
        };
        assert_eq!(check(json!({})), Ok(()));
        let same = json!({
            "codePrefix": "CS",
            "callbackOrigins": ["https://a.example"],
            "login.linkHost": null,
        });
        assert_eq!(check(same), Ok(()));
        let changed = check(json!({
            "codePrefix": "SHOP",
            "callbackOrigins": [],
            "login.linkHost": "a.example",
            "login.checkCode": false,
        }));
        let now = json!({
            "codePrefix": "CS",
            "callbackOrigins": ["https://a.example"],
            "login.linkHost": null,
        });
        let now = serde_json::from_value(now).unwrap();
        assert_eq!(changed, Err(SeenRefusal::Changed { now }));
        for path in ["", "login.", "login.linkHost.x", "colour"] {
            let seen = json!({ path: null });
            assert_eq!(check(seen), Err(SeenRefusal::NoSetting(path.to_owned())));
        }
    }
}
