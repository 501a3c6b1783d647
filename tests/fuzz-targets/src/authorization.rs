//! Authorization requests to the OpenID provider. Any website can make a browser send one.

use countersign_conformance::samples;
use countersign_domain::openid::parameters::Parameters;
use countersign_domain::openid::request::{AuthorizationRequest, RequestError};
use url::Url;

const CALLBACK: &str = "https://shop.example/callback";
const ISSUER: &str = "https://id.example";

/// A request leads to a listed redirect URI or nowhere, and the client gets its own state back.
pub(crate) fn requests(input: &[u8]) {
    let mut app = samples::app("shop");
    app.openid.redirect_uris = vec![CALLBACK.parse().unwrap()];
    let parameters = Parameters::parse(input);
    let location = match AuthorizationRequest::parse(&parameters, &app) {
        Ok(request) => {
            assert_eq!(request.redirect_uri.as_str(), CALLBACK);
            assert!(request.challenge.is_some());
            return;
        }
        Err(RequestError::Refused(refusal)) => refusal.location(ISSUER),
        Err(RequestError::Unproven(_)) => return,
    };
    let location = Url::parse(&location).unwrap();
    let place = |url: &Url| (url.origin(), url.path().to_owned());
    assert_eq!(place(&location), place(&CALLBACK.parse().unwrap()));
    assert_eq!(location.fragment(), None);
    let all = |wanted: &str| -> Vec<_> {
        let pairs = location.query_pairs();
        pairs.filter(|(name, _)| name == wanted).collect()
    };
    let state = parameters.get("state").ok().flatten();
    let returned = all("state").into_iter().next().map(|(_, state)| state);
    assert_eq!(returned.as_deref(), state);
    for one in ["error", "error_description", "iss"] {
        assert_eq!(all(one).len(), 1, "{location}");
    }
    assert!(all("code").is_empty(), "{location}");
}
