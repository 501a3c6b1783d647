#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::CallbackUrlError::{
    AddressForbidden, ForbiddenCharacter, Fragment, HostForbidden, Malformed, NotHttps, Port,
    TooLong, UserInfo,
};
use super::{CallbackHost, CallbackPolicy, CallbackUrl, CallbackUrlError, MAX_BYTES};

mod properties;
mod spellings;

fn deployed(text: &str) -> Result<CallbackUrl, CallbackUrlError> {
    CallbackUrl::parse(text, &CallbackPolicy::deployed())
}

fn local(text: &str) -> Result<CallbackUrl, CallbackUrlError> {
    CallbackUrl::parse(text, &CallbackPolicy::local())
}

#[test]
fn ordinary_url_is_kept_as_it_is() {
    let text = "https://hooks.example.com/phone/verified?tenant=7&x=%2F";
    let url = deployed(text).unwrap();
    assert_eq!(url.as_str(), text);
    assert_eq!(url.as_url().as_str(), text);
    assert_eq!(url.origin(), "https://hooks.example.com:443");
    assert_eq!(url.host(), CallbackHost::Name("hooks.example.com"));
    assert_eq!(url.port(), 443);
}

#[test]
fn one_receiver_has_one_origin_however_it_is_spelt() {
    for (text, normal, origin) in [
        (
            "HTTPS://Example.COM",
            "https://example.com/",
            "https://example.com:443",
        ),
        (
            "https://example.com:443/a",
            "https://example.com/a",
            "https://example.com:443",
        ),
        (
            "https://example.com:0443/a",
            "https://example.com/a",
            "https://example.com:443",
        ),
        (
            "https://example.com./a",
            "https://example.com/a",
            "https://example.com:443",
        ),
        (
            "https://example.com:8443/",
            "https://example.com:8443/",
            "https://example.com:8443",
        ),
        (
            "https://b%C3%BCcher.example/",
            "https://xn--bcher-kva.example/",
            "https://xn--bcher-kva.example:443",
        ),
        (
            "https://bücher.example/ü",
            "https://xn--bcher-kva.example/%C3%BC",
            "https://xn--bcher-kva.example:443",
        ),
        (
            "https://ｅｘａｍｐｌｅ。com/",
            "https://example.com/",
            "https://example.com:443",
        ),
        (
            "https://1.1.1.1/",
            "https://1.1.1.1/",
            "https://1.1.1.1:443",
        ),
        (
            "https://0x01010101/",
            "https://1.1.1.1/",
            "https://1.1.1.1:443",
        ),
        (
            "https://[2606:4700:0::1111]/",
            "https://[2606:4700::1111]/",
            "https://[2606:4700::1111]:443",
        ),
        (
            "https://my_app.example.net/",
            "https://my_app.example.net/",
            "https://my_app.example.net:443",
        ),
    ] {
        let url = deployed(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(url.as_str(), normal, "{text}");
        assert_eq!(url.origin(), origin, "{text}");
    }
}

#[test]
fn schemes_other_than_https_are_refused() {
    for text in [
        "http://example.com/",
        "http://example.com:443/",
        "ftp://example.com/",
        "ws://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "httpss://example.com/",
    ] {
        assert_eq!(deployed(text), Err(NotHttps), "{text}");
    }
}

#[test]
fn text_that_a_forgiving_parser_would_repair_is_refused() {
    for text in [
        "",
        "example.com",
        "example.com/hook",
        "//example.com/hook",
        "/hook",
        "https:example.com",
        "https:/example.com",
        "https:///example.com",
        "https://",
        "https:///",
        "https://?a",
        "https://:443/",
        "https://example.com:port/",
        "https://example.com:65536/",
        "https://example.com:-1/",
        "https://example..com/",
        "https://.example.com/",
        "https://example.com../",
        "https://./",
        "https://../",
        "https://exa%mple.com/",
        "https://exa%20mple.com/",
        "https://exa%00mple.com/",
        "https://a%40b.example.com/",
        "https://-a.example.com/",
        "https://a-.example.com/",
        "https://a*b.example.com/",
        "https://a;b.example.com/",
        "https://[::1/",
        "https://[::1%25lo]/",
        "https://[2606:4700::1111]x/",
        "https://256.1.1.1/",
        "https://1.1.1.1.1/",
        "https://4294967296/",
        "https://example.0x/",
        "https://xn--a.example/",
    ] {
        assert!(
            matches!(deployed(text), Err(Malformed | ForbiddenCharacter)),
            "{text:?}"
        );
    }
    let long_label = format!("https://{}.example.com/", "a".repeat(64));
    assert_eq!(deployed(&long_label), Err(Malformed));
    let long_name = format!("https://{}example.com/", "a.".repeat(122));
    assert_eq!(deployed(&long_name), Err(Malformed));
}

#[test]
fn controls_spaces_invisible_marks_and_backslashes_are_refused_anywhere() {
    let parts = [
        "", "https:", "//", "example", ".com", "/path", "?query=", "1",
    ];
    let forbidden = "\0\t\n\r\u{b}\u{c}\u{1b}\u{7f}\u{85}\u{9f} \u{a0}\u{ad}\u{1680}\u{2003}\
                     \u{200b}\u{200d}\u{200e}\u{2028}\u{2029}\u{202e}\u{202f}\u{205f}\u{2060}\
                     \u{2066}\u{3000}\u{feff}\\";
    for c in forbidden.chars() {
        for at in 0..=parts.len() {
            let text = format!("{}{c}{}", parts[..at].concat(), parts[at..].concat());
            assert_eq!(deployed(&text), Err(ForbiddenCharacter), "{text:?}");
            assert_eq!(local(&text), Err(ForbiddenCharacter), "{text:?}");
        }
    }
    deployed(&parts.concat()).unwrap();
}

#[test]
fn user_information_is_refused_even_when_empty() {
    for text in [
        "https://user@example.com/",
        "https://user:secret@example.com/",
        "https://:secret@example.com/",
        "https://@example.com/",
        "https://:@example.com/",
        "https://example.com@127.0.0.1/",
        "https://127.0.0.1@example.com/",
        "https://a@b@example.com/",
    ] {
        assert_eq!(deployed(text), Err(UserInfo), "{text}");
        assert_eq!(local(text), Err(UserInfo), "{text}");
    }
    deployed("https://example.com/@user?mail=a@b.example").unwrap();
}

#[test]
fn fragment_is_refused_even_when_empty() {
    for text in [
        "https://example.com/#a",
        "https://example.com#",
        "https://example.com/?a#/b",
    ] {
        assert_eq!(deployed(text), Err(Fragment), "{text}");
    }
}

#[test]
fn only_allowed_ports_are_accepted() {
    deployed("https://example.com:8443/").unwrap();
    for port in [0, 1, 22, 80, 444, 8080, 8442, 65535] {
        assert_eq!(
            deployed(&format!("https://example.com:{port}/")),
            Err(Port(port))
        );
    }
    let policy = CallbackPolicy {
        extra_ports: vec![9443],
        ..CallbackPolicy::deployed()
    };
    CallbackUrl::parse("https://example.com:9443/", &policy).unwrap();
    assert_eq!(
        CallbackUrl::parse("https://example.com:9444/", &policy),
        Err(Port(9444))
    );
    // A port allowed for public hosts does not open private ones.
    let inside = CallbackUrl::parse("https://10.0.0.1:9443/", &policy);
    assert!(matches!(inside, Err(AddressForbidden(_))));
}

#[test]
fn names_that_do_not_exist_on_the_internet_are_refused() {
    for name in [
        "localhost",
        "intranet",
        "com",
        "app.localhost",
        "app.internal",
        "metadata.google.internal",
        "printer.local",
        "a.b.localdomain",
        "LOCALHOST",
        "App.Internal",
        "ｌｏｃａｌｈｏｓｔ",
        "local%68ost",
        "app.inter%6eal",
        "app。local",
    ] {
        for dot in ["", "."] {
            let text = format!("https://{name}{dot}/");
            assert_eq!(deployed(&text), Err(HostForbidden), "{text}");
        }
    }
    for name in [
        "internal.example.com",
        "my-local.dev",
        "local.host",
        "notinternal.xinternal",
    ] {
        deployed(&format!("https://{name}/")).unwrap();
    }
}

#[test]
fn length_is_limited_as_written_and_as_normalised() {
    let head = "https://example.com/";
    let longest = format!("{head}{}", "a".repeat(MAX_BYTES - head.len()));
    assert_eq!(deployed(&longest).unwrap().as_str().len(), MAX_BYTES);
    assert_eq!(deployed(&format!("{longest}a")), Err(TooLong));
    // Each of these characters takes two bytes as written, but six when percent-encoded.
    assert_eq!(
        deployed(&format!("{head}{}", "é".repeat(500))),
        Err(TooLong)
    );
}

#[test]
fn local_mode_allows_this_machine_on_any_port_with_or_without_tls() {
    for text in [
        "http://localhost:3000/x",
        "http://localhost/x",
        "https://localhost:9/x",
        "http://LOCALHOST.:3000/x",
        "http://127.0.0.1:3000/x",
        "http://127.9.9.9:3000/x",
        "http://2130706433:3000/x",
        "https://[::1]:3000/x",
        "http://[::1]/x",
    ] {
        let url = local(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(deployed(text).is_err(), "{text}");
        assert!(url.check(&CallbackPolicy::deployed()).is_err(), "{text}");
    }
    assert_eq!(
        local("http://localhost:3000/x").unwrap().origin(),
        "http://localhost:3000"
    );
}

#[test]
fn local_mode_allows_the_names_and_addresses_that_it_was_given() {
    let hosts = ["devbox", "dev.lan", "192.168.1.2", "[fd00::2]"];
    let named = CallbackPolicy {
        local_hosts: hosts.map(str::to_owned).to_vec(),
        ..CallbackPolicy::local()
    };
    for url in [
        "http://devbox:3000/x",
        "http://DevBox:9797/x",
        "http://dev.lan/x",
        "http://192.168.1.2:9797/x",
        "http://[fd00:0::2]:9797/x",
    ] {
        assert!(CallbackUrl::parse(url, &named).is_ok(), "{url}");
        assert!(
            CallbackUrl::parse(url, &CallbackPolicy::local()).is_err(),
            "{url}"
        );
    }
    for url in [
        "http://devbox.evil.example/x",
        "http://a.devbox/x",
        "http://192.168.1.3/x",
        "http://[fd00::3]/x",
        "http://shop.example/x",
    ] {
        assert!(CallbackUrl::parse(url, &named).is_err(), "{url}");
    }
    let deployed = CallbackPolicy {
        allow_loopback_http: false,
        ..named
    };
    assert!(CallbackUrl::parse("http://devbox:3000/x", &deployed).is_err());
}

#[test]
fn local_mode_allows_nothing_else_on_private_networks() {
    assert_eq!(local("http://example.com/"), Err(NotHttps));
    assert_eq!(local("https://example.com:3000/"), Err(Port(3000)));
    assert_eq!(local("http://app.localhost:3000/"), Err(HostForbidden));
    assert_eq!(
        local("http://localhost.example.internal/"),
        Err(HostForbidden)
    );
    for host in ["0.0.0.0", "0", "10.0.0.1", "192.168.1.1", "169.254.169.254"] {
        let refused = local(&format!("http://{host}:3000/"));
        assert!(matches!(refused, Err(AddressForbidden(_))), "{host}");
    }
    for host in [
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::7f00:1]",
        "[fe80::1]",
        "[fd00::1]",
    ] {
        let refused = local(&format!("http://{host}:3000/"));
        assert!(matches!(refused, Err(AddressForbidden(_))), "{host}");
    }
    local("https://example.com/").unwrap();
}

#[test]
fn stored_url_is_parsed_without_a_policy_and_judged_by_the_current_one() {
    let stored = local("http://127.0.0.1:3000/x").unwrap();
    let read = CallbackUrl::from_stored(stored.as_str()).unwrap();
    assert_eq!(read, stored);
    read.check(&CallbackPolicy::local()).unwrap();
    assert!(matches!(
        read.check(&CallbackPolicy::deployed()),
        Err(AddressForbidden(_))
    ));

    let wide = CallbackPolicy {
        extra_ports: vec![9443],
        ..CallbackPolicy::deployed()
    };
    let read = CallbackUrl::from_stored("https://example.com:9443/").unwrap();
    read.check(&wide).unwrap();
    assert_eq!(read.check(&CallbackPolicy::deployed()), Err(Port(9443)));
    assert_eq!(
        CallbackUrl::from_stored("https://user@example.com/"),
        Err(UserInfo)
    );
}

#[test]
fn resolved_loopback_is_refused_even_in_local_mode() {
    for policy in [CallbackPolicy::deployed(), CallbackPolicy::local()] {
        assert!(policy.check_resolved("127.0.0.1".parse().unwrap()).is_err());
        assert!(policy.check_resolved("::1".parse().unwrap()).is_err());
        assert!(
            policy
                .check_resolved("64:ff9b::808:808".parse().unwrap())
                .is_err()
        );
        assert!(policy.check_resolved("8.8.8.8".parse().unwrap()).is_ok());
        let nat64 = CallbackPolicy {
            nat64: true,
            ..policy
        };
        assert!(
            nat64
                .check_resolved("64:ff9b::808:808".parse().unwrap())
                .is_ok()
        );
        assert!(
            nat64
                .check_resolved("64:ff9b::a00:1".parse().unwrap())
                .is_err()
        );
    }
}

#[test]
fn neither_debug_nor_errors_show_path_query_or_user() {
    let url = deployed("https://example.com/secret-path?token=secret-query").unwrap();
    assert_eq!(format!("{url:?}"), "CallbackUrl(https://example.com:443)");
    let error = deployed("https://secret-user:secret@example.com/secret").unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"));
}
