//! Administration of a deployment on AWS: the operator's own credentials read and write its table.
//! There is no admin route that anybody could find.
//!
//! It needs `dynamodb:GetItem`, `PutItem`, `UpdateItem` and `Query` on the table, and
//! `DescribeTable` and `ListTagsOfResource` to create an app. The settings of SMS providers need the
//! two last and the right to read and write the deployment's secret or parameter.

mod deployment;

use std::sync::Arc;

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::Tag;
use countersign_aws::config::Endpoint;
use countersign_aws::error::describe;
use countersign_aws::services::{self, Roots};
use countersign_aws::store::DynamoStore;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;

use super::answer::Answer;
use super::argument::{Argument, Sender};
use super::command::Command;
use super::{Admin, Defaults};
use crate::failure::Failure;

pub(crate) use deployment::Deployment;

/// The tag that holds a new app's numbers in the form of `--sender`, separated by spaces.
const SENDERS_TAG: &str = "countersign:sender";

/// The tag that holds the prefix of a new app's codes.
const PREFIX_TAG: &str = "countersign:prefix";

/// Carries out a command on a table.
pub(super) async fn ask(table: &str, command: Command) -> Result<Answer, Failure> {
    let environment = environment().await;
    let client = Client::new(&environment);
    let defaults = if falls_back(&command) {
        defaults(&client, table).await?
    } else {
        Defaults::default()
    };
    let store = Arc::new(DynamoStore::new(client, table.to_owned()));
    let admin = Admin {
        apps: store.clone(),
        association_keys: store,
        signing_keys: None,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(OsEntropy),
        callbacks: callbacks(&environment),
        defaults,
        running: None,
        one_change_at_a_time: tokio::sync::Mutex::default(),
    };
    let answer = admin.carry_out(command).await;
    answer.map_err(|error| Failure::because(format!("table {table}"), &error))
}

/// Whether the command leaves a setting to the deployment's defaults.
fn falls_back(command: &Command) -> bool {
    match command {
        Command::CreateApp(new) => new.senders.is_empty() || new.code_prefix.is_none(),
        Command::UpdateApp(change) => change.no_code_prefix,
        _ => false,
    }
}

/// Finds region and credentials as every AWS tool does: variables, profiles, single sign-on.
async fn environment() -> SdkConfig {
    let transport = services::transport(Roots::System);
    let loader = aws_config::defaults(services::behavior()).http_client(transport);
    let found = loader.load().await;
    services::bounded(found.into_builder()).build()
}

/// Returns the policy for callbacks. An AWS emulator on this machine makes it the local one, as it
/// does for the functions ([`Services::callback_policy`](services::Services::callback_policy)).
fn callbacks(environment: &SdkConfig) -> CallbackPolicy {
    let endpoint = environment
        .endpoint_url()
        .and_then(|url| url.parse::<Endpoint>().ok());
    if endpoint.is_some_and(|endpoint| endpoint.is_loopback()) {
        CallbackPolicy::local()
    } else {
        CallbackPolicy::deployed()
    }
}

/// Reads the defaults for a new app from the tags that the deployment's template put on the table.
async fn defaults(client: &Client, table: &str) -> Result<Defaults, Failure> {
    let tags = tags(client, table).await.map_err(|cause| {
        Failure::new(format!(
            "cannot read what table {table} gives new apps (dynamodb:DescribeTable and \
             dynamodb:ListTagsOfResource); name --sender and --code-prefix to do without: {cause}"
        ))
    })?;
    let mut defaults = Defaults::default();
    for tag in tags {
        read_tag(&mut defaults, &tag.key, &tag.value)?;
    }
    Ok(defaults)
}

/// Reads the tags of a table. Fails with a description of the cause.
async fn tags(client: &Client, table: &str) -> Result<Vec<Tag>, String> {
    let described = client.describe_table().table_name(table).send().await;
    let described = described.map_err(|error| describe(&error))?;
    let arn = described.table.and_then(|table| table.table_arn);
    let mut tags = Vec::new();
    let mut next = None;
    loop {
        let page = client.list_tags_of_resource().set_resource_arn(arn.clone());
        let page = page.set_next_token(next).send().await;
        let page = page.map_err(|error| describe(&error))?;
        tags.extend(page.tags.unwrap_or_default());
        next = page.next_token;
        if next.is_none() {
            return Ok(tags);
        }
    }
}

fn read_tag(defaults: &mut Defaults, key: &str, value: &str) -> Result<(), Failure> {
    let malformed =
        |why: String| Failure::new(format!("the table's tag {key} is malformed: {why}"));
    match key {
        SENDERS_TAG => {
            for sender in value.split_whitespace() {
                let sender: Argument<Sender> = sender.parse().map_err(malformed)?;
                defaults.senders.push(sender);
            }
        }
        PREFIX_TAG => {
            let prefix: Argument<CodePrefix> = value.parse().map_err(malformed)?;
            defaults.prefix = prefix.0;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulator_on_this_machine_allows_local_callbacks() {
        for (endpoint, expected) in [
            (None, CallbackPolicy::deployed()),
            (Some("https://vpce.example"), CallbackPolicy::deployed()),
            (Some("http://127.0.0.1:4566"), CallbackPolicy::local()),
        ] {
            let mut environment = SdkConfig::builder();
            environment.set_endpoint_url(endpoint.map(str::to_owned));
            assert_eq!(callbacks(&environment.build()), expected);
        }
    }

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
