//! Administration of a deployment on AWS: the command reads and writes its table with the
//! operator's own credentials. There is no HTTP route for administration that could be attacked.
//!
//! The operator needs `dynamodb:GetItem`, `PutItem`, `UpdateItem` and `Query` on the table, and `DescribeTable`
//! and `ListTagsOfResource` to create an app. Settings of SMS providers need the last two, and permission to
//! read and write the deployment's secret. Commands about webhook secrets need permission to read that secret,
//! and to write it for a replacement. Totals need `cloudwatch:GetMetricData`.

mod history;
mod master_secret;
mod recent;
mod totals;

use std::ops::Range;
use std::sync::Arc;

use aws_config::SdkConfig;
use countersign_aws::services::Services;
use countersign_aws::store::{DueShards, DynamoItems};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::hourly::{Hour, Split};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Store;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;

use super::ask_error::AskError;
use super::deployment::{environment, tags};
use super::history::History;
use super::request::{Needs, Request};
use super::system::TableFacts;
use super::{Admin, AdminError, Defaults, Host, MasterSecretStore, ProviderPlace};
use crate::failure::Failure;

use master_secret::DeploymentMasterSecret;

/// The tag that holds a new app's numbers in the form of `--sender`, separated by spaces.
const SENDERS_TAG: &str = "countersign:sender";

/// The tag that holds the prefix of a new app's codes.
const PREFIX_TAG: &str = "countersign:prefix";

/// Executes a request on a deployment's table.
pub(super) async fn ask<R: Request>(table: &str, request: R) -> Result<R::Answer, AskError> {
    let key = recent::key_of(table, &request);
    if let Some(answer) = key.as_deref().and_then(recent::get::<R>) {
        return Ok(answer);
    }
    let answer = Box::pin(execute(table, request)).await?;
    if let Some(key) = key {
        recent::put::<R>(key, &answer);
    }
    Ok(answer)
}

async fn execute<R: Request>(table: &str, request: R) -> Result<R::Answer, AskError> {
    let environment = environment().await;
    let by = if R::CHANGES {
        let caller = caller(&environment).await;
        caller.map_err(AskError::Unavailable)?
    } else {
        String::new()
    };
    let services = Services::with(environment);
    let defaults = if request.uses_defaults() {
        let defaults = defaults(&services, table).await;
        defaults.map_err(AskError::Unavailable)?
    } else {
        Defaults::default()
    };
    let master_secret: Option<Arc<dyn MasterSecretStore>> = if R::NEEDS == Needs::MasterSecret {
        let secret = DeploymentMasterSecret::find(&services, table).await;
        Some(Arc::new(secret.map_err(AskError::Unavailable)?))
    } else {
        None
    };
    let items = Arc::new(DynamoItems::new(
        services.dynamodb(),
        table,
        DueShards::default(),
    ));
    let store = Arc::new(Store::new(items, Arc::new(SystemClock)));
    let admin = Admin {
        store,
        host: Host::Table(Box::new(TableHost {
            name: table.to_owned(),
            services: services.clone(),
        })),
        signing_keys: None,
        openid_keys: None,
        master_secret,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(OsEntropy),
        callbacks: services.callback_policy(),
        link_hosts: Vec::new(),
        defaults,
        providers: ProviderPlace::Table(table.to_owned()),
        running: None,
    };
    let answer = admin.execute(request, by).await;
    answer.map_err(|error| {
        let failure = Failure::because(format!("table {table}"), &error);
        AskError::of_request(&error, failure)
    })
}

/// A deployment's table, and the services beside it.
pub(crate) struct TableHost {
    name: String,
    services: Services,
}

impl TableHost {
    pub(super) fn facts(&self) -> TableFacts {
        let region = self.services.sdk().region();
        TableFacts {
            name: self.name.clone(),
            region: region.map(|region| region.as_ref().to_owned()),
        }
    }

    /// Returns what is known about the counts of some hours: the totals from CloudWatch, and counts by app, country
    /// or provider from the list. The list also takes the place of totals that cannot be read.
    pub(super) async fn history(
        &self,
        admin: &Admin,
        hours: Range<Hour>,
        by: Option<Split>,
        now: Timestamp,
    ) -> Result<History, AdminError> {
        let why = match by {
            None => match totals::of_metrics(&self.services, &self.name, &hours).await {
                Ok(totals) => return Ok(totals),
                Err(why) => why,
            },
            Some(_) => totals::only_totals(),
        };
        history::of_list(admin, hours, by, now, why).await
    }
}

/// Returns the name by which the audit log knows the operator.
pub(crate) async fn operator() -> Result<String, Failure> {
    caller(&environment().await).await
}

/// Returns the ARN of the operator's credentials; this requires no permission.
async fn caller(environment: &SdkConfig) -> Result<String, Failure> {
    let client = aws_sdk_sts::Client::new(environment);
    let identity = client.get_caller_identity().send().await.map_err(|error| {
        Failure::because(
            "cannot tell who makes the change (sts:GetCallerIdentity)",
            &error,
        )
    })?;
    let unnamed = || Failure::new("the identity of the operator's credentials has no ARN");
    identity.arn.ok_or_else(unnamed)
}

/// Reads the defaults for a new app from the tags that the deployment's template put on the table.
async fn defaults(services: &Services, table: &str) -> Result<Defaults, Failure> {
    let tags = tags(services, table).await.map_err(|cause| {
        Failure::new(format!(
            "cannot read what table {table} gives new apps (dynamodb:DescribeTable and \
             dynamodb:ListTagsOfResource); name --sender and --code-prefix to do without: {cause}"
        ))
    })?;
    let mut defaults = Defaults::default();
    for (key, value) in &tags {
        read_tag(&mut defaults, key, value)?;
    }
    Ok(defaults)
}

fn read_tag(defaults: &mut Defaults, key: &str, value: &str) -> Result<(), Failure> {
    let malformed =
        |why: String| Failure::new(format!("the table's tag {key} is malformed: {why}"));
    match key {
        SENDERS_TAG => {
            for sender in value.split_whitespace() {
                defaults.senders.push(sender.parse().map_err(malformed)?);
            }
        }
        PREFIX_TAG => {
            let prefix = value.parse::<CodePrefix>();
            defaults.prefix = prefix.map_err(|error| malformed(error.to_string()))?;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_hold_the_defaults_of_a_new_app() {
        let mut defaults = Defaults::default();
        for (key, value) in [
            ("owner", "somebody"),
            (SENDERS_TAG, "+12025550199 GB=+447700900123"),
            (PREFIX_TAG, "SHOP"),
        ] {
            read_tag(&mut defaults, key, value).unwrap();
        }
        let senders: Vec<String> = defaults.senders.iter().map(ToString::to_string).collect();
        assert_eq!(senders, ["+12025550199", "GB=+447700900123"]);
        assert_eq!(defaults.prefix.as_str(), "SHOP");
    }

    #[test]
    fn malformed_tag_is_refused_by_name() {
        for (key, value) in [(SENDERS_TAG, "12025550199 x"), (PREFIX_TAG, "1")] {
            let error = read_tag(&mut Defaults::default(), key, value).unwrap_err();
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}
