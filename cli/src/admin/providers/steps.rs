//! What to set in a provider's console.

use countersign_inbound::ProviderSpec;

/// Number of characters of a line that goes on in the next one, because a terminal is no wider.
const FULL_LINE: usize = 95;

/// Facts about a provider.
pub(crate) struct Shown<'a> {
    pub(crate) spec: &'a ProviderSpec,
    /// The number of its secrets; `None` if it is off.
    pub(crate) secrets: Option<usize>,
    pub(crate) public_url: Option<&'a str>,
    pub(crate) topic: Option<&'a str>,
    /// The token to paste into the console.
    pub(crate) token: Option<&'a str>,
    /// The beginning of a command line.
    pub(crate) command: &'a str,
}

impl Shown<'_> {
    /// Returns the URL to paste; `None` if it is not known, and for texts that come through a topic.
    pub(crate) fn url(&self) -> Option<String> {
        let url = self.public_url.filter(|_| self.spec.has_settings());
        url.map(|url| format!("{url}/inbound-sms/{}", self.spec.name))
    }

    /// Returns the steps for a terminal, with what is known in place of the placeholders.
    fn steps(&self) -> String {
        self.filled(self.spec.steps)
    }

    /// Returns the steps for a page, in which each sentence is on one line.
    pub(crate) fn flowing_steps(&self) -> String {
        let mut steps = String::new();
        let mut is_full = false;
        for line in self.spec.steps.lines() {
            if !steps.is_empty() {
                steps.push(if is_full && line.starts_with(' ') {
                    ' '
                } else {
                    '\n'
                });
            }
            steps.push_str(if is_full { line.trim_start() } else { line });
            is_full = line.chars().count() >= FULL_LINE;
        }
        self.filled(&steps)
    }

    fn filled(&self, steps: &str) -> String {
        let url = self.url();
        let named = || format!("PUBLIC_URL/inbound-sms/{}", self.spec.name);
        let steps = steps.replace("{URL}", &url.unwrap_or_else(named));
        let steps = steps.replace("{TOPIC}", self.topic.unwrap_or("TOPIC"));
        let no_token = "made when the provider is turned on";
        steps.replace("{TOKEN}", self.token.unwrap_or(no_token))
    }
}

/// Describes whether a provider with this number of secrets is on.
pub(crate) fn state(secrets: Option<usize>) -> String {
    match secrets {
        None => "off".to_owned(),
        Some(0) => "on".to_owned(),
        Some(1) => "on with 1 secret".to_owned(),
        Some(count) => format!("on with {count} secrets"),
    }
}

/// Returns the text that `provider show` prints.
pub(crate) fn text(shown: &Shown<'_>) -> String {
    let spec = shown.spec;
    let name = spec.name;
    let head = format!("Provider:  {name} ({})", state(shown.secrets));
    if spec.signs_url && shown.public_url.is_none() {
        return format!("{head}\nURL:       set publicUrl first, or start the server");
    }
    let target = match shown.url() {
        None if !spec.has_settings() => format!("Topic:     {}", shown.topic.unwrap_or("TOPIC")),
        None => format!("URL:       PUBLIC_URL/inbound-sms/{name}"),
        Some(url) if url.starts_with("http://") => format!(
            "URL:       {url}\n           Providers do not reach it: docs/providers.md#a-tunnel"
        ),
        Some(url) => format!("URL:       {url}"),
    };
    let test = if let Some(who) = spec.sole_signer {
        format!(
            "Test: send a real text from a phone. Only {who} can sign, so provider test cannot."
        )
    } else {
        let command = shown.command;
        format!("Then: {command} provider test {name}, and send a real text from a phone.")
    };
    let steps = shown.steps();
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
    fn page_gets_whole_sentences_and_commands_as_they_are() {
        let steps = |name| {
            let spec = spec(name);
            let url =
                Some("https://text.example.com/with/a/long/path/before/the/route/of/providers");
            Shown {
                spec,
                secrets: None,
                public_url: url,
                topic: None,
                token: None,
                command: "countersign",
            }
            .flowing_steps()
        };
        let twilio = steps("twilio");
        assert!(
            twilio.contains(". Texts that Twilio Conversations or Flex"),
            "{twilio}"
        );
        assert_eq!(twilio.lines().count(), 7, "{twilio}");
        let phone = steps("sms-gate");
        assert!(
            phone.contains("It asks for the password:\n   curl -u"),
            "{phone}"
        );
        assert!(phone.contains("/webhooks\n   Once more"), "{phone}");
        for spec in SPECS {
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let expected = spec.steps.replace("{URL}", "U").replace("{TOPIC}", "TOPIC");
            let shown = steps(spec.name).replace(
                &format!("https://text.example.com/with/a/long/path/before/the/route/of/providers/inbound-sms/{}", spec.name),
                "U",
            );
            let shown = shown.replace(&format!("PUBLIC_URL/inbound-sms/{}", spec.name), "U");
            let expected = expected.replace("{TOKEN}", "made when the provider is turned on");
            assert_eq!(words(&shown), words(&expected), "{}", spec.name);
        }
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
