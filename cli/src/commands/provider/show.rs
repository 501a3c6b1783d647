//! `countersign provider show`.

use std::path::Path;

use super::kind::Kind;
use super::{SettingsFile, public_url, secrets, state};
use crate::args::ProviderName;
use crate::console::say;
use crate::data_dir::DataDir;
use crate::failure::Failure;

/// Prints the URL to paste and what to set in the provider's console.
pub(super) async fn show(path: &Path, name: ProviderName) -> Result<(), Failure> {
    let data = DataDir::existing(path).map_err(|error| Failure::of(&error))?;
    let settings = SettingsFile::read(&data)?;
    let url = public_url(&data, &settings).await?;
    let secrets = secrets(&data, &settings, name)?;
    say(&text(
        Kind::of(name),
        secrets,
        url.as_deref(),
        settings.topic(),
    ))
}

fn text(
    kind: &Kind,
    secrets: Option<usize>,
    public_url: Option<&str>,
    topic: Option<&str>,
) -> String {
    let name = kind.name;
    let head = format!("Provider:  {name} ({})", state(secrets));
    let url = match public_url {
        Some(url) => format!("{url}/inbound-sms/{name}"),
        None if kind.signs_url => {
            return format!("{head}\nURL:       set publicUrl first, or start the server");
        }
        None => format!("PUBLIC_URL/inbound-sms/{name}"),
    };
    let steps = kind.steps.trim_end().replace("{URL}", &url);
    let steps = steps.replace("{TOPIC}", topic.unwrap_or("TOPIC"));
    let test = if kind.signs_alone {
        let who = if name == "sns" { "AWS" } else { "Telnyx" };
        format!(
            "Test: send a real text from a phone. Only {who} can sign, so provider test cannot."
        )
    } else {
        format!("Then: countersign provider test {name}, and send a real text from a phone.")
    };
    format!(
        "{head}\nURL:       {url}\n\n{steps}\n\n{test}\nMore: docs/providers.md#{}",
        kind.anchor
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &'static str, url: Option<&str>) -> String {
        text(Kind::of(ProviderName(name)), Some(1), url, Some("arn:x"))
    }

    #[test]
    fn url_to_paste_is_shown() {
        let text = shown("twilio", Some("https://text.example.com"));
        let head = "Provider:  twilio (on with 1 secret)\n\
             URL:       https://text.example.com/inbound-sms/twilio\n\n1. Console";
        assert!(text.starts_with(head), "{text}");
        assert!(text.ends_with("More: docs/providers.md#twilio"), "{text}");
        let text = shown("sns", Some("https://text.example.com"));
        let command = "--topic-arn arn:x --protocol https --notification-endpoint \
             https://text.example.com/inbound-sms/sns\n";
        assert!(text.contains(command), "{text}");
        assert!(text.contains("Only AWS can sign"), "{text}");
    }

    #[test]
    fn url_that_is_signed_must_be_known() {
        assert!(shown("plivo", None).ends_with("set publicUrl first, or start the server"));
        assert!(shown("sinch", None).contains("PUBLIC_URL/inbound-sms/sinch"));
    }
}
