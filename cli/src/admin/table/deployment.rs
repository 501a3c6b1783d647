//! The settings of a deployment's SMS providers, and what its template says of them in the table's tags.

use std::collections::HashMap;

use countersign_aws::config::SecretName;
use countersign_aws::secrets;
use countersign_aws::services::Services;

use super::{environment, tags};
use crate::failure::Failure;

/// The tag that holds the place of the settings.
const PROVIDERS_TAG: &str = "countersign:providers";

/// The tag that holds the address at which providers call the API.
const PUBLIC_URL_TAG: &str = "countersign:public-url";

/// The tag that holds the topic of the function for texts from AWS End User Messaging.
const TOPIC_TAG: &str = "countersign:inbound-topic";

/// The tag that holds the place of the secret from which the webhook secrets of apps derive.
const WEBHOOK_SECRET_TAG: &str = "countersign:webhook-secret";

/// Finds the secret for webhooks that the deployment's table names.
pub(super) async fn webhook_secret(
    services: &Services,
    table: &str,
) -> Result<SecretName, Failure> {
    let mut tags = read_tags(services, table).await?;
    place(&mut tags, table, WEBHOOK_SECRET_TAG)
}

async fn read_tags(services: &Services, table: &str) -> Result<HashMap<String, String>, Failure> {
    let tags = tags(services, table).await;
    tags.map_err(|cause| {
        Failure::new(format!(
            "cannot read the tags of table {table} (dynamodb:DescribeTable and \
             dynamodb:ListTagsOfResource): {cause}"
        ))
    })
}

/// Takes the name of a secret out of a table's tags.
fn place(
    tags: &mut HashMap<String, String>,
    table: &str,
    tag: &str,
) -> Result<SecretName, Failure> {
    let secret = tags.remove(tag).ok_or_else(|| {
        Failure::new(format!(
            "table {table} has no tag {tag}, so it is not that of a deployment"
        ))
    })?;
    let secret = secret.parse::<SecretName>();
    secret.map_err(|error| Failure::because(format!("the table's tag {tag}"), &error))
}

/// A secret as it was read, for a change of it.
pub(crate) struct SeenSecret(secrets::Value);

impl SeenSecret {
    /// Returns the text; `None` if nothing has been written.
    pub(crate) fn text(&self) -> Option<&str> {
        self.0.text.as_deref()
    }
}

/// The settings of a deployment's SMS providers.
pub(crate) struct Deployment {
    table: String,
    services: Services,
    secret: SecretName,
    public_url: Option<String>,
    topic: Option<String>,
}

impl Deployment {
    /// Finds the settings by the table's tags.
    pub(crate) async fn find(table: &str) -> Result<Self, Failure> {
        let services = Services::with(environment().await);
        let mut tags = read_tags(&services, table).await?;
        let secret = place(&mut tags, table, PROVIDERS_TAG)?;
        Ok(Self {
            table: table.to_owned(),
            services,
            secret,
            public_url: tags.remove(PUBLIC_URL_TAG),
            topic: tags.remove(TOPIC_TAG),
        })
    }

    /// Reads the settings; `None` if none have been written.
    pub(crate) async fn read(&self) -> Result<Option<String>, Failure> {
        let text = secrets::providers(&self.services, &self.secret).await;
        text.map_err(Failure::from)
    }

    /// Reads the settings in order to change them.
    pub(crate) async fn read_to_change(&self) -> Result<SeenSecret, Failure> {
        let seen = secrets::read_to_change(&self.services, &self.secret).await;
        seen.map(SeenSecret).map_err(Failure::from)
    }

    /// Writes the settings, which must have been checked, unless they have changed since they were seen.
    /// Returns whether they were written.
    pub(crate) async fn replace(&self, seen: &SeenSecret, text: &str) -> Result<bool, Failure> {
        let written = secrets::replace(&self.services, &self.secret, &seen.0, text).await;
        written.map_err(Failure::from)
    }

    /// Returns the address at which providers call the API.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// Returns the topic for texts from AWS End User Messaging.
    pub(crate) fn topic(&self) -> Option<&str> {
        self.topic.as_deref()
    }

    /// Returns the table's name.
    pub(crate) fn table(&self) -> &str {
        &self.table
    }
}
