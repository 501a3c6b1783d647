//! The request that a page carries.
//!
//! Nothing is stored for a page that only shows: a stranger who opens ten thousand costs ten thousand reads. The page
//! carries its request instead, authenticated together with the browser's cookie, so another browser cannot continue it.
//! Everything that follows is derived from both: the code of the text, and the code that the client gets. Repeating a
//! call therefore gives the same answer.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use super::code::AuthorizationCode;
use super::request::AuthorizationRequest;
use super::secret::OpenIdSecret;
use crate::app::code::Code;
use crate::login::OpenIdPage;
use crate::primitives::base64url::Base64Url;
use crate::primitives::entropy::Entropy;
use crate::primitives::time::Timestamp;
use crate::primitives::token::{Holder, Token};

/// Time in which a person can begin on the page.
pub const PAGE_VALIDITY: Duration = Duration::from_mins(5);

/// Time in which the person can return to the client: long enough for a text that was begun at the last moment.
pub const RETURN_VALIDITY: Duration = Duration::from_mins(15);

/// The browser that shows a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {}

impl Holder for Browser {
    const DOMAIN: &'static [u8] = b"countersign/openid/browser/1\0";
    const NAME: &'static str = "BrowserCookie";
}

/// The cookie of the browser that shows a page: random, and known to no other browser.
pub type BrowserCookie = Token<Browser>;

/// A request on its way through a page.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// Distinguishes requests that are otherwise equal.
    #[serde(rename = "i")]
    #[serde_as(as = "Base64Url")]
    id: [u8; 16],
    /// Time at which the page was sent.
    #[serde(rename = "a")]
    pub issued_at: Timestamp,
    #[serde(flatten)]
    pub request: AuthorizationRequest,
}

/// The error for a request that this page cannot continue: it is damaged, too old, or another browser's. Which of them,
/// the answer does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the request is damaged, too old, or another browser's")]
pub struct NotThisPages;

impl PageRequest {
    /// Creates the request of a new page.
    #[must_use]
    pub fn new(request: AuthorizationRequest, entropy: &dyn Entropy, now: Timestamp) -> Self {
        let mut id = [0; 16];
        entropy.fill(&mut id);
        Self {
            id,
            issued_at: now,
            request,
        }
    }

    /// Returns the text that the page carries.
    #[must_use]
    pub fn seal(&self, secret: &OpenIdSecret, browser: &BrowserCookie) -> String {
        // The fields have only string keys, so writing them cannot fail.
        let json = serde_json::to_vec(self).unwrap_or_default();
        let seal = seal(secret, browser, &json);
        format!(
            "{}.{}",
            BASE64_URL_SAFE_NO_PAD.encode(json),
            BASE64_URL_SAFE_NO_PAD.encode(seal)
        )
    }

    /// Reads the text that a page carries, within this time after the page was sent.
    ///
    /// # Errors
    /// Fails if the text is not what the service sent to this browser, or is too old.
    pub fn open(
        text: &str,
        secret: &OpenIdSecret,
        browser: &BrowserCookie,
        validity: Duration,
        now: Timestamp,
    ) -> Result<Self, NotThisPages> {
        let (json, sealed) = text.split_once('.').ok_or(NotThisPages)?;
        let decode = |text: &str| {
            BASE64_URL_SAFE_NO_PAD
                .decode(text)
                .map_err(|_| NotThisPages)
        };
        let (json, sealed) = (decode(json)?, decode(sealed)?);
        if !bool::from(seal(secret, browser, &json).ct_eq(sealed.as_slice())) {
            return Err(NotThisPages);
        }
        let opened: Self = serde_json::from_slice(&json).map_err(|_| NotThisPages)?;
        if now.since(opened.issued_at) < validity {
            Ok(opened)
        } else {
            Err(NotThisPages)
        }
    }

    /// Returns the code of the text that answers the request in this browser.
    #[must_use]
    pub fn text_code(&self, secret: &OpenIdSecret, browser: &BrowserCookie) -> Code {
        let label = b"countersign/openid/text/1";
        Code::from_secret(&secret.authenticate(label, &[&self.id, browser.as_bytes()]))
    }

    /// Returns the mark of the logins that are opened for the request in this browser.
    #[must_use]
    pub fn login_mark(&self, secret: &OpenIdSecret, browser: &BrowserCookie) -> OpenIdPage {
        let label = b"countersign/openid/login/1";
        let parts: [&[u8]; 2] = [&self.id, browser.as_bytes()];
        OpenIdPage::from_bytes(secret.authenticate(label, &parts))
    }

