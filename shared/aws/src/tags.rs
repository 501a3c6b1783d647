//! The tags of a deployment's table, by which the command finds what the template says of the deployment.

use countersign_domain::primitives::unavailable::Unavailable;
use serde::{Deserialize, Serialize};

use crate::services::{CallError, JsonClient, Services};

const TAGS: &str = "tags of the table";

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Tag {
    /// The tag's name.
    pub key: String,
    /// The tag's value.
    pub value: String,
}

/// The input of `DescribeTable`.
///
/// Source: [Amazon DynamoDB API reference](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeTable<'a> {
    table_name: &'a str,
}

/// What is read of the answer to `DescribeTable`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Described {
    table: Description,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Description {
    table_arn: String,
}

/// The input of `ListTagsOfResource`.
///
/// Source: [Amazon DynamoDB API reference](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ListTagsOfResource.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListTagsOfResource<'a> {
    resource_arn: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

/// The answer of `ListTagsOfResource`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    #[serde(default)]
    tags: Vec<Tag>,
    next_token: Option<String>,
}

/// Reads the tags of a table.
///
/// # Errors
/// Fails if DynamoDB does not answer, or refuses.
pub async fn of_table(services: &Services, table: &str) -> Result<Vec<Tag>, Unavailable> {
    let tags = read(&services.dynamodb(), table).await;
    tags.map_err(|error| error.unavailable(TAGS))
}

async fn read(client: &JsonClient, table_name: &str) -> Result<Vec<Tag>, CallError> {
    let describe = DescribeTable { table_name };
    let described: Described = client.call("DescribeTable", &describe).await?;
    let mut list = ListTagsOfResource {
        resource_arn: &described.table.table_arn,
        next_token: None,
    };
    let mut tags = Vec::new();
    loop {
        let page: Page = client.call("ListTagsOfResource", &list).await?;
        tags.extend(page.tags);
        list.next_token = page.next_token;
        if list.next_token.is_none() {
            return Ok(tags);
        }
    }
}
