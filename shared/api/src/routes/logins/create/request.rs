//! The body of `POST /qr-sessions`.

use countersign_domain::login::{BrowserPublicKey, ClaimedUserId, Context};
use countersign_domain::web::return_url::ReturnUrl;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::extract::fields;
use crate::problem::{Problem, ProblemCode};

const ORIGIN: &str = "/origin";
const CONTEXT: &str = "/context";
pub(super) const USER: &str = "/publicUserId";
pub(super) const RETURN_URL: &str = "/returnUrl";

/// Problems of this body.
pub(super) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::FieldMissing,
    ProblemCode::FieldServerOnly,
    ProblemCode::BrowserKeyMalformed,
    ProblemCode::ContextMalformed,
    ProblemCode::PublicUserIdMalformed,
    ProblemCode::PublicUserIdAnonymous,
    ProblemCode::ReturnUrlNotAllowed,
];

/// The body of `POST /qr-sessions`. `null` counts as absent.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateSessionRequest {
    /// The key to encrypt the payload for: an uncompressed P-256 point, 65 bytes in base64url without
    /// padding. Required, unless the app allows logins without a key and there is no `context`.
    #[schema(
        min_length = 87,
        max_length = 87,
        pattern = "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$",
        examples(
            "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"
        )
    )]
    browser_public_key: Option<String>,
    /// Only from the app's server, where it is required: the origin that the phone shows, one of
    /// those that the app lists. Browsers send theirs as the header `Origin`.
    #[schema(examples("https://shop.example"))]
    origin: Option<String>,
    /// Only from the app's server: the text that the user approves. At most 1,024 bytes and 12 lines, in
    /// normalization form C, without characters that are invisible or that reorder others, other than the
    /// line feed. A login with a context can only be confirmed with a proof.
    #[schema(min_length = 1, max_length = 1024, examples("Pay 20 EUR to Zoë"))]
    context: Option<String>,
    /// Only from the app's server: the user who must decide. A phone that specifies another user is refused,
    /// as is a proof by another user's registered key. `ANON` is refused.
    #[schema(
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        examples("person@example.com")
    )]
    public_user_id: Option<String>,
    /// The address of the page, if the user may open the link on the same phone: one of the origin's pages, without a
    /// fragment. After the confirmation, an app with this ability reopens the page with a one-time token, and only
    /// the browser with that token can redeem the payload. Omit it for a session whose code another device scans.
    #[schema(
        max_length = 1024,
        format = "uri",
        pattern = r"^https?://[^\s#]+$",
        examples("https://shop.example/sign-in")
    )]
    return_url: Option<String>,
}

impl CreateSessionRequest {
    /// Parses `browserPublicKey`, if present.
    pub(super) fn browser_key(&self) -> Result<Option<BrowserPublicKey>, Problem> {
        let (at, code) = ("/browserPublicKey", ProblemCode::BrowserKeyMalformed);
        fields::parsed(self.browser_public_key.as_deref(), at, code)
    }

    /// Parses `returnUrl`, if present.
    pub(super) fn return_url(&self) -> Result<Option<ReturnUrl>, Problem> {
        let code = ProblemCode::ReturnUrlNotAllowed;
        fields::parsed(self.return_url.as_deref(), RETURN_URL, code)
    }

    /// Returns `origin`, which is required in a server's request.
    pub(super) fn origin(&self) -> Result<&str, Problem> {
        let detail = "Name the origin that the phone shows, one of those that the app lists.";
        fields::required(self.origin.as_deref(), ORIGIN, detail)
    }

    /// Parses `context` of a server's request, if present.
    pub(super) fn context(&self) -> Result<Option<Context>, Problem> {
        let code = ProblemCode::ContextMalformed;
        fields::parsed(self.context.as_deref(), CONTEXT, code)
    }

    /// Parses `publicUserId` of a server's request, if present.
    pub(super) fn user(&self) -> Result<Option<ClaimedUserId>, Problem> {
        let code = ProblemCode::PublicUserIdMalformed;
        fields::parsed(self.public_user_id.as_deref(), USER, code)
    }

    /// Refuses a page's request with a field that only the app's server may send.
    pub(super) fn refuse_server_fields(&self) -> Result<(), Problem> {
        let members = [
            (&self.origin, ORIGIN),
            (&self.context, CONTEXT),
            (&self.public_user_id, USER),
        ];
        for (member, at) in members {
            if member.is_some() {
                return Err(Problem::new(ProblemCode::FieldServerOnly)
                    .detail("Have the app's server open the login with its API key.")
                    .at(at));
            }
        }
        Ok(())
    }
}
