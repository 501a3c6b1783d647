//! Answers as text for people.

use std::fmt;

use super::{AdminAnswer, AppView, KeyView, MetricsView, NewKeyView, SigningKeyView, TestView};

impl fmt::Display for AdminAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NewApp(new) => write!(f, "{}\n{}", new.app, new.key),
            Self::App(app) => app.fmt(f),
            Self::Apps(listed) => list(
                f,
                &listed.views,
                "There are no apps yet: `countersign app create NAME`",
                |app| format!("{:<24} {}", app.app, app.app_key),
            ),
            Self::NewKey(key) => key.fmt(f),
            Self::Key(key) => key.fmt(f),
            Self::Keys(keys) => list(
                f,
                keys,
                "The app has no keys: `countersign key issue APP`",
                ToString::to_string,
            ),
            Self::AssociationKey(key) => key.fmt(f),
            Self::AssociationKeys(keys) => list(
                f,
                keys,
                "The user has no association keys: `countersign app keys add APP USER KEY`",
                ToString::to_string,
            ),
            Self::DeletedApp(app) => write!(f, "{app}  deleted"),
            Self::RevokedAssociationKey(id) => write!(f, "{id}  revoked"),
            Self::SigningKeys(keys) => {
                list(f, keys, "There are no signing keys", ToString::to_string)
            }
            Self::WebhookSecrets(view) => f.write_str(&view.webhook_secrets.join("\n")),
            Self::MasterSecret(view) => view.fmt(f),
            Self::Recorded => Ok(()),
            Self::Redactions(listed) => list(f, &listed.views, "", ToString::to_string),
            Self::Repeated(view) => view.fmt(f),
            Self::Audit(listed) => {
                list(f, &listed.views, "Nothing is recorded", ToString::to_string)
            }
            Self::Test(test) => test.fmt(f),
            Self::Metrics(snapshot) => snapshot.fmt(f),
            Self::ExportedMetrics(text) => f.write_str(text.trim_end()),
            Self::Server(server) => f.write_str(&server.url),
            Self::Providers(names) => f.write_str(&names.join("\n")),
            Self::Text(effect) => f.write_str(&effect.summary),
        }
    }
}

/// Writes one line per item, without a line break after the last.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    none: &str,
    line: impl Fn(&T) -> String,
) -> fmt::Result {
    if items.is_empty() {
        return f.write_str(none);
    }
    f.write_str(&items.iter().map(line).collect::<Vec<_>>().join("\n"))
}

impl fmt::Display for AppView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any = |words: &[String]| match words {
            [] => "any public origin".to_owned(),
            words => words.join(", "),
        };
        writeln!(f, "app               {}", self.app)?;
        writeln!(f, "app key           {}", self.app_key)?;
        writeln!(f, "created           {}", self.created_at)?;
        writeln!(
            f,
            "callback URL      {}",
            self.callback_url.as_deref().unwrap_or("none")
        )?;
        writeln!(f, "callback origins  {}", any(&self.callback_origins))?;
        writeln!(f, "message           {}", self.message_template)?;
        for (language, template) in &self.message_templates {
            writeln!(f, "message in {language:<6} {template}")?;
        }
        writeln!(f, "code prefix       {}", self.code_prefix)?;
        writeln!(f, "senders           {}", self.senders.join(", "))?;
        let whatsapp = self.whatsapp.as_deref().unwrap_or("none");
        writeln!(f, "WhatsApp          {whatsapp}")?;
        let refused = match self.refused_number_types.join(", ") {
            none if none.is_empty() => "none".to_owned(),
            types => types.replace('_', "-"),
        };
        writeln!(f, "refused types     {refused}")?;
        let details = if self.webhook_details { "on" } else { "off" };
        writeln!(f, "webhook details   {details}")?;
        writeln!(f, "{}", self.login)?;
        self.quotas.fmt(f)
    }
}

impl fmt::Display for NewKeyView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "key id            {}", self.key_id)?;
        write!(f, "API key           {}  (not shown again)", self.api_key)
    }
}

impl fmt::Display for KeyView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  issued {}", self.key_id, self.issued_at)?;
        match &self.revoked_at {
            Some(at) => write!(f, "  revoked {at}"),
            None => f.write_str("  active"),
        }
    }
}

impl fmt::Display for SigningKeyView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.current {
            "current"
        } else {
            "former, still published"
        };
        write!(f, "{}  {state}", self.key_id)
    }
}

impl fmt::Display for TestView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match (self.status, &self.failure) {
            (Some(status), _) => format!("answered {status}"),
            (None, Some(reason)) => format!("no answer ({reason})"),
            (None, None) => "no answer".to_owned(),
        };
        write!(
            f,
            "{}: {how} after {} ms",
            self.webhook_id, self.duration_ms
        )
    }
}

impl fmt::Display for MetricsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for event in &self.counted.events {
            writeln!(f, "{:<28} {:>10}", event.name, event.count)?;
        }
        writeln!(f, "\n{:<28} {:>10}", "attempts queued", self.queued)?;
        writeln!(f, "{:<28} {:>10}", "store writes", self.store_writes)?;
        writeln!(f, "{:<28} {:>10}", "store flushes", self.store_flushes)?;
        write!(f, "\nFirst attempts, by time since the text arrived:")?;
        for class in &self.counted.first_attempts {
            let bound = class.at_most_ms;
            let bound = bound.map_or("longer".to_owned(), |ms| format!("at most {ms:>6} ms"));
            write!(f, "\n  {bound:<26} {:>10}", class.count)?;
        }
        Ok(())
    }
}
