//! Answers to an authorization request: the address to which the browser returns.

use crate::web::redirect_uri::RedirectUri;

/// An error that the client gets (RFC 6749, section 4.1.2.1; `OpenID` Connect Core, section 3.1.2.6).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum ErrorCode {
    InvalidRequest,
    UnsupportedResponseType,
    InvalidScope,
    AccessDenied,
    LoginRequired,
    RequestNotSupported,
    RequestUriNotSupported,
    RegistrationNotSupported,
    /// `OpenID` Connect Core Error Code `unmet_authentication_requirements`, section 2.
    UnmetAuthenticationRequirements,
}

/// A refusal of a request whose client and redirect URI are proven, so that the client gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub redirect_uri: RedirectUri,
    /// The client's value, returned unchanged.
    pub state: Option<String>,
    pub code: ErrorCode,
    /// The cause, in printable ASCII without quotation marks and backslashes (RFC 6749, appendix A.8).
    pub description: &'static str,
}

impl Refusal {
    /// Returns the address to which the browser returns.
    #[must_use]
    pub fn location(&self, issuer: &str) -> String {
        let error = [
            ("error", self.code.into_str()),
            ("error_description", self.description),
        ];
        location(&self.redirect_uri, error, self.state.as_deref(), issuer)
    }
}

/// Returns the redirect URI with an answer, the client's state, and the issuer (RFC 9207).
pub(super) fn location<'a>(
    redirect_uri: &RedirectUri,
    answer: impl IntoIterator<Item = (&'a str, &'a str)>,
    state: Option<&'a str>,
    issuer: &'a str,
) -> String {
    let state = state.map(|state| ("state", state));
    let answer = answer.into_iter().chain(state);
    redirect_uri.with(answer.chain([("iss", issuer)]))
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn client_gets_its_state_and_the_issuer() {
        let refusal = |state: Option<&str>| Refusal {
            redirect_uri: "https://shop.example/callback?a=b".parse().unwrap(),
            state: state.map(str::to_owned),
            code: ErrorCode::AccessDenied,
            description: "the person cancelled",
        };
        assert_eq!(
            refusal(Some("&code=x#")).location("https://id.example"),
            "https://shop.example/callback?a=b&error=access_denied&error_description=the+person+cancelled\
             &state=%26code%3Dx%23&iss=https%3A%2F%2Fid.example"
        );
        assert!(
            !refusal(None)
                .location("https://id.example")
                .contains("state")
        );
    }

    #[test]
    fn codes_are_those_of_the_standards() {
        let codes: Vec<_> = ErrorCode::VARIANTS
            .iter()
            .map(ErrorCode::into_str)
            .collect();
        assert_eq!(
            codes,
            [
                "invalid_request",
                "unsupported_response_type",
                "invalid_scope",
                "access_denied",
                "login_required",
                "request_not_supported",
                "request_uri_not_supported",
                "registration_not_supported",
                "unmet_authentication_requirements",
            ]
        );
    }
}
