//! The table of problems.

use http::StatusCode;

/// Declares the problems, one row each: variant, code, status and title. One table instead of an
/// enum and three matches, so that no list can miss a problem.
macro_rules! problems {
    ($($(#[$doc:meta])* $variant:ident, $code:literal, $status:ident, $title:literal;)+) => {
        /// The stable code of a problem. `docs/problems.md` says what to do about each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ProblemCode {
            $($(#[$doc])* $variant,)+
        }

        impl ProblemCode {
            /// Every problem.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the stable name: member `code`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Returns the HTTP status.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status,)+ }
            }

            /// Returns a short description that never varies: member `title`.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }
        }
    };
}

problems! {
    /// No route has this path.
    NotFound, "not_found", NOT_FOUND, "There is nothing at this path";
    /// The route does not support this method.
    MethodNotAllowed, "method_not_allowed", METHOD_NOT_ALLOWED, "The path does not support this method";
    /// The request's host is not one of this server's.
    MisdirectedRequest, "misdirected_request", MISDIRECTED_REQUEST, "The server does not answer to this host name";

    /// The target or a header of the request is malformed.
    MalformedRequest, "malformed_request", BAD_REQUEST, "The request is malformed";

    /// No `x-api-key`.
    ApiKeyMissing, "api_key_missing", UNAUTHORIZED, "The API key is missing";
    /// `x-api-key` is not an API key, or is repeated.
    ApiKeyMalformed, "api_key_malformed", UNAUTHORIZED, "The API key is malformed";
    /// No app has this key.
    ApiKeyUnknown, "api_key_unknown", UNAUTHORIZED, "The API key is unknown";
    /// The key was revoked.
    ApiKeyRevoked, "api_key_revoked", UNAUTHORIZED, "The API key was revoked";

    /// A live key was used where only test keys are accepted.
    TestKeyNeeded, "test_key_needed", FORBIDDEN, "Only a test key can do this";

    /// No `x-app-key`.
    AppKeyMissing, "app_key_missing", UNAUTHORIZED, "The app key is missing";
    /// `x-app-key` is not an app key, or is repeated.
    AppKeyMalformed, "app_key_malformed", UNAUTHORIZED, "The app key is malformed";
    /// No app has this key.
    AppKeyUnknown, "app_key_unknown", UNAUTHORIZED, "The app key is unknown";
    /// `x-api-key` was sent together with the credential of a browser or a phone.
    CredentialsAmbiguous, "credentials_ambiguous", BAD_REQUEST, "The request has two kinds of credentials";
    /// No `Authorization` with a bearer token.
    TokenMissing, "token_missing", UNAUTHORIZED, "The bearer token is missing";
    /// The token with which a browser opens a login is not 32 bytes in base64url.
    TokenMalformed, "token_malformed", UNPROCESSABLE_ENTITY, "The bearer token is malformed";
    /// Too many requests from one address were about logins that are not the caller's.
    TooManyMisses, "too_many_misses", TOO_MANY_REQUESTS, "Too many failed requests";
    /// Too many logins were opened from one address.
    TooManySessions, "too_many_sessions", TOO_MANY_REQUESTS, "Too many sessions were opened";
    /// One address has the maximum number of open sockets.
    TooManySockets, "too_many_sockets", TOO_MANY_REQUESTS, "Too many sockets are open";
    /// The app has used up its quota of sessions, keys or redeliveries per minute.
    AppRateExceeded, "app_rate_exceeded", TOO_MANY_REQUESTS, "The app starts too many sessions";
    /// The app has used up its quota of open sessions.
    AppOpenExceeded, "app_open_exceeded", TOO_MANY_REQUESTS, "The app has too many open sessions";
    /// The app has used up its quota of list requests per minute, or has too many in progress.
    AppListsExceeded, "app_lists_exceeded", TOO_MANY_REQUESTS, "The app lists too often";

    /// Pages of this origin may not make this request.
    OriginForbidden, "origin_forbidden", FORBIDDEN, "This origin may not make this request";

    /// The body has more than [`crate::MAX_BODY`] bytes.
    BodyTooLarge, "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// The body did not arrive in time.
    BodyTimeout, "body_timeout", REQUEST_TIMEOUT, "The body did not arrive in time";
    /// The body ended early, or its framing is wrong.
    BodyIncomplete, "body_incomplete", BAD_REQUEST, "The body is incomplete";
    /// The content type is not JSON, or the body has a content encoding.
    UnsupportedContentType, "unsupported_content_type", UNSUPPORTED_MEDIA_TYPE, "The content type is not application/json";
    /// The body is not JSON.
    MalformedJson, "malformed_json", BAD_REQUEST, "The body is not JSON";
    /// The body is JSON but not an object.
    BodyNotObject, "body_not_object", BAD_REQUEST, "The body is not a JSON object";
    /// A member of the body is repeated.
    DuplicateField, "duplicate_field", BAD_REQUEST, "A field appears twice";

    /// `Idempotency-Key` is malformed or repeated.
    IdempotencyKeyMalformed, "idempotency_key_malformed", BAD_REQUEST, "The idempotency key is malformed";
    /// The idempotency key was used with another request in the last 24 hours.
    IdempotencyKeyReused, "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The idempotency key was used with another request";

    /// A required field is absent.
    FieldMissing, "field_missing", UNPROCESSABLE_ENTITY, "A field is missing";
    /// A field has the wrong JSON type.
    FieldWrongType, "field_wrong_type", UNPROCESSABLE_ENTITY, "A field has the wrong type";
    /// A string contains a lone surrogate, so it is not Unicode.
    FieldNotUnicode, "field_not_unicode", UNPROCESSABLE_ENTITY, "A string is not Unicode";

    /// The phone number is not in international form.
    PhoneNumberNotInternational, "phone_number_not_international", UNPROCESSABLE_ENTITY, "The phone number is not in international form";
    /// The phone number does not belong to the country in the request, or is ambiguous.
    PhoneNumberNotNational, "phone_number_not_national", UNPROCESSABLE_ENTITY, "The country has no such phone number";
    /// No such phone number can exist.
    PhoneNumberNotPossible, "phone_number_not_possible", UNPROCESSABLE_ENTITY, "The phone number cannot exist";
    /// The app refuses phone numbers of this type.
    NumberTypeRefused, "number_type_refused", UNPROCESSABLE_ENTITY, "The app refuses phone numbers of this type";

    /// The callback URL is too long.
    CallbackUrlTooLong, "callback_url_too_long", UNPROCESSABLE_ENTITY, "The callback URL is too long";
    /// The callback URL is not a URL, or has user info or a fragment.
    CallbackUrlMalformed, "callback_url_malformed", UNPROCESSABLE_ENTITY, "The callback URL is malformed";
    /// The callback URL is not https.
    CallbackUrlNotHttps, "callback_url_not_https", UNPROCESSABLE_ENTITY, "The callback URL is not https";
    /// The callback URL's port is not allowed.
    CallbackPortForbidden, "callback_port_forbidden", UNPROCESSABLE_ENTITY, "The callback URL's port is not allowed";
    /// The callback URL's host is not on the public Internet.
    CallbackAddressForbidden, "callback_address_forbidden", UNPROCESSABLE_ENTITY, "The callback URL does not lead to a public address";
    /// The app's list of callback origins does not contain this one.
    CallbackOriginNotAllowed, "callback_origin_not_allowed", FORBIDDEN, "The app does not allow callbacks to this origin";

    /// A parameter of a list request does not match the description.
    QueryMalformed, "query_malformed", UNPROCESSABLE_ENTITY, "The query is malformed";
    /// `country` is neither a country nor the beginning of a number.
    CountryMalformed, "country_malformed", UNPROCESSABLE_ENTITY, "The country is malformed";
    /// `language` is not a language tag.
    LanguageMalformed, "language_malformed", UNPROCESSABLE_ENTITY, "The language is malformed";
    /// The metadata is too long.
    MetadataTooLarge, "metadata_too_large", UNPROCESSABLE_ENTITY, "The metadata is too large";
    /// The metadata has too many keys.
    MetadataTooManyKeys, "metadata_too_many_keys", UNPROCESSABLE_ENTITY, "The metadata has too many keys";
    /// The metadata is nested too deeply.
    MetadataTooDeep, "metadata_too_deep", UNPROCESSABLE_ENTITY, "The metadata is nested too deeply";
    /// An object in the metadata has a key twice.
    MetadataDuplicateKey, "metadata_duplicate_key", UNPROCESSABLE_ENTITY, "The metadata contains a key twice";
    /// The metadata has a key that breaks receivers, such as `__proto__`.
    MetadataKeyForbidden, "metadata_key_forbidden", UNPROCESSABLE_ENTITY, "The metadata contains a key that is not allowed";
    /// The metadata has a number that receivers would read as a different number.
    MetadataNumberInexact, "metadata_number_inexact", UNPROCESSABLE_ENTITY, "The metadata contains a number that would lose precision";

    /// The app has no such confirmation.
    ConfirmationNotFound, "confirmation_not_found", NOT_FOUND, "There is no such confirmation";
    /// The confirmation is still open.
    ConfirmationOpen, "confirmation_open", CONFLICT, "The confirmation is still open";
    /// The confirmation was verified.
    ConfirmationVerified, "confirmation_verified", CONFLICT, "The confirmation was verified";
    /// The confirmation expired.
    ConfirmationExpired, "confirmation_expired", CONFLICT, "The confirmation expired";
    /// The confirmation was cancelled.
    ConfirmationCancelled, "confirmation_cancelled", CONFLICT, "The confirmation was cancelled";
    /// The confirmation's personal data was erased.
    ConfirmationRedacted, "confirmation_redacted", CONFLICT, "The confirmation was redacted";
    /// The confirmation's webhook is still pending.
    WebhookOwed, "webhook_owed", CONFLICT, "The webhook is still pending";
    /// The confirmation has no webhook, because the `OpenID` provider started it.
    ConfirmationWithoutWebhook, "confirmation_without_webhook", CONFLICT, "The confirmation has no webhook";
    /// An attempt to deliver the webhook is in progress.
    DeliveryInFlight, "delivery_in_flight", CONFLICT, "A delivery attempt is in progress";

    /// The app does not list the page's origin.
    OriginNotAllowed, "origin_not_allowed", FORBIDDEN, "The app does not list this origin";
    /// A page tried to open a login of an app whose logins come from its server.
    LoginServerOnly, "login_server_only", FORBIDDEN, "Only the app's server may open its logins";
    /// The app has no link host.
    LinkHostMissing, "link_host_missing", CONFLICT, "The app has no link host";
    /// The browser's key is not an uncompressed P-256 point in base64url.
    BrowserKeyMalformed, "browser_key_malformed", UNPROCESSABLE_ENTITY, "The browser's key is malformed";
    /// A page sent a field that only the app's server may send.
    FieldServerOnly, "field_server_only", FORBIDDEN, "Only the app's server may send this field";
    /// The text to approve is too long, or would not look the same on every screen.
    ContextMalformed, "context_malformed", UNPROCESSABLE_ENTITY, "The context is malformed";
    /// The public user id is too long, or has invisible characters.
    PublicUserIdMalformed, "public_user_id_malformed", UNPROCESSABLE_ENTITY, "The public user id is malformed";
    /// The payload is too long.
    PayloadTooLong, "payload_too_long", UNPROCESSABLE_ENTITY, "The payload is too long";
    /// The payload is declared as encrypted but does not have that format.
    PayloadNotSealed, "payload_not_sealed", UNPROCESSABLE_ENTITY, "The payload is not encrypted";
    /// The payload is encrypted although the browser has no key, or readable although it has one.
    PayloadUnsuitable, "payload_unsuitable", UNPROCESSABLE_ENTITY, "The payload's encryption does not fit the session";
    /// The salt is not 16 bytes in base64url.
    SaltMalformed, "salt_malformed", UNPROCESSABLE_ENTITY, "The salt is malformed";
    /// The salt of an encrypted payload was sent beside it, where it is readable.
    SaltExposed, "salt_exposed", UNPROCESSABLE_ENTITY, "The salt belongs inside the encrypted payload";
    /// The proof is not a JWT in compact form, or is too long.
    ProofMalformed, "proof_malformed", UNPROCESSABLE_ENTITY, "The proof is malformed";
    /// The confirmation has no proof, although the login has a context or its app requires proofs.
    ProofRequired, "proof_required", FORBIDDEN, "The session needs a proof to be confirmed";
    /// The proof is invalid, or its key was revoked or is not registered.
    ProofInvalid, "proof_invalid", FORBIDDEN, "The proof is invalid";
    /// The phone specified a different user from the one that the app's server expects.
    UserMismatch, "user_mismatch", FORBIDDEN, "The session is for another user";
    /// The proof's key belongs to a different user from the one that the phone specified or the app's server
    /// expects.
    ProofMismatch, "proof_mismatch", FORBIDDEN, "The proof is another user's";
    /// The denial reason is unknown.
    ReasonUnknown, "reason_unknown", UNPROCESSABLE_ENTITY, "The reason is unknown";
    /// The receipt is not 16 to 32 bytes in base64url.
    ReceiptMalformed, "receipt_malformed", UNPROCESSABLE_ENTITY, "The receipt is malformed";
    /// The check code is not two digits.
    CheckCodeMalformed, "check_code_malformed", UNPROCESSABLE_ENTITY, "The check code is malformed";
    /// The login can only be redeemed with its check code, which is missing.
    CheckCodeRequired, "check_code_required", FORBIDDEN, "The session needs its check code to be redeemed";
    /// The check code is not the one that the phone shows.
    CheckCodeWrong, "check_code_wrong", FORBIDDEN, "The check code is wrong";
    /// The return URL is malformed, or does not have the page's origin.
    ReturnUrlNotAllowed, "return_url_not_allowed", UNPROCESSABLE_ENTITY, "The app may not return to this page";
    /// The return token is not 32 bytes in base64url.
    ReturnTokenMalformed, "return_token_malformed", UNPROCESSABLE_ENTITY, "The return token is malformed";
    /// The app returned to a browser, and this browser does not have the return token.
    ReturnTokenRequired, "return_token_required", FORBIDDEN, "The session needs the token of the return to be redeemed";

    /// No login has this id and this token.
    SessionNotFound, "session_not_found", NOT_FOUND, "There is no such session";
    /// A different browser opened the login, or this one opened it for a different app or page.
    SessionExists, "session_exists", CONFLICT, "Another browser opened this session";
    /// The browser opened the login earlier, and it has ended or expired.
    SessionOver, "session_over", GONE, "The session is over";
    /// Another phone has opened the code.
    SecondPhone, "second_phone", CONFLICT, "Another phone opened the code";
    /// The phone opened the code earlier with a different body.
    SessionInitiatedDifferently, "session_initiated_differently", CONFLICT, "The code was opened with another body";
    /// The login ended before the phone opened it.
    SessionEnded, "session_ended", CONFLICT, "The session has ended";
    /// The login is not confirmed yet.
    SessionNotConfirmed, "session_not_confirmed", CONFLICT, "The session is not confirmed yet";
    /// The login was confirmed.
    SessionConfirmed, "session_confirmed", CONFLICT, "The session was confirmed";
    /// The payload was already redeemed, with a different receipt or too long ago.
    SessionRedeemed, "session_redeemed", CONFLICT, "The payload was already redeemed";
    /// The login ended when its payload was redeemed.
    SessionConsumed, "session_consumed", CONFLICT, "The session ended with its payload redeemed";
    /// The user denied the login.
    SessionDenied, "session_denied", CONFLICT, "The session was denied";
    /// The login was blocked.
    SessionBlocked, "session_blocked", CONFLICT, "The session was blocked";
    /// The browser cancelled the login.
    SessionCancelled, "session_cancelled", CONFLICT, "The session was cancelled";
    /// The login expired.
    SessionExpired, "session_expired", GONE, "The session has expired";
    /// The risk of the login is too high.
    RiskDenied, "risk_denied", FORBIDDEN, "The risk is too high to confirm";

    /// The public user id does not identify a particular user.
    PublicUserIdAnonymous, "public_user_id_anonymous", UNPROCESSABLE_ENTITY, "The public user id is anonymous";
    /// The key is not a P-256 public key in the expected form.
    AssociationKeyMalformed, "association_key_malformed", UNPROCESSABLE_ENTITY, "The association key is malformed";
    /// The app requires proofs, and the registration has no signature by the key.
    KeySignatureMissing, "key_signature_missing", UNPROCESSABLE_ENTITY, "The key's signature is missing";
    /// The signature over app key and public user id was not made by the key.
    KeySignatureFalse, "key_signature_false", UNPROCESSABLE_ENTITY, "The key's signature is false";
    /// The key belongs to another user of the app, or is of another kind.
    AssociationKeyTaken, "association_key_taken", CONFLICT, "The association key is already registered";
    /// The key was revoked, and cannot be registered again.
    AssociationKeyRevoked, "association_key_revoked", CONFLICT, "The association key was revoked";
    /// The user has too many active keys.
    TooManyAssociationKeys, "too_many_association_keys", CONFLICT, "The user has too many association keys";
    /// The app has as many keys as its quota allows, revoked ones included.
    AppAssociationKeysExceeded, "app_association_keys_exceeded", CONFLICT, "The app has too many association keys";
    /// The app has no such key.
    AssociationKeyNotFound, "association_key_not_found", NOT_FOUND, "There is no such association key";

    /// The app has not turned the web authenticator on, or shares its link host.
    WebPhoneOff, "web_phone_off", CONFLICT, "The app has no web authenticator";
    /// The name of a phone is empty, too long or not wholly visible.
    LabelMalformed, "label_malformed", UNPROCESSABLE_ENTITY, "The label is malformed";
    /// The user had too many registrations in the last day.
    TooManyRegistrations, "too_many_registrations", CONFLICT, "The user has too many phone registrations";
    /// No phone registration has this id and this credential.
    RegistrationNotFound, "registration_not_found", NOT_FOUND, "There is no such phone registration";
    /// Another phone has opened the link.
    RegistrationOpened, "registration_opened", CONFLICT, "Another phone opened the link";
    /// The phone shows no digits yet.
    RegistrationNotSigned, "registration_not_signed", CONFLICT, "The phone shows no digits yet";
    /// The phone proved its key with a different request.
    RegistrationSignedDifferently, "registration_signed_differently", CONFLICT, "The phone signed another request";
    /// The phone's key is registered, or is about to be.
    RegistrationCompleted, "registration_completed", CONFLICT, "The phone is set up";
    /// The registration was cancelled.
    RegistrationCancelled, "registration_cancelled", CONFLICT, "The phone registration was cancelled";
    /// The registration ended because of wrong digits or an unsuitable key.
    RegistrationFailed, "registration_failed", CONFLICT, "The phone registration has failed";
    /// The registration expired.
    RegistrationExpired, "registration_expired", GONE, "The phone registration has expired";
    /// The app accepts no keys in the browser's storage.
    PasskeyRequired, "passkey_required", FORBIDDEN, "The app accepts passkeys only";
    /// An assertion, or the id of a passkey, does not have the right form.
    PasskeyMalformed, "passkey_malformed", UNPROCESSABLE_ENTITY, "The passkey's assertion is malformed";
    /// The passkey did not sign this, or not at the link host with the user verified.
    PasskeyFalse, "passkey_false", UNPROCESSABLE_ENTITY, "The passkey's assertion is false";
    /// No user of the app has the passkey.
    PasskeyUnknown, "passkey_unknown", NOT_FOUND, "The app knows no such passkey";

    /// The request that a page of the `OpenID` provider carries is damaged, too old, or another browser's.
    OpenIdRequestInvalid, "openid_request_invalid", BAD_REQUEST, "The page's request is not valid";
    /// The person has not proven who they are.
    OpenIdNotVerified, "openid_not_verified", CONFLICT, "The person is not verified yet";
    /// The key of the phone that confirmed a login for the `OpenID` provider is not registered, or its owner's id cannot be
    /// a subject.
    OpenIdPhoneUnknown, "openid_phone_unknown", FORBIDDEN, "The phone does not log in here";
    /// The browser returned to the client before.
    OpenIdAnswered, "openid_answered", CONFLICT, "The request was answered before";

    /// A provider's call could not be authenticated.
    InboundNotAuthentic, "inbound_not_authentic", UNAUTHORIZED, "The call is not authentic";
    /// A provider's call is authentic, but its timestamp is too far from the current time.
    InboundTooOld, "inbound_too_old", UNAUTHORIZED, "The call's timestamp is too far from now";
    /// A provider's call is authentic but malformed.
    InboundMalformed, "inbound_malformed", BAD_REQUEST, "The call is malformed";

    /// Storage is nearly full, and the rest is reserved for existing sessions.
    StorageLow, "storage_low", SERVICE_UNAVAILABLE, "Storage is almost full";
    /// Storage does not accept writes.
    StorageNotWritable, "storage_not_writable", SERVICE_UNAVAILABLE, "Storage does not accept writes";
    /// An internal error of the service.
    InternalError, "internal_error", INTERNAL_SERVER_ERROR, "Something went wrong in the service";
    /// A service that the API depends on does not answer.
    ServiceUnavailable, "service_unavailable", SERVICE_UNAVAILABLE, "The service is not available";
}

impl ProblemCode {
    /// Returns the member `type`: a relative reference (RFC 9457, section 3.1.1) that leads to the problem's
    /// paragraph, at the service that answered.
    #[must_use]
    pub fn path(self) -> String {
        format!("/problems/{}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_distinct_and_titles_fit_a_line() {
        let codes: BTreeSet<_> = ProblemCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), ProblemCode::ALL.len());
        for code in ProblemCode::ALL {
            let form = |c: u8| c.is_ascii_lowercase() || c == b'_';
            assert!(code.as_str().bytes().all(form), "{code:?}");
            assert!((5..=60).contains(&code.title().len()), "{code:?}");
            assert!(code.status().is_client_error() || code.status().is_server_error());
        }
    }
}
