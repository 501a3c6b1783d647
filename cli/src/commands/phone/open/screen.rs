//! The confirmation screen as plain text.

use std::fmt;

use countersign_sdk::{Attribution, Flag, Session, Severity};

use crate::terminal::plain;

/// The screen that a user sees before deciding.
pub(super) struct Screen<'a>(pub(super) &'a Session);

impl fmt::Display for Screen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = self.0;
        let screen = session.mobile_template_response();
        writeln!(f, "{}\n", plain(&screen.title))?;
        writeln!(f, "{}\n", plain(&screen.message))?;
        row(f, "who asks", session.origin())?;
        row(f, "app", session.app_name())?;
        for line in session.context().into_iter().flat_map(str::lines) {
            row(f, "you approve", line)?;
        }
        let place = |location: &str, address: Option<&str>| match address {
            Some(address) => format!("{location} ({address})"),
            None => location.to_owned(),
        };
        let (widget, mobile) = (&screen.widget, &screen.mobile);
        row(f, "browser", &screen.user_agent.name)?;
        remark(f, screen.user_agent.issue.as_deref())?;
        let there = place(&widget.location, session.ip_address_widget());
        row(f, "its place", &there)?;
        remark(f, widget.issue.as_deref())?;
        let here = place(&mobile.location, session.ip_address_mobile());
        row(f, "your place", &here)?;
        remark(f, mobile.issue.as_deref())?;
        for attribution in &screen.attributions {
            let Attribution { text, url } = attribution;
            writeln!(f, "  {:<12}- {}, {}", "", plain(text), plain(url))?;
        }
        if let Some(risk) = session.risk_analytics() {
            row(f, "risk", risk.risk_status.as_str())?;
            // `flags` contains the same sentences one by one, if there are any.
            if screen.flags.is_empty() {
                remark(f, risk.risk_flag_string.as_deref())?;
            }
        }
        for Flag {
            code,
            severity,
            text,
        } in &screen.flags
        {
            let mark = if *severity == Severity::Info {
                '-'
            } else {
                '!'
            };
            writeln!(f, "  {:<12}{mark} {} ({})", "", plain(text), plain(code))?;
        }
        row(
            f,
            "payload",
            if session.is_encrypted() {
                "encrypted: only the browser can read it"
            } else {
                "not encrypted: the service can read it"
            },
        )?;
        match session.check_code() {
            Some(code) => write!(f, "\n{}", Digits(code)),
            None => Ok(()),
        }
    }
}

/// A check code, set apart so that it is legible from the browser.
pub(super) struct Digits<'a>(pub(super) &'a str);

impl fmt::Display for Digits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: Vec<_> = self.0.chars().map(String::from).collect();
        let edge = "  +-----------+";
        writeln!(f, "{edge}\n  |   {}   |\n{edge}", digits.join("   "))?;
        f.write_str(
            "  Type these two digits only in a browser that you have in front of you, once you have\n  \
             confirmed. Tell them to nobody.\n",
        )
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "  {name:<12}{}", plain(value))
}

fn remark(f: &mut fmt::Formatter<'_>, text: Option<&str>) -> fmt::Result {
    match text {
        Some(text) => writeln!(f, "  {:<12}! {}", "", plain(text)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolates_around_names_are_not_shown() {
        let text = "\u{2066}shop.example\u{2069} \u{2068}Köln\u{2069} \u{2067}x\u{202e}";
        assert_eq!(plain(text), "shop.example Köln \u{fffd}x\u{fffd}");
    }
}
