//! WhatsApp users who hide their number, and ids on other channels.

use countersign_domain::confirmation::miss::UnusableText;
use serde_json::{Value, json};

use super::{NUMBER, hidden, number, sender};

const BSUID: &str = "US.13491208655302741918";
const PARENT: &str = "US.ENT.11815799212886844830";

/// Meta: members that may be omitted, and their replacements.
#[test]
fn person_on_whatsapp_may_hide_the_number() {
    let with = |message: Value, contacts: Value| {
        let mut message = message;
        message["id"] = json!("wamid.1");
        message["type"] = json!("text");
        message["text"] = json!({"body": "CS-0"});
        let value = json!({
            "metadata": {"display_phone_number": "12025550199", "phone_number_id": "7"},
            "contacts": contacts,
            "messages": [message],
        });
        let body = json!({"object": "whatsapp_business_account",
            "entry": [{"id": "0", "changes": [{"field": "messages", "value": value}]}]});
        sender("whatsapp", body.to_string().as_bytes())
    };
    let profile = json!({"name": "Zoe", "username": "zoe"});
    let contact = json!({"profile": profile, "user_id": BSUID});
    let known = json!({"profile": profile, "user_id": BSUID, "wa_id": NUMBER});
    let stranger = json!({"user_id": "US.1", "wa_id": "12025550101"});
    for (message, contacts, expected) in [
        (json!({"from_user_id": BSUID}), json!([contact]), hidden()),
        (
            json!({"from_user_id": BSUID, "from_parent_user_id": PARENT}),
            json!([contact]),
            hidden(),
        ),
        (
            json!({"from_user_id": BSUID, "from": null}),
            json!([contact]),
            hidden(),
        ),
        (
            json!({"from_user_id": BSUID, "from": ""}),
            json!([contact]),
            hidden(),
        ),
        (json!({"from": BSUID}), json!([contact]), hidden()),
        (
            json!({"from": PARENT, "from_user_id": BSUID}),
            json!([contact]),
            hidden(),
        ),
        (json!({"from": "zoe"}), json!([]), hidden()),
        (json!({}), json!([contact]), hidden()),
        (json!({}), json!(null), hidden()),
        (json!({}), json!([{"profile": profile}]), hidden()),
        (json!({"from_user_id": BSUID}), json!("odd"), hidden()),
        (
            json!({"from_user_id": BSUID}),
            json!([{"user_id": BSUID, "wa_id": BSUID}]),
            hidden(),
        ),
        // Other contacts in the same call, and accounts that do not belong to the message.
        (json!({"from_user_id": BSUID}), json!([stranger]), hidden()),
        (
            json!({"from_user_id": BSUID}),
            json!([stranger, contact]),
            hidden(),
        ),
        (json!({}), json!([stranger, known]), hidden()),
        // The number is present.
        (
            json!({"from": NUMBER, "from_user_id": BSUID}),
            json!([known]),
            Ok(number()),
        ),
        (
            json!({"from": NUMBER}),
            json!([{"wa_id": NUMBER}]),
            Ok(number()),
        ),
        (json!({"from": NUMBER}), json!([stranger]), Ok(number())),
        (json!({"from_user_id": BSUID}), json!([known]), Ok(number())),
        (
            json!({"from_user_id": BSUID}),
            json!([stranger, known]),
            Ok(number()),
        ),
        (json!({"from": BSUID}), json!([known]), Ok(number())),
        (
            json!({"from": BSUID, "from_user_id": BSUID}),
            json!([known]),
            Ok(number()),
        ),
        (json!({}), json!([known]), Ok(number())),
    ] {
        assert_eq!(
            with(message.clone(), contacts.clone()),
            expected,
            "{message} {contacts}"
        );
    }
}

