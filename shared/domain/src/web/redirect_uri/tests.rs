use proptest::prelude::*;

use super::*;

fn uri(text: &str) -> RedirectUri {
    text.parse().unwrap()
}

#[test]
fn redirect_uri_keeps_its_text() {
    for (text, site) in [
        ("https://shop.example/callback", "shop.example"),
        ("https://shop.example", "shop.example"),
        ("https://shop.example/", "shop.example"),
        (
            "https://shop.example:8443/a/b?from=login",
            "shop.example:8443",
        ),
        ("https://shop.example/a?", "shop.example"),
        ("https://xn--bcher-kva.example/x", "xn--bcher-kva.example"),
        ("https://192.0.2.7/x", "192.0.2.7"),
        ("http://localhost:3000/x", "localhost:3000"),
        ("http://127.0.0.1/x", "127.0.0.1"),
        ("http://[::1]:3000/x", "[::1]:3000"),
        ("com.example.shop:/callback", "com.example.shop"),
        ("com.example.shop://callback", "com.example.shop"),
    ] {
        let uri = uri(text);
        assert_eq!(uri.as_str(), text);
        assert_eq!(uri.site(), site, "{text}");
    }
}

#[test]
fn other_texts_are_refused_with_the_reason() {
    use MalformedRedirectUri::{
        FinalDot, Fragment, Malformed, NotHttps, Pattern, Scheme, TooLong, UserInfo,
    };
    let long = format!("https://shop.example/{}", "a".repeat(MAX_REDIRECT_URI));
    for (bad, reason) in [
        ("", Malformed),
        ("/callback", Malformed),
        ("shop.example/callback", Malformed),
        ("//shop.example/callback", Malformed),
        ("https://", Malformed),
        ("https://shop.example/a b", Malformed),
        ("https://shop.example/\tb", Malformed),
        ("https://bücher.example/", Malformed),
        ("https://*.shop.example/callback", Pattern),
        ("https://shop.example/*", Pattern),
        ("http://shop.example/callback", NotHttps),
        ("http://127.0.0.2/callback", NotHttps),
        ("http://127.0.0.1.shop.example/", NotHttps),
        ("http://localhost.shop.example/", NotHttps),
        ("http://shop.localhost/", NotHttps),
        ("javascript:alert(1)", Scheme),
        ("data:text/html,x", Scheme),
        ("file:///etc/passwd", Scheme),
        ("ftp://shop.example/", Scheme),
        ("shop:/callback", Scheme),
        ("com.example.shop:callback", Scheme),
        ("com..shop:/callback", Scheme),
        ("https://shop.example./callback", FinalDot),
        ("https://a@shop.example/", UserInfo),
        ("https://:b@shop.example/", UserInfo),
        ("https://shop.example%2f@evil.example/", UserInfo),
        ("com.example.shop://a@b/", UserInfo),
        ("https://shop.example/#", Fragment),
        ("com.example.shop:/x#y", Fragment),
        (&long, TooLong),
    ] {
        assert_eq!(bad.parse::<RedirectUri>(), Err(reason), "{bad}");
    }
}

#[test]
fn second_text_for_the_same_page_is_refused_with_the_first() {
    for (bad, normal) in [
        ("https://Shop.example/x", "https://shop.example/x"),
        ("HTTPS://shop.example/x", "https://shop.example/x"),
        ("https://shop.example:443/x", "https://shop.example/x"),
        ("https://shop.example:/x", "https://shop.example/x"),
        (
            "https://shop.example:08443/x",
            "https://shop.example:8443/x",
        ),
        ("https:shop.example/x", "https://shop.example/x"),
        ("https:///shop.example/x", "https://shop.example/x"),
        ("https://shop.example\\x", "https://shop.example/x"),
        ("https://shop.example/a/../x", "https://shop.example/x"),
        ("https://shop.example/a/%2e%2E/x", "https://shop.example/x"),
        ("https://shop.example?a=b", "https://shop.example/?a=b"),
        ("https://@shop.example/x", "https://shop.example/x"),
        ("https://0xc0.0.2.7/", "https://192.0.2.7/"),
        ("http://0x7f.1/x", "http://127.0.0.1/x"),
        ("Com.Example.Shop:/x", "com.example.shop:/x"),
    ] {
        let reason = MalformedRedirectUri::NotNormal(normal.to_owned());
        assert_eq!(bad.parse::<RedirectUri>(), Err(reason), "{bad}");
        assert_eq!(uri(normal).as_str(), normal);
    }
}