    /// Returns the code for the client. There is one for a request, so the first proof that the person gives answers it.
    #[must_use]
    pub fn authorization_code(
        &self,
        secret: &OpenIdSecret,
        browser: &BrowserCookie,
    ) -> AuthorizationCode {
        let label = b"countersign/openid/code/2";
        let parts: [&[u8]; 2] = [&self.id, browser.as_bytes()];
        AuthorizationCode::from_bytes(secret.authenticate(label, &parts))
    }
}

fn seal(secret: &OpenIdSecret, browser: &BrowserCookie, json: &[u8]) -> [u8; 32] {
    let label = b"countersign/openid/page/1";
    secret.authenticate(label, &[browser.as_bytes(), json])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::openid::SignInMethod;
    use crate::primitives::entropy::FixedEntropy;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn page(state: &str) -> PageRequest {
        let request = AuthorizationRequest {
            client: "cs_app_0000000000000000000002".parse().unwrap(),
            redirect_uri: "https://shop.example/callback".parse().unwrap(),
            state: Some(state.to_owned()),
            nonce: None,
            challenge: None,
            phone: true,
            number: None,
            methods: vec![SignInMethod::Text],
            locales: None,
        };
        PageRequest::new(request, &FixedEntropy(1), NOW)
    }

    fn secret(seed: u8) -> OpenIdSecret {
        OpenIdSecret::generate(&FixedEntropy(seed))
    }

    fn browser(seed: u8) -> BrowserCookie {
        BrowserCookie::generate(&FixedEntropy(seed))
    }

    #[test]
    fn request_opens_only_unchanged_in_its_browser_and_in_time() {
        let page = page("a state");
        let text = page.seal(&secret(1), &browser(1));
        let open = |text: &str, secret, browser, after| {
            let now = NOW.plus(after);
            PageRequest::open(text, &secret, &browser, PAGE_VALIDITY, now)
        };
        let in_time = PAGE_VALIDITY.checked_sub(Duration::from_millis(1)).unwrap();
        assert_eq!(open(&text, secret(1), browser(1), in_time), Ok(page));
        for refused in [
            open(&text, secret(2), browser(1), in_time),
            open(&text, secret(1), browser(2), in_time),
            open(&text, secret(1), browser(1), PAGE_VALIDITY),
        ] {
            assert_eq!(refused, Err(NotThisPages));
        }
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            let refused = open(&changed, secret(1), browser(1), in_time);
            assert_eq!(refused, Err(NotThisPages), "{at}");
        }
        for text in [
            "",
            ".",
            &text[1..],
            &text[..text.len() - 1],
            &format!("{text}A"),
        ] {
            let refused = open(text, secret(1), browser(1), in_time);
            assert_eq!(refused, Err(NotThisPages), "{text}");
        }
    }

    #[test]
    fn codes_depend_on_the_request_the_browser_and_the_secret() {
        let (one, other) = (
            page("a"),
            PageRequest::new(page("a").request, &FixedEntropy(2), NOW),
        );
        let code = one.text_code(&secret(1), &browser(1));
        assert_eq!(code, one.text_code(&secret(1), &browser(1)));
        for different in [
            other.text_code(&secret(1), &browser(1)),
            one.text_code(&secret(2), &browser(1)),
            one.text_code(&secret(1), &browser(2)),
        ] {
            assert_ne!(different, code);
        }
        let answer = |page: &PageRequest, seed| {
            let code = page.authorization_code(&secret(1), &browser(seed));
            code.reveal()
        };
        let codes = [answer(&one, 1), answer(&one, 2), answer(&other, 1)];
        let distinct: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!(distinct.len(), codes.len());
    }

    #[test]
    fn login_belongs_to_one_request_in_one_browser() {
        let (one, other) = (
            page("a"),
            PageRequest::new(page("a").request, &FixedEntropy(2), NOW),
        );
        let mark = one.login_mark(&secret(1), &browser(1));
        assert_eq!(mark, one.login_mark(&secret(1), &browser(1)));
        for different in [
            other.login_mark(&secret(1), &browser(1)),
            one.login_mark(&secret(2), &browser(1)),
            one.login_mark(&secret(1), &browser(2)),
        ] {
            assert_ne!(different, mark);
        }
        assert_eq!(format!("{mark:?}"), "OpenIdPage(…)");
    }
}
