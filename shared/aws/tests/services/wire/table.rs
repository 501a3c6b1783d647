//! The calls of DynamoDB, beside those of its crate.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;

use aws_sdk_dynamodb::primitives::Blob as Bytes;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use aws_types::endpoint_config::AccountIdEndpointMode;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_aws::store::DynamoStore;
use countersign_aws::tags::{self, Tag};
use countersign_conformance::samples::{NOW, RETENTION, acquisition, id, text};
use countersign_domain::app::store::AppStore as _;
use countersign_domain::confirmation::store::ConfirmationStore as _;
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::transitions::Owes as _;

use super::*;

/// Reads an attribute from a request.
fn attribute(value: &Value) -> AttributeValue {
    let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
    let text = || value.as_str().unwrap().to_owned();
    let list = || value.as_array().unwrap().iter();
    match kind.as_str() {
        "S" => AttributeValue::S(text()),
        "N" => AttributeValue::N(text()),
        "B" => AttributeValue::B(Bytes::new(STANDARD.decode(text()).unwrap())),
        "BOOL" => AttributeValue::Bool(value.as_bool().unwrap()),
        "L" => AttributeValue::L(list().map(attribute).collect()),
        "M" => AttributeValue::M(item(value).unwrap()),
        "SS" => AttributeValue::Ss(
            list()
                .map(|text| text.as_str().unwrap().to_owned())
                .collect(),
        ),
        kind => panic!("{kind}"),
    }
}

/// Reads an item, or the values of an expression.
fn item(value: &Value) -> Option<HashMap<String, AttributeValue>> {
    let attributes = value.as_object()?.iter();
    Some(
        attributes
            .map(|(name, value)| (name.clone(), attribute(value)))
            .collect(),
    )
}

fn names(value: &Value) -> Option<HashMap<String, String>> {
    serde_json::from_value(value.clone()).ok()
}

/// Makes a call with the crate of DynamoDB whose members have the values of a request.
async fn repeat(client: &Client, sent: &Sent) {
    let of = |name: &str| &sent.body[name];
    let text = |name: &str| of(name).as_str().map(str::to_owned);
    let values = item(of("ExpressionAttributeValues"));
    let names = names(of("ExpressionAttributeNames"));
    let old = Some(ReturnValuesOnConditionCheckFailure::AllOld);
    match sent.target.as_str() {
        "DynamoDB_20120810.GetItem" => {
            let get = client.get_item().set_table_name(text("TableName"));
            let get = get.set_key(item(of("Key"))).consistent_read(true);
            let _ = get.send().await;
        }
        "DynamoDB_20120810.PutItem" => {
            let put = client.put_item().set_table_name(text("TableName"));
            let put = put.set_item(item(of("Item")));
            let put = put.set_condition_expression(text("ConditionExpression"));
            let put = put.set_expression_attribute_names(names);
            let put = put.set_expression_attribute_values(values);
            let put = put.set_return_values_on_condition_check_failure(old);
            let _ = put.send().await;
        }
        "DynamoDB_20120810.UpdateItem" => {
            let update = client.update_item().set_table_name(text("TableName"));
            let update = update.set_key(item(of("Key")));
            let update = update.set_condition_expression(text("ConditionExpression"));
            let update = update.set_update_expression(text("UpdateExpression"));
            let update = update.set_expression_attribute_names(names);
            let update = update.set_expression_attribute_values(values);
            let update = update.return_values(ReturnValue::AllNew);
            let update = update.set_return_values_on_condition_check_failure(old);
            let _ = update.send().await;
        }
        "DynamoDB_20120810.Query" => {
            let limit = of("Limit").as_i64().map(|limit| limit.try_into().unwrap());
            let query = client.query().set_table_name(text("TableName"));
            let query = query.set_index_name(text("IndexName"));
            let query = query.set_consistent_read(of("ConsistentRead").as_bool());
            let query = query.set_key_condition_expression(text("KeyConditionExpression"));
            let query = query.set_expression_attribute_names(names);
            let query = query.set_expression_attribute_values(values);
            let query = query.set_exclusive_start_key(item(of("ExclusiveStartKey")));
            let _ = query.set_limit(limit).send().await;
        }
        "DynamoDB_20120810.DescribeTable" => {
            let describe = client.describe_table().set_table_name(text("TableName"));
            let _ = describe.send().await;
        }
        "DynamoDB_20120810.ListTagsOfResource" => {
            let list = client.list_tags_of_resource();
            let list = list.set_resource_arn(text("ResourceArn"));
            let _ = list.set_next_token(text("NextToken")).send().await;
        }
        target => panic!("{target}"),
    }
}

/// Returns a client that calls the region's endpoint, as ours does, if it knows the account as well.
fn client(services: &Services) -> Client {
    let config = aws_sdk_dynamodb::config::Builder::from(services.sdk());
    let config = config.account_id_endpoint_mode(AccountIdEndpointMode::Disabled);
    Client::from_conf(config.build())
}

