//! The tags of a deployment's table, from which the command reads the template's description of the
//! deployment.

use std::collections::HashMap;

use countersign_domain::primitives::unavailable::Unavailable;

use crate::error::failed;
use crate::services::Services;

const TAGS: &str = "tags of the table";

/// Reads a table's tags.
///
/// # Errors
/// Fails if DynamoDB does not answer, or refuses.
pub async fn of_table(
    services: &Services,
    table: &str,
) -> Result<HashMap<String, String>, Unavailable> {
    let client = services.dynamodb();
    let described = client.describe_table().table_name(table).send().await;
    let described = described.map_err(|error| failed(TAGS, &error))?;
    let arn = described.table.and_then(|table| table.table_arn);
    let (mut tags, mut next) = (HashMap::new(), None);
    loop {
        let list = client.list_tags_of_resource().set_resource_arn(arn.clone());
        let page = list.set_next_token(next).send().await;
        let page = page.map_err(|error| failed(TAGS, &error))?;
        let found = page.tags.unwrap_or_default().into_iter();
        tags.extend(found.map(|tag| (tag.key, tag.value)));
        next = page.next_token;
        if next.is_none() {
            return Ok(tags);
        }
    }
}
