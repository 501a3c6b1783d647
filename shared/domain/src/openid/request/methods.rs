//! The ways to log in that answer a request.

use super::Reason;
use crate::app::openid::{SignInMethod, SignInMethods};
use crate::openid::Method;
use crate::openid::answer::ErrorCode;

/// Returns the ways to log in of a page that was sent before pages named them.
pub(super) fn of_earlier_pages() -> Vec<SignInMethod> {
    vec![SignInMethod::Text]
}

/// Returns the ways to log in that the page offers, in its order. Only a text proves a number that the client named. The
/// client's `acr_values` are a wish (`OpenID` Connect Core, section 3.1.2.1): the page offers the ways that give one of them,
/// in the client's order, or all if none does.
///
/// # Errors
/// Fails if no way that the app allows proves the number.
pub(super) fn offered(
    allowed: &SignInMethods,
    names_number: bool,
    acr_values: &str,
) -> Result<Vec<SignInMethod>, Reason> {
    let fits = |method: &SignInMethod| !names_number || *method == SignInMethod::Text;
    let fitting: Vec<_> = allowed.as_slice().iter().copied().filter(fits).collect();
    if fitting.is_empty() {
        return Err((
            ErrorCode::UnmetAuthenticationRequirements,
            "login_hint names a phone number, and this client has no logins by text that could prove it",
        ));
    }
    let place = |method: &SignInMethod| {
        let mut values = acr_values.split(' ');
        values.position(|acr| methods_of(*method).iter().any(|given| given.acr() == acr))
    };
    let mut wished: Vec<_> = fitting
        .iter()
        .copied()
        .filter(|it| place(it).is_some())
        .collect();
    wished.sort_by_key(place);
    Ok(if wished.is_empty() { fitting } else { wished })
}

/// Returns what a person can prove by a way to log in.
const fn methods_of(method: SignInMethod) -> &'static [Method] {
    match method {
        SignInMethod::Text => &[Method::Text, Method::WhatsApp],
        SignInMethod::Code => &[Method::Key],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: SignInMethod = SignInMethod::Text;
    const CODE: SignInMethod = SignInMethod::Code;

    fn list(methods: &[SignInMethod]) -> SignInMethods {
        methods.to_vec().try_into().unwrap()
    }

    #[test]
    fn named_number_can_only_be_proven_by_a_text() {
        let both = list(&[CODE, TEXT]);
        assert_eq!(offered(&both, false, ""), Ok(vec![CODE, TEXT]));
        assert_eq!(offered(&both, true, ""), Ok(vec![TEXT]));
        assert_eq!(offered(&both, true, "urn:countersign:key"), Ok(vec![TEXT]));
        let (error, _) = offered(&list(&[CODE]), true, "").unwrap_err();
        assert_eq!(error, ErrorCode::UnmetAuthenticationRequirements);
    }

    #[test]
    fn client_chooses_among_the_apps_ways() {
        let both = list(&[TEXT, CODE]);
        for (acr_values, expected) in [
            ("urn:countersign:key", vec![CODE]),
            ("urn:countersign:text", vec![TEXT]),
            ("urn:countersign:whatsapp", vec![TEXT]),
            (
                "x urn:countersign:key urn:countersign:text",
                vec![CODE, TEXT],
            ),
            (
                "urn:countersign:whatsapp urn:countersign:key",
                vec![TEXT, CODE],
            ),
            ("urn:countersign:keys  x", vec![TEXT, CODE]),
        ] {
            assert_eq!(
                offered(&both, false, acr_values),
                Ok(expected),
                "{acr_values}"
            );
        }
        assert_eq!(
            offered(&list(&[TEXT]), false, "urn:countersign:key"),
            Ok(vec![TEXT])
        );
    }
}