#[test]
fn twilio_names_an_id_behind_the_channel() {
    let form = |from: &str, to: &str, more: &str| {
        let body = format!("MessageSid=SM1&SmsStatus=received{from}{to}&Body=CS-0{more}");
        let body = body
            .replace(':', "%3A")
            .replace("=+", "=%2B")
            .replace("%3A+", "%3A%2B");
        ["twilio sha1", "twilio sha256"].map(|label| sender(label, body.as_bytes()))
    };
    let (sms, whatsapp) = ("&To=+12025550199", "&To=whatsapp:+12025550199");
    for (from, to, more, expected) in [
        (
            format!("&From=whatsapp:{BSUID}"),
            whatsapp,
            format!("&ExternalUserId={BSUID}"),
            hidden(),
        ),
        (
            format!("&From=whatsapp:{PARENT}"),
            whatsapp,
            String::new(),
            hidden(),
        ),
        (
            format!("&From=whatsapp:{BSUID}"),
            whatsapp,
            format!("&WaId={BSUID}"),
            hidden(),
        ),
        (
            "&From=whatsapp:".to_owned(),
            whatsapp,
            String::new(),
            hidden(),
        ),
        ("&From=".to_owned(), whatsapp, String::new(), hidden()),
        (String::new(), whatsapp, String::new(), hidden()),
        (String::new(), sms, String::new(), hidden()),
        ("&From=Anonymous".to_owned(), sms, String::new(), hidden()),
        (
            "&From=messenger:5417233561732451".to_owned(),
            "&To=messenger:109",
            String::new(),
            hidden(),
        ),
        (
            "&From=rcs:+12025550100".to_owned(),
            "&To=rcs:acme_agent",
            String::new(),
            hidden(),
        ),
        (
            "&From=rcs:+12025550100".to_owned(),
            sms,
            String::new(),
            hidden(),
        ),
        (
            "&From=whatsapp:+12025550100".to_owned(),
            sms,
            String::new(),
            hidden(),
        ),
        (
            "&From=+12025550100".to_owned(),
            whatsapp,
            String::new(),
            hidden(),
        ),
        (
            "&From=ACME".to_owned(),
            sms,
            String::new(),
            Err(UnusableText::Sender),
        ),
        (
            "&From=whatsapp:+12025550100".to_owned(),
            whatsapp,
            format!("&ExternalUserId={BSUID}"),
            Ok(number()),
        ),
        (
            format!("&From=whatsapp:{BSUID}"),
            whatsapp,
            format!("&WaId={NUMBER}"),
            Ok(number()),
        ),
        (
            "&From=+12025550100".to_owned(),
            sms,
            String::new(),
            Ok(number()),
        ),
    ] {
        let both = form(&from, to, &more);
        assert_eq!(both, [expected.clone(), expected], "{from}{to}{more}");
    }
}

#[test]
fn vonage_names_an_id_or_no_sender() {
    let whole = json!({"channel": "whatsapp", "message_uuid": "m", "to": "12025550199",
        "message_type": "text", "text": "CS-0", "profile": {"name": "Zoe", "username": "zoe"}});
    for (more, expected) in [
        (json!({}), hidden()),
        (json!({"from": null}), hidden()),
        (json!({"from": ""}), hidden()),
        (json!({"from": BSUID}), hidden()),
        (json!({"from": PARENT}), hidden()),
        (
            json!({"from": BSUID, "whatsapp": {"sender": {"user_id": BSUID}}}),
            hidden(),
        ),
        (
            json!({"from": BSUID, "whatsapp": {"sender": {"wa_id": BSUID}}}),
            hidden(),
        ),
        (
            json!({"from": "5417233561732451", "channel": "messenger"}),
            hidden(),
        ),
        (json!({"from": NUMBER, "channel": "messenger"}), hidden()),
        (
            json!({"from": NUMBER, "channel": "rcs", "to": "acme"}),
            hidden(),
        ),
        (
            json!({"from": NUMBER, "channel": "viber_service"}),
            hidden(),
        ),
        (json!({"from": NUMBER, "channel": null}), hidden()),
        (json!({"from": "", "channel": "sms"}), hidden()),
        (json!({"from": "Unknown", "channel": "mms"}), hidden()),
        (
            json!({"from": "ACME", "channel": "sms"}),
            Err(UnusableText::Sender),
        ),
        (json!({"from": NUMBER}), Ok(number())),
        (json!({"from": NUMBER, "channel": "sms"}), Ok(number())),
        (json!({"from": NUMBER, "channel": "mms"}), Ok(number())),
        (
            json!({"from": BSUID, "whatsapp": {"sender": {"user_id": BSUID, "wa_id": NUMBER}}}),
            Ok(number()),
        ),
    ] {
        let mut body = whole.clone();
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        assert_eq!(
            sender("vonage messages", body.to_string().as_bytes()),
            expected,
            "{more}"
        );
    }
}
