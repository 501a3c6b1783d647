//! The tools as a whole: which there are, and that each schema is one that clients accept.

use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use super::answer::Metadata;
use super::foreign::Boundary;
use super::tools;
use crate::admin::Place;
use crate::schema::{BY_OPTION, OURS};

fn data() -> Place {
    Place::Data(".countersign".into())
}

/// A new tool has to be put into this list, and so to be thought about: does it change, reveal or send anything, and
/// are its texts by strangers marked?
#[test]
fn assistants_have_these_tools_only() {
    let names = |place: &Place| {
        let tools = tools::all(place, Metadata(false)).into_iter();
        tools.map(|tool| tool.listed.name).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&data()),
        [
            "list_apps",
            "show_app",
            "list_keys",
            "list_client_secrets",
            "list_association_keys",
            "list_phone_registrations",
            "show_phone_registration",
            "list_signing_keys",
            "list_openid_keys",
            "list_providers",
            "show_provider",
            "list_audit",
            "find_confirmations",
            "show_confirmation",
            "show_webhooks",
            "find_logins",
            "show_login",
            "show_history",
            "list_attention",
            "show_system",
            "list_redactions",
            "show_metrics",
            "show_server",
            "show_problem",
        ]
    );
    // A deployment on AWS has no server to ask.
    let mut left = names(&data());
    left.retain(|name| !["show_metrics", "show_server"].contains(&&**name));
    assert_eq!(names(&Place::Table("shop".to_owned())), left);
}

#[test]
fn each_tool_is_described_and_only_reads() {
    for tool in tools::all(&data(), Metadata(true)) {
        let tool = serde_json::to_value(&tool.listed).unwrap();
        let name = &tool["name"];
        assert!(tool["description"].as_str().unwrap().len() > 20, "{name}");
        let hints = json!({
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
        });
        assert_eq!(tool["annotations"], hints, "{name}");
        for root in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(root["type"], "object", "{name}");
        }
        let answer = &tool["outputSchema"]["properties"]["answer"];
        assert_eq!(answer["type"], "object", "{name}: {answer}");
        let input = tool["inputSchema"]["properties"].as_object();
        for (member, schema) in input.into_iter().flatten() {
            assert!(schema["type"].is_string(), "{name} {member}: {schema}");
            assert!(schema["description"].is_string(), "{name} {member}");
        }
        let text = tool.to_string();
        for foreign in [OURS, BY_OPTION, "$ref", "\"uint"] {
            assert!(!text.contains(foreign), "{name}: {text}");
        }
    }
}

/// Returns the members that are given to an assistant as texts by strangers.
fn foreign(schema: &Value, at: &str) -> Vec<String> {
    let boundary = Boundary::draw(&OsEntropy);
    let mut found = Vec::new();
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        if branch["type"] != "null" {
            found.extend(foreign(branch, at));
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        found.extend(foreign(schema, &format!("{at}.{name}")));
    }
    if schema["items"].is_object() {
        found.extend(foreign(&schema["items"], at));
    }
    let is_leaf = ["anyOf", "properties", "items"]
        .iter()
        .all(|name| schema.get(name).is_none());
    if is_leaf && Metadata(true).tame(schema, json!("text"), &boundary) != "text" {
        let text = schema.to_string();
        if !text.contains("integer") && !text.contains("boolean") {
            found.push(at.to_owned());
        }
    }
    found
}

/// Texts by strangers are the rule: a member that is not in this list was marked as ours.
#[test]
fn texts_by_strangers_are_enclosed() {
    let tools = tools::all(&data(), Metadata(true));
    let found: Vec<_> = tools
        .iter()
        .flat_map(|tool| foreign(&tool.answer, &tool.listed.name))
        .collect();
    assert_eq!(
        found,
        [
            "list_association_keys.items.label",
            "list_association_keys.items.publicUserId",
            "list_phone_registrations.items.browser",
            "list_phone_registrations.items.label",
            "list_phone_registrations.items.place",
            "list_phone_registrations.items.publicUserId",
            "show_phone_registration.browser",
            "show_phone_registration.label",
            "show_phone_registration.place",
            "show_phone_registration.publicUserId",
            "list_audit.items.by",
            "list_audit.items.details",
            "list_audit.items.reason",
            "show_confirmation.callbackUrl",
            "show_confirmation.metadata",
            "show_confirmation.timeline.detail",
            "show_webhooks.receivers.origin",
            "find_logins.items.origin",
            "find_logins.items.publicUserId",
            "show_login.browser.name",
            "show_login.browser.place",
            "show_login.origin",
            "show_login.phone.name",
            "show_login.phone.place",
            "show_login.publicUserId",
            "show_login.timeline.detail",
            "list_attention.items.detail",
            "list_attention.items.title",
        ]
    );
}
