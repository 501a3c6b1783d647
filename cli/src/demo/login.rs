//! The demo app's login settings: pages of the server itself may open its logins.

use countersign_domain::app::login::LoginSettings;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use url::Url;

/// The login settings that follow from the server's URL.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Own {
    /// The origins of the server's pages, under each loopback name.
    origins: Vec<WebOrigin>,
    /// `localhost` and the port, which `countersign phone open` takes for the running server.
    link_host: Option<LinkHost>,
}

impl Own {
    /// Derives the settings from the server's URL; empty if the URL has no port or is malformed.
    fn of(url: &str) -> Self {
        let Ok(parsed) = Url::parse(url) else {
            return Self::default();
        };
        let Some(port) = parsed.port_or_known_default() else {
            return Self::default();
        };
        let scheme = parsed.scheme();
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let texts = names.map(|name| format!("{scheme}://{name}:{port}"));
        let mut origins = Vec::new();
        for text in [url].into_iter().chain(texts.iter().map(String::as_str)) {
            match text.parse::<WebOrigin>() {
                Ok(origin) if !origins.contains(&origin) => origins.push(origin),
                _ => {}
            }
        }
        Self {
            origins,
            link_host: format!("localhost:{port}").parse::<LinkHost>().ok(),
        }
    }
}

/// Returns the settings for a server at `now` that was at `before` when it last wrote its file.
/// Replaces what followed from the former URL, and keeps everything that an operator set.
pub(super) fn follow(settings: &LoginSettings, before: Option<&str>, now: &str) -> LoginSettings {
    let former = before.map(Own::of).unwrap_or_default();
    let own = Own::of(now);
    let mut settings = settings.clone();
    settings
        .origins
        .retain(|origin| own.origins.contains(origin) || !former.origins.contains(origin));
    for origin in own.origins {
        if !settings.origins.contains(&origin) {
            settings.origins.push(origin);
        }
    }
    if settings.link_host.is_none() || settings.link_host == former.link_host {
        settings.link_host = own.link_host;
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(origins: &[&str], link_host: Option<&str>) -> LoginSettings {
        LoginSettings {
            origins: origins
                .iter()
                .map(|text| text.parse::<WebOrigin>().unwrap())
                .collect(),
            link_host: link_host.map(|text| text.parse::<LinkHost>().unwrap()),
            ..LoginSettings::default()
        }
    }

    const FIRST: [&str; 3] = [
        "http://127.0.0.1:8787",
        "http://localhost:8787",
        "http://[::1]:8787",
    ];

    #[test]
    fn server_pages_may_open_logins() {
        let followed = follow(&LoginSettings::default(), None, "http://127.0.0.1:8787");
        assert_eq!(followed, settings(&FIRST, Some("localhost:8787")));
        let again = follow(
            &followed,
            Some("http://127.0.0.1:8787"),
            "http://127.0.0.1:8787",
        );
        assert_eq!(again, followed);
    }

    #[test]
    fn new_port_replaces_the_former_and_nothing_else() {
        let first = follow(&LoginSettings::default(), None, "http://127.0.0.1:8787");
        let mut mixed = first.clone();
        mixed
            .origins
            .insert(1, "http://localhost:3000".parse::<WebOrigin>().unwrap());
        let followed = follow(
            &mixed,
            Some("http://127.0.0.1:8787"),
            "http://127.0.0.1:9000",
        );
        let expected = [
            "http://localhost:3000",
            "http://127.0.0.1:9000",
            "http://localhost:9000",
            "http://[::1]:9000",
        ];
        assert_eq!(followed, settings(&expected, Some("localhost:9000")));
    }

    #[test]
    fn link_host_from_an_operator_stays() {
        let own = settings(&[], Some("login.shop.example"));
        let followed = follow(&own, Some("http://127.0.0.1:1"), "http://127.0.0.1:8787");
        assert_eq!(followed.link_host, own.link_host);
    }

    #[test]
    fn other_loopback_addresses_and_public_urls_are_followed() {
        let origins = |url| {
            let followed = follow(&LoginSettings::default(), None, url);
            let host = followed.link_host.unwrap().to_string();
            (
                followed.origins[0].to_string(),
                followed.origins.len(),
                host,
            )
        };
        let expected = |first: &str, count, host: &str| (first.to_owned(), count, host.to_owned());
        assert_eq!(
            origins("http://127.0.0.9:80"),
            expected("http://127.0.0.9", 4, "localhost")
        );
        assert_eq!(
            origins("https://localhost"),
            expected("https://localhost", 3, "localhost:443")
        );
    }
}