#[test]
fn query_has_none_of_the_answers_parameters() {
    for name in OURS {
        let bad = format!("https://shop.example/x?a=b&{name}=1");
        let reason = MalformedRedirectUri::OwnParameter(name);
        assert_eq!(bad.parse::<RedirectUri>(), Err(reason));
    }
    assert!(
        "https://shop.example/x?%63ode=1"
            .parse::<RedirectUri>()
            .is_err()
    );
}

#[test]
fn port_is_left_open_for_loopback_addresses_only() {
    let same = |a: &str, b: &str| uri(a).is_same_but_for_port(&uri(b));
    assert!(same("http://127.0.0.1/x", "http://127.0.0.1:49152/x"));
    assert!(same("http://127.0.0.1:1/x?a=b", "http://127.0.0.1:2/x?a=b"));
    assert!(same("http://[::1]:1/x", "http://[::1]/x"));
    for (a, b) in [
        ("http://127.0.0.1:1/x", "http://127.0.0.1:1/y"),
        ("http://127.0.0.1:1/x", "http://127.0.0.1:1/x?a"),
        ("http://127.0.0.1/x", "http://[::1]/x"),
        ("http://127.0.0.1/x", "http://localhost/x"),
        ("http://localhost:1/x", "http://localhost:2/x"),
        ("https://127.0.0.1:1/x", "https://127.0.0.1:2/x"),
        ("https://shop.example:1/x", "https://shop.example:2/x"),
        ("com.example.shop:/x", "com.example.shop:/x"),
    ] {
        assert!(!same(a, b), "{a} {b}");
    }
}

#[test]
fn answer_is_added_to_the_query() {
    for (text, expected) in [
        (
            "https://shop.example",
            "https://shop.example?code=a&state=b%26c+%C3%A4",
        ),
        (
            "https://shop.example/x?",
            "https://shop.example/x?code=a&state=b%26c+%C3%A4",
        ),
        (
            "https://shop.example/x?y=z",
            "https://shop.example/x?y=z&code=a&state=b%26c+%C3%A4",
        ),
        (
            "com.example.shop:/x",
            "com.example.shop:/x?code=a&state=b%26c+%C3%A4",
        ),
    ] {
        assert_eq!(
            uri(text).with([("code", "a"), ("state", "b&c ä")]),
            expected
        );
    }
}

proptest! {
    /// What a browser reads is the text itself, so no second reading of it exists.
    #[test]
    fn accepted_text_is_what_browsers_write(
        text in "(https?|com\\.a|x)(:/{0,3})([a-zA-Z.@:0-9%\\\\\\[\\]*-]{0,12})(/[a-z./%2eE?#=&\\\\]{0,12})?"
    ) {
        if let Ok(uri) = text.parse::<RedirectUri>() {
            let url = Url::parse(&text).unwrap();
            prop_assert!(url.as_str() == text || url.as_str() == format!("{text}/"), "{}", url);
            prop_assert_eq!(uri.as_str(), text.as_str());
            prop_assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
            if url.scheme() == "https" {
                prop_assert_eq!(url.host_str(), uri.site().rsplit_once(':').map(|s| s.0).or(Some(uri.site())));
            }
        }
    }

    /// The answer never leaves the listed page, whatever it contains.
    #[test]
    fn answer_stays_on_the_page(state in "\\PC{0,40}", query in "(\\?[a-z]=[a-z])?") {
        let uri = uri(&format!("https://shop.example:8443/callback{query}"));
        let answer = Url::parse(&uri.with([("code", "x"), ("state", &state)])).unwrap();
        prop_assert_eq!(answer.host_str(), Some("shop.example"));
        prop_assert_eq!((answer.port(), answer.path()), (Some(8443), "/callback"));
        prop_assert_eq!(answer.fragment(), None);
        let read = answer.query_pairs().find(|(name, _)| name == "state");
        prop_assert_eq!(read.map(|(_, value)| value.into_owned()), Some(state));
    }
}
