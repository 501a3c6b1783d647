//! The settings of a deployment's SMS providers, and the tags with which its template describes them on
//! the table.

use std::collections::HashMap;

use aws_config::SdkConfig;
use countersign_api::Causes;
use countersign_aws::config::SecretName;
use countersign_aws::secrets;
use countersign_aws::services::{self, Roots, Services};
use countersign_aws::tags;
use tokio::sync::OnceCell;

use crate::failure::Failure;

/// The tag that holds the name of the secret with the settings.
const PROVIDERS_TAG: &str = "countersign:providers";

/// The tag that holds the address at which providers call the API.
const PUBLIC_URL_TAG: &str = "countersign:public-url";

/// The tag that holds the topic of the function for texts from AWS End User Messaging.
const TOPIC_TAG: &str = "countersign:inbound-topic";

/// The tag that holds the name of the secret from which the apps' webhook secrets derive.
const WEBHOOK_SECRET_TAG: &str = "countersign:webhook-secret";

/// Credentials, trust roots and connections of this process: a console sends many requests.
static ENVIRONMENT: OnceCell<SdkConfig> = OnceCell::const_new();

pub(super) async fn environment() -> SdkConfig {
    ENVIRONMENT.get_or_init(load_environment).await.clone()
}

/// Finds the region and credentials as every AWS tool does: environment variables, profiles, single
/// sign-on.
async fn load_environment() -> SdkConfig {
    let transport = services::transport(Roots::System);
    let loader = aws_config::defaults(services::behavior()).http_client(transport);
    let found = loader.load().await;
    services::bounded(found.into_builder()).build()
}

/// Reads the tags of a table. Fails with a description of the cause.
pub(super) async fn tags(
    services: &Services,
    table: &str,
) -> Result<HashMap<String, String>, String> {
    let read = tags::of_table(services, table).await;
    read.map_err(|error| Causes(&error).to_string())
}

/// Finds the webhook secret to which the tags of the deployment's table refer.
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

/// Extracts the name of a secret from a table's tags.
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

/// A secret as it was read, for a conditional write.
pub(crate) struct SeenSecret(secrets::Value);

impl SeenSecret {
    /// Returns the text; `None` if the secret was never written.
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

    /// Reads the settings; `None` if they were never written.
    pub(crate) async fn read(&self) -> Result<Option<String>, Failure> {
        let text = secrets::providers(&self.services, &self.secret).await;
        text.map_err(Failure::from)
    }

    /// Reads the settings in order to change them.
    pub(crate) async fn read_to_change(&self) -> Result<SeenSecret, Failure> {
        let seen = secrets::read_to_change(&self.services, &self.secret).await;
        seen.map(SeenSecret).map_err(Failure::from)
    }

    /// Writes checked settings, unless the stored ones have changed since `seen` was read. Returns
    /// whether the settings were written.
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
