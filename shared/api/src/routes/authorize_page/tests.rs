use strum::VariantArray as _;

use super::*;

const METHODS: &[Method] = &[Method::Text, Method::Code];

fn example() -> AuthorizePage<'static> {
    AuthorizePage {
        texts: Texts::for_language(Language::English),
        request: "sealed.request",
        app_name: "testshop",
        app_key: "cs_app_0123456789012345678901",
        redirect_uri: "https://shop.example:8443/callback",
        methods: METHODS,
        phone: true,
        number_hint: None,
        socket_url: Some("wss://socket.example/live"),
    }
}

fn header(response: &Response, name: &str) -> String {
    let value = response.headers().get(name).unwrap();
    value.to_str().unwrap().to_owned()
}

#[test]
fn page_is_complete_in_every_language() {
    for language in Language::VARIANTS {
        for hint in [None, Some("+49 ••• 67")] {
            let page = AuthorizePage {
                texts: Texts::for_language(*language),
                number_hint: hint,
                ..example()
            };
            let html = page.html();
            for missing in [
                "{{",
                "<p></p>",
                "<title></title>",
                "data-request=\"\"",
                "tabindex=\"-1\"></h2>",
                "></button>",
            ] {
                assert!(!html.contains(missing), "{language:?}: {missing}");
            }
            let tag = format!(
                "<html lang=\"{}\" dir=\"{}\">",
                language.tag(),
                language.direction().as_str()
            );
            assert!(html.contains(&tag), "{language:?}");
            assert_eq!(html.contains("+49 ••• 67"), hint.is_some(), "{language:?}");
        }
    }
}

#[test]
fn page_has_the_methods_of_the_app_in_its_order() {
    for methods in [
        &[Method::Text][..],
        &[Method::Code],
        &[Method::Text, Method::Code],
        &[Method::Code, Method::Text],
    ] {
        let html = AuthorizePage {
            methods,
            ..example()
        }
        .html();
        let at = |method: Method| {
            let element = match method {
                Method::Text => "<countersign-phone",
                Method::Code => "<countersign-login",
            };
            html.find(element)
        };
        let places: Vec<_> = methods.iter().filter_map(|method| at(*method)).collect();
        assert_eq!(places.len(), methods.len());
        assert!(places.is_sorted(), "{methods:?}");
        assert_eq!(html.contains("<fieldset hidden>"), methods.len() == 1);
        assert_eq!(html.matches(" checked>").count(), 1);
        let first = format!("value=\"{}\" checked", methods[0].as_str());
        assert!(html.contains(&first), "{methods:?}");
        let shown = html.matches("class=\"\"").count();
        assert_eq!(
            shown, 2,
            "what the site learns, and the element: {methods:?}"
        );
    }
}

#[test]
fn page_says_what_the_site_learns() {
    let learns = |phone| AuthorizePage { phone, ..example() }.html();
    assert!(learns(true).contains("shop.example:8443 will learn your phone number."));
    assert!(learns(false).contains("shop.example:8443 will not learn your phone number"));
}

#[test]
fn values_are_no_markup_and_no_placeholders() {
    let page = AuthorizePage {
        request: "\"><script>",
        app_name: "<b>{{title}}",
        redirect_uri: "https://<i>",
        number_hint: Some("'\"><u>"),
        ..example()
    };
    let html = page.html();
    for markup in ["<b>", "<i>", "<u>", "\"><script>"] {
        assert!(!html.contains(markup), "{markup}");
    }
    assert!(html.contains("&lt;b&gt;{{title}}"));
}

#[test]
fn page_cannot_be_framed_kept_or_followed_and_runs_only_its_own_files() {
    let response = page(&example());
    assert_eq!(header(&response, "cache-control"), "no-store");
    assert_eq!(header(&response, "referrer-policy"), "no-referrer");
    assert_eq!(header(&response, "x-frame-options"), "DENY");
    let policy = header(&response, "content-security-policy");
    for part in [
        "default-src 'none'",
        "script-src 'self';",
        "style-src 'self';",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{part}");
    }
    assert!(policy.ends_with("connect-src 'self' wss://socket.example"));
    let alone = AuthorizePage {
        socket_url: None,
        ..example()
    };
    assert!(header(&page(&alone), "content-security-policy").ends_with("connect-src 'self'"));
    let html = example().html();
    assert!(!html.contains("<style") && !html.contains("style=") && !html.contains("<script>"));
}

#[test]
fn language_is_the_first_of_the_request_then_of_the_browser() {
    let mut headers = HeaderMap::new();
    headers.insert("accept-language", HeaderValue::from_static("fr, de;q=0.5"));
    for (asked, expected) in [
        (Some("nl ja-JP ar"), Language::Japanese),
        (Some("AR"), Language::Arabic),
        (Some("nl"), Language::French),
        (Some(""), Language::French),
        (None, Language::French),
    ] {
        assert_eq!(language(asked, &headers).language(), expected, "{asked:?}");
    }
    let english = language(None, &HeaderMap::new());
    assert_eq!(english.language(), Language::English);
}

#[test]
fn refusal_says_what_to_change() {
    let texts = Texts::for_language(Language::English);
    for (reason, expected) in [
        (Refusal::UnknownClient, "client_id"),
        (Refusal::RedirectUriMissing, "redirect_uri is missing"),
        (Refusal::RedirectUriNotListed, "--add-redirect-uri URL"),
        (
            Refusal::LogoutUriNotListed,
            "--add-post-logout-redirect-uri URL",
        ),
        (Refusal::Repeated("state"), "parameter state occurs"),
        (Refusal::Malformed, "application/x-www-form-urlencoded"),
    ] {
        let html = notice::refusal_html(texts, reason);
        assert!(html.contains(expected), "{reason:?}: {html}");
        assert!(
            !html.contains("{{") && html.contains("id=\"openid-error\""),
            "{reason:?}"
        );
        let response = refusal(texts, reason);
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        assert!(header(&response, "content-security-policy").contains("frame-ancestors 'none'"));
    }
    assert_eq!(logged_out(texts).status(), StatusCode::OK);
}
