//! `countersign provider show`.

use countersign_inbound::ProviderSpec;

use super::settings_store::SettingsStore;
use super::state;
use crate::failure::Failure;
use crate::terminal::print;

/// Prints the URL to paste and what to set in the provider's console.
pub(super) async fn show(place: &SettingsStore, spec: &ProviderSpec) -> Result<(), Failure> {
    if !place.has(spec) {
        return Err(Failure::new(format!(
            "{} is part of a deployment on AWS: name it with --table, or use sns",
            spec.name
        )));
    }
    print(&steps(place, spec).await?)
}

/// Returns the text that `provider show` prints about a provider.
pub(super) async fn steps(place: &SettingsStore, spec: &ProviderSpec) -> Result<String, Failure> {
    let settings = place.read().await?;
    let url = place.public_url(&settings).await?;
    let topic = if spec.has_settings() {
        settings.topic()
    } else {
        place.own_topic()
    };
    Ok(text(&Shown {
        spec,
        secrets: place.secrets(&settings, spec)?,
        public_url: url.as_deref(),
        topic,
        token: settings.token(spec),
        command: &place.command(),
    }))
}

/// Output of `provider show`.
struct Shown<'a> {
    spec: &'a ProviderSpec,
    secrets: Option<usize>,
    public_url: Option<&'a str>,
    topic: Option<&'a str>,
    /// The token to paste into the console.
    token: Option<&'a str>,
    command: &'a str,
}

fn text(shown: &Shown<'_>) -> String {
    let spec = shown.spec;
    let name = spec.name;
    let head = format!("Provider:  {name} ({})", state(shown.secrets));
    let topic = shown.topic.unwrap_or("TOPIC");
    let url = match shown.public_url {
        Some(url) => format!("{url}/inbound-sms/{name}"),
        None if spec.signs_url => {
            return format!("{head}\nURL:       set publicUrl first, or start the server");
        }
        None => format!("PUBLIC_URL/inbound-sms/{name}"),
    };
    let target = if !spec.has_settings() {
        format!("Topic:     {topic}")
    } else if url.starts_with("http://") {
        format!(
            "URL:       {url}\n           Providers do not reach it: docs/providers.md#a-tunnel"
        )
    } else {
        format!("URL:       {url}")
    };
    let steps = spec.steps.replace("{URL}", &url);
    let steps = steps.replace("{TOPIC}", topic);
    let no_token = "made when the provider is turned on";
    let steps = steps.replace("{TOKEN}", shown.token.unwrap_or(no_token));
    let test = if let Some(who) = spec.sole_signer {
        format!(
            "Test: send a real text from a phone. Only {who} can sign, so provider test cannot."
        )
    } else {
        let command = shown.command;
        format!("Then: {command} provider test {name}, and send a real text from a phone.")
    };
    format!(
        "{head}\n{target}\n\n{steps}\n\n{test}\nMore: docs/providers.md#{}",
        spec.anchor
    )
}

#[cfg(test)]
mod tests {
    use countersign_inbound::SPECS;

    use super::*;

    fn spec(name: &str) -> &'static ProviderSpec {
        SPECS.iter().find(|spec| spec.name == name).unwrap()
    }

    fn shown(name: &'static str, url: Option<&str>) -> String {
        text(&Shown {
            spec: spec(name),
            secrets: Some(1),
            public_url: url,
            topic: Some("arn:x"),
            token: (name == "whatsapp").then_some("t0ken"),
            command: "countersign --table shop",
        })
    }

    #[test]
    fn url_to_paste_is_shown() {
        let text = shown("twilio", Some("https://text.example.com"));
        let head = "Provider:  twilio (on with 1 secret)\n\
             URL:       https://text.example.com/inbound-sms/twilio\n\n1. Console";
        assert!(text.starts_with(head), "{text}");
        assert!(
            text.contains("Then: countersign --table shop provider test twilio,"),
            "{text}"
        );
        assert!(text.ends_with("More: docs/providers.md#twilio"), "{text}");
        let text = shown("sns", Some("https://text.example.com"));
        let command = "--topic-arn arn:x --protocol https --notification-endpoint \
             https://text.example.com/inbound-sms/sns\n";
        assert!(text.contains(command), "{text}");
        assert!(text.contains("Only AWS can sign"), "{text}");
    }

    #[test]
    fn function_on_aws_has_a_topic_in_place_of_a_url() {
        let text = shown("end-user-messaging", Some("https://text.example.com"));
        assert!(text.contains("\nTopic:     arn:x\n"), "{text}");
        assert!(
            text.contains("Existing Amazon SNS topic: arn:x\n"),
            "{text}"
        );
        assert!(!text.contains("text.example.com"), "{text}");
    }

    #[test]
    fn token_to_paste_is_shown() {
        let text = shown("whatsapp", Some("https://text.example.com"));
        assert!(text.contains("Verify token: t0ken\n"), "{text}");
        let off = Shown {
            spec: spec("whatsapp"),
            secrets: None,
            public_url: None,
            topic: None,
            token: None,
            command: "countersign",
        };
        let text = super::text(&off);
        assert!(text.contains("Verify token: made when"), "{text}");
    }

    #[test]
    fn phone_is_told_what_to_tap() {
        let text = shown("sms-gate", Some("https://text.example.com"));
        let webhook =
            r#"{"url": "https://text.example.com/inbound-sms/sms-gate", "event": "sms:received"}"#;
        for part in [
            webhook,
            "Signing Key",
            "RCS",
            "battery",
            "http://PHONE:8080/webhooks",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let end = "More: docs/providers.md#sms-gateway-for-android";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn local_url_is_said_to_be_out_of_reach() {
        let text = shown("sms-gate", Some("http://127.0.0.1:8787"));
        assert!(text.contains("docs/providers.md#a-tunnel\n"), "{text}");
    }

    #[test]
    fn url_that_is_signed_must_be_known() {
        assert!(shown("plivo", None).ends_with("set publicUrl first, or start the server"));
        assert!(shown("sinch", None).contains("PUBLIC_URL/inbound-sms/sinch"));
    }
}