/// Compares requests of ours with those of the crate.
async fn are_those_of_the_crate(fake: &Fake, operations: &[&str]) {
    let ours = fake.sent();
    let client = client(&fake.services());
    for sent in &ours {
        repeat(&client, sent).await;
    }
    assert_eq!(ours, fake.sent());
    let names = ours.iter().map(|sent| sent.target.rsplit('.').next());
    let names: Vec<_> = names.flatten().collect();
    assert_eq!(names, operations);
}

#[tokio::test]
async fn calls_of_the_store_are_those_of_the_crate() {
    let end = r#"{"Items":[],"LastEvaluatedKey":{"pk":{"S":"APP"},"sk":{"S":"APP#a"}}}"#;
    let fake = Fake::answering(&[(200, "{}"), (200, "{}"), (200, "{}"), (200, end)]);
    let store = DynamoStore::new(fake.services().dynamodb(), "shop");
    store.connect().await.unwrap();
    store.create(acquisition(1), NOW).await.unwrap();
    // The answer has no item.
    let verified = store.verify(id(1), &text(1), NOW, RETENTION).await;
    verified.unwrap_err();
    assert!(store.list_apps().await.unwrap().is_empty());
    let operations = ["GetItem", "PutItem", "UpdateItem", "Query", "Query"];
    are_those_of_the_crate(&fake, &operations).await;

    let due = store.due(acquisition(1).lane(), NOW, None, 5).await;
    assert!(due.unwrap().is_empty());
    are_those_of_the_crate(&fake, &["Query"; 8]).await;
}

#[tokio::test]
async fn tags_are_read_page_by_page_as_the_crate_does() {
    let described = r#"{"Table":{"TableArn":"arn:aws:dynamodb:eu-central-1:000000000000:table/shop","TableName":"shop"}}"#;
    let first = r#"{"Tags":[{"Key":"a","Value":"1"}],"NextToken":"more"}"#;
    let second = r#"{"Tags":[{"Key":"b","Value":"2"}]}"#;
    let fake = Fake::answering(&[(200, described), (200, first), (200, second)]);
    let tags = tags::of_table(&fake.services(), "shop").await.unwrap();
    let tag = |key: &str, value: &str| Tag {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    assert_eq!(tags, [tag("a", "1"), tag("b", "2")]);
    let operations = ["DescribeTable", "ListTagsOfResource", "ListTagsOfResource"];
    are_those_of_the_crate(&fake, &operations).await;
}

/// The settings of somebody whose DynamoDB is elsewhere.
#[derive(Debug)]
struct Elsewhere;

impl LoadServiceConfig for Elsewhere {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let known = ("DynamoDB", "AWS_ENDPOINT_URL", "endpoint_url");
        ((key.service_id(), key.env(), key.profile()) == known)
            .then(|| "http://dynamodb.example:8000".to_owned())
    }
}

#[tokio::test]
async fn service_may_have_an_endpoint_of_its_own() {
    let fake = Fake::default();
    let sdk = fake.sdk("eu-central-1").service_config(Elsewhere);
    let services = Services::with(sdk.endpoint_url("http://all.example").build());
    let store = DynamoStore::new(services.dynamodb(), "shop");
    store.connect().await.unwrap();
    let queue = SqsQueue::first_attempts(services.sqs(), QUEUE.parse().unwrap());
    queue.connect().await.unwrap();
    let ours = fake.sent();
    repeat(&client(&services), &ours[0]).await;
    let theirs = fake.sent();
    assert_eq!(ours[0], theirs[0]);
    assert_eq!(ours[0].url, "http://dynamodb.example:8000/");
    assert_eq!(ours[1].url, "http://all.example/");
}

/// Some refusals are repeated under a name that only DynamoDB has.
#[tokio::test(start_paused = true)]
async fn refusals_are_repeated_where_the_crate_repeats_them() {
    for code in [
        "ReplicatedWriteConflictException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "InternalServerError",
        "TransactionConflictException",
        "ResourceNotFoundException",
    ] {
        let refusal = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}")});
        let refusal = refusal.to_string();
        let fake = Fake::answering(&[(400, &refusal), (400, &refusal)]);
        let services = fake.services();
        let store = DynamoStore::new(services.dynamodb(), "shop");
        let _ = store.create(acquisition(1), NOW).await;
        let ours = fake.sent().len();
        let fake = Fake::answering(&[(400, &refusal), (400, &refusal)]);
        let services = fake.services();
        let put = Client::new(services.sdk()).put_item().table_name("shop");
        let put = put.item("pk", AttributeValue::S("a".to_owned()));
        let _ = put.send().await;
        assert_eq!(ours, fake.sent().len(), "{code}");
    }
}
