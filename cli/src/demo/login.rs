//! The demo app's login settings: pages of the server itself may create its logins.

use countersign_domain::app::login::LoginSettings;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;

use crate::server_address::link_hosts;

/// The login settings derived from the server's names.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct OwnLoginSettings {
    /// The origins of the server's pages that may create logins, one for each name.
    origins: Vec<WebOrigin>,
    /// `localhost` and the port; `countersign phone open` maps it to the running server.
    link_host: Option<LinkHost>,
}

impl OwnLoginSettings {
    /// Derives the settings from the server's pages. Ignores names other than loopback ones: browsers disable
    /// cryptography there.
    fn from_pages(pages: &[String]) -> Self {
        let mut origins = Vec::new();
        for origin in pages
            .iter()
            .filter_map(|page| page.parse::<WebOrigin>().ok())
        {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        Self {
            origins,
            link_host: link_hosts(pages).into_iter().next(),
        }
    }
}

/// The server's pages at its last starts; the demo app may list some of them as pages that may open
/// logins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages<'a> {
    /// The current pages.
    pub(super) now: &'a [String],
    /// The pages before; logins that they opened continue.
    pub(super) last: &'a [String],
    /// The pages to remove.
    pub(super) earlier: &'a [String],
}

/// Returns the settings for a server with these pages. Replaces settings derived from earlier pages, and keeps
/// everything that an operator set.
pub(super) fn follow(settings: &LoginSettings, pages: Pages<'_>) -> LoginSettings {
    let [own, last, earlier] =
        [pages.now, pages.last, pages.earlier].map(OwnLoginSettings::from_pages);
    let mut settings = settings.clone();
    settings.origins.retain(|origin| {
        let goes_on = own.origins.contains(origin) || last.origins.contains(origin);
        goes_on || !earlier.origins.contains(origin)
    });
    for origin in own.origins {
        if !settings.origins.contains(&origin) {
            settings.origins.push(origin);
        }
    }
    if settings.link_host.is_none() || settings.link_host == last.link_host {
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

    fn pages(port: u16) -> Vec<String> {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        names.map(|name| format!("http://{name}:{port}")).to_vec()
    }

    /// Returns the settings after starts with these pages; the first start found no file.
    fn after(settings: &LoginSettings, starts: &[&[String]]) -> LoginSettings {
        let mut settings = settings.clone();
        let (mut last, mut earlier): (&[String], &[String]) = (&[], &[]);
        for now in starts {
            settings = follow(&settings, Pages { now, last, earlier });
            if *now != last {
                (earlier, last) = (last, now);
            }
        }
        settings
    }

    #[test]
    fn server_pages_may_open_logins() {
        let first = pages(8787);
        let followed = after(&LoginSettings::default(), &[&first]);
        assert_eq!(followed, settings(&FIRST, Some("localhost:8787")));
        assert_eq!(after(&LoginSettings::default(), &[&first[..]; 4]), followed);
    }

    #[test]
    fn pages_under_other_names_of_this_machine_may_open_logins_too() {
        let mut named = vec![
            "http://devbox:8787".to_owned(),
            "http://localhost:9000".to_owned(),
        ];
        named.extend(pages(8787));
        let followed = after(&LoginSettings::default(), &[&named]);
        let origins = [&["http://localhost:9000"], &FIRST[..]].concat();
        assert_eq!(followed, settings(&origins, Some("localhost:9000")));
        let without = after(
            &LoginSettings::default(),
            &[&named, &pages(8787), &pages(9001)],
        );
        assert!(
            without
                .origins
                .iter()
                .all(|origin| origin.site() != "localhost:9000")
        );
        assert_eq!(without.link_host.unwrap().as_str(), "localhost:9001");
    }

    #[test]
    fn new_port_replaces_the_last_but_one_and_nothing_else() {
        let first = after(&LoginSettings::default(), &[&pages(8787)]);
        let mut mixed = first.clone();
        mixed
            .origins
            .insert(1, "http://localhost:3000".parse::<WebOrigin>().unwrap());
        let (first, second, third) = (pages(8787), pages(9000), pages(9001));
        let followed = after(&mixed, &[&first, &second]);
        // Logins created on the old port still work.
        let expected = [
            "http://127.0.0.1:8787",
            "http://localhost:3000",
            "http://localhost:8787",
            "http://[::1]:8787",
            "http://127.0.0.1:9000",
            "http://localhost:9000",
            "http://[::1]:9000",
        ];
        assert_eq!(followed, settings(&expected, Some("localhost:9000")));
        let followed = after(&mixed, &[&first, &second, &second, &third]);
        let expected = [
            "http://localhost:3000",
            "http://127.0.0.1:9000",
            "http://localhost:9000",
            "http://[::1]:9000",
            "http://127.0.0.1:9001",
            "http://localhost:9001",
            "http://[::1]:9001",
        ];
        assert_eq!(followed, settings(&expected, Some("localhost:9001")));
    }

    #[test]
    fn link_host_from_an_operator_stays() {
        let own = settings(&[], Some("login.shop.example"));
        let followed = after(&own, &[&pages(1), &pages(8787)]);
        assert_eq!(followed.link_host, own.link_host);
    }
}
