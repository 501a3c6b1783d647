use std::fmt;

use serde::{Deserialize, Serialize};

/// The result of a change of the deployment's secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MasterSecretView {
    /// The number of secrets from which the apps' secrets derive.
    pub(crate) secrets_in_force: usize,
    /// The apps whose secret is new; `None` if they cannot be listed.
    pub(crate) apps: Option<Vec<String>>,
    /// The number of apps that cannot be read.
    pub(crate) unreadable: usize,
}

impl fmt::Display for MasterSecretView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.secrets_in_force == 1 {
            f.write_str(
                "one secret is in force, and webhooks are signed only by what derives from it\n",
            )?;
        } else {
            f.write_str(
                "two secrets are in force, and webhooks are signed by what derives from each\n",
            )?;
        }
        f.write_str(
            "Each app's server needs its new secret, the first line of `countersign app webhook-secret APP`:",
        )?;
        match &self.apps {
            None => f.write_str(" all apps, which cannot be listed")?,
            Some(apps) if apps.is_empty() && self.unreadable == 0 => {
                f.write_str(" there are no apps")?;
            }
            Some(apps) => apps.iter().try_for_each(|app| write!(f, "\n  {app}"))?,
        }
        if self.unreadable > 0 {
            write!(f, "\n  and {} that cannot be read", self.unreadable)?;
        }
        if self.secrets_in_force == 1 {
            return Ok(());
        }
        f.write_str("\nNext, once all of them have it: countersign webhook-secret retire")
    }
}
