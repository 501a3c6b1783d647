//! Problem codes from docs/problems.md. A test of this crate compares the two lists.

/// The codes that this version knows. [docs/problems.md](https://github.com/countersign/countersign/blob/main/docs/problems.md)
/// explains each.
pub mod code {
    /// `api_key_malformed`
    pub const API_KEY_MALFORMED: &str = "api_key_malformed";
    /// `api_key_missing`
    pub const API_KEY_MISSING: &str = "api_key_missing";
    /// `api_key_revoked`
    pub const API_KEY_REVOKED: &str = "api_key_revoked";
    /// `api_key_unknown`
    pub const API_KEY_UNKNOWN: &str = "api_key_unknown";
    /// `app_association_keys_exceeded`
    pub const APP_ASSOCIATION_KEYS_EXCEEDED: &str = "app_association_keys_exceeded";
    /// `app_key_malformed`
    pub const APP_KEY_MALFORMED: &str = "app_key_malformed";
    /// `app_key_missing`
    pub const APP_KEY_MISSING: &str = "app_key_missing";
    /// `app_key_unknown`
    pub const APP_KEY_UNKNOWN: &str = "app_key_unknown";
    /// `app_lists_exceeded`
    pub const APP_LISTS_EXCEEDED: &str = "app_lists_exceeded";
    /// `app_open_exceeded`
    pub const APP_OPEN_EXCEEDED: &str = "app_open_exceeded";
    /// `app_rate_exceeded`
    pub const APP_RATE_EXCEEDED: &str = "app_rate_exceeded";
    /// `association_key_malformed`
    pub const ASSOCIATION_KEY_MALFORMED: &str = "association_key_malformed";
    /// `association_key_not_found`
    pub const ASSOCIATION_KEY_NOT_FOUND: &str = "association_key_not_found";
    /// `association_key_revoked`
    pub const ASSOCIATION_KEY_REVOKED: &str = "association_key_revoked";
    /// `association_key_taken`
    pub const ASSOCIATION_KEY_TAKEN: &str = "association_key_taken";
    /// `body_incomplete`
    pub const BODY_INCOMPLETE: &str = "body_incomplete";
    /// `body_not_object`
    pub const BODY_NOT_OBJECT: &str = "body_not_object";
    /// `body_timeout`
    pub const BODY_TIMEOUT: &str = "body_timeout";
    /// `body_too_large`
    pub const BODY_TOO_LARGE: &str = "body_too_large";
    /// `browser_key_malformed`
    pub const BROWSER_KEY_MALFORMED: &str = "browser_key_malformed";
    /// `callback_address_forbidden`
    pub const CALLBACK_ADDRESS_FORBIDDEN: &str = "callback_address_forbidden";
    /// `callback_origin_not_allowed`
    pub const CALLBACK_ORIGIN_NOT_ALLOWED: &str = "callback_origin_not_allowed";
    /// `callback_port_forbidden`
    pub const CALLBACK_PORT_FORBIDDEN: &str = "callback_port_forbidden";
    /// `callback_url_malformed`
    pub const CALLBACK_URL_MALFORMED: &str = "callback_url_malformed";
    /// `callback_url_not_https`
    pub const CALLBACK_URL_NOT_HTTPS: &str = "callback_url_not_https";
    /// `callback_url_too_long`
    pub const CALLBACK_URL_TOO_LONG: &str = "callback_url_too_long";
    /// `check_code_malformed`
    pub const CHECK_CODE_MALFORMED: &str = "check_code_malformed";
    /// `check_code_required`
    pub const CHECK_CODE_REQUIRED: &str = "check_code_required";
    /// `check_code_wrong`
    pub const CHECK_CODE_WRONG: &str = "check_code_wrong";
    /// `confirmation_cancelled`
    pub const CONFIRMATION_CANCELLED: &str = "confirmation_cancelled";
    /// `confirmation_expired`
    pub const CONFIRMATION_EXPIRED: &str = "confirmation_expired";
    /// `confirmation_not_found`
    pub const CONFIRMATION_NOT_FOUND: &str = "confirmation_not_found";
    /// `confirmation_open`
    pub const CONFIRMATION_OPEN: &str = "confirmation_open";
    /// `confirmation_redacted`
    pub const CONFIRMATION_REDACTED: &str = "confirmation_redacted";
    /// `confirmation_verified`
    pub const CONFIRMATION_VERIFIED: &str = "confirmation_verified";
    /// `confirmation_without_webhook`
    pub const CONFIRMATION_WITHOUT_WEBHOOK: &str = "confirmation_without_webhook";
    /// `context_malformed`
    pub const CONTEXT_MALFORMED: &str = "context_malformed";
    /// `country_malformed`
    pub const COUNTRY_MALFORMED: &str = "country_malformed";
    /// `credentials_ambiguous`
    pub const CREDENTIALS_AMBIGUOUS: &str = "credentials_ambiguous";
    /// `delivery_in_flight`
    pub const DELIVERY_IN_FLIGHT: &str = "delivery_in_flight";
    /// `duplicate_field`
    pub const DUPLICATE_FIELD: &str = "duplicate_field";
    /// `field_missing`
    pub const FIELD_MISSING: &str = "field_missing";
    /// `field_not_unicode`
    pub const FIELD_NOT_UNICODE: &str = "field_not_unicode";
    /// `field_server_only`
    pub const FIELD_SERVER_ONLY: &str = "field_server_only";
    /// `field_wrong_type`
    pub const FIELD_WRONG_TYPE: &str = "field_wrong_type";
    /// `idempotency_key_malformed`
    pub const IDEMPOTENCY_KEY_MALFORMED: &str = "idempotency_key_malformed";
    /// `idempotency_key_reused`
    pub const IDEMPOTENCY_KEY_REUSED: &str = "idempotency_key_reused";
    /// `inbound_malformed`
    pub const INBOUND_MALFORMED: &str = "inbound_malformed";
    /// `inbound_not_authentic`
    pub const INBOUND_NOT_AUTHENTIC: &str = "inbound_not_authentic";
    /// `inbound_too_old`
    pub const INBOUND_TOO_OLD: &str = "inbound_too_old";
    /// `internal_error`
    pub const INTERNAL_ERROR: &str = "internal_error";
    /// `key_signature_false`
    pub const KEY_SIGNATURE_FALSE: &str = "key_signature_false";
    /// `key_signature_missing`
    pub const KEY_SIGNATURE_MISSING: &str = "key_signature_missing";
    /// `label_malformed`
    pub const LABEL_MALFORMED: &str = "label_malformed";
    /// `language_malformed`
    pub const LANGUAGE_MALFORMED: &str = "language_malformed";
    /// `link_host_missing`
    pub const LINK_HOST_MISSING: &str = "link_host_missing";
    /// `login_server_only`
    pub const LOGIN_SERVER_ONLY: &str = "login_server_only";
    /// `malformed_json`
    pub const MALFORMED_JSON: &str = "malformed_json";
    /// `malformed_request`
    pub const MALFORMED_REQUEST: &str = "malformed_request";
    /// `metadata_duplicate_key`
    pub const METADATA_DUPLICATE_KEY: &str = "metadata_duplicate_key";
    /// `metadata_key_forbidden`
    pub const METADATA_KEY_FORBIDDEN: &str = "metadata_key_forbidden";
    /// `metadata_number_inexact`
    pub const METADATA_NUMBER_INEXACT: &str = "metadata_number_inexact";
    /// `metadata_too_deep`
    pub const METADATA_TOO_DEEP: &str = "metadata_too_deep";
    /// `metadata_too_large`
    pub const METADATA_TOO_LARGE: &str = "metadata_too_large";
    /// `metadata_too_many_keys`
    pub const METADATA_TOO_MANY_KEYS: &str = "metadata_too_many_keys";
    /// `method_not_allowed`
    pub const METHOD_NOT_ALLOWED: &str = "method_not_allowed";
    /// `misdirected_request`
    pub const MISDIRECTED_REQUEST: &str = "misdirected_request";
    /// `not_found`
    pub const NOT_FOUND: &str = "not_found";
    /// `number_type_refused`
    pub const NUMBER_TYPE_REFUSED: &str = "number_type_refused";
    /// `openid_answered`
    pub const OPENID_ANSWERED: &str = "openid_answered";
    /// `openid_not_verified`
    pub const OPENID_NOT_VERIFIED: &str = "openid_not_verified";
    /// `openid_phone_unknown`
    pub const OPENID_PHONE_UNKNOWN: &str = "openid_phone_unknown";
    /// `openid_request_invalid`
    pub const OPENID_REQUEST_INVALID: &str = "openid_request_invalid";
    /// `origin_forbidden`
    pub const ORIGIN_FORBIDDEN: &str = "origin_forbidden";
    /// `origin_not_allowed`
    pub const ORIGIN_NOT_ALLOWED: &str = "origin_not_allowed";
    /// `passkey_false`
    pub const PASSKEY_FALSE: &str = "passkey_false";
    /// `passkey_malformed`
    pub const PASSKEY_MALFORMED: &str = "passkey_malformed";
    /// `passkey_required`
    pub const PASSKEY_REQUIRED: &str = "passkey_required";
    /// `passkey_unknown`
    pub const PASSKEY_UNKNOWN: &str = "passkey_unknown";
    /// `payload_not_sealed`
    pub const PAYLOAD_NOT_SEALED: &str = "payload_not_sealed";
    /// `payload_too_long`
    pub const PAYLOAD_TOO_LONG: &str = "payload_too_long";
    /// `payload_unsuitable`
    pub const PAYLOAD_UNSUITABLE: &str = "payload_unsuitable";
    /// `phone_number_not_international`
    pub const PHONE_NUMBER_NOT_INTERNATIONAL: &str = "phone_number_not_international";
    /// `phone_number_not_national`
    pub const PHONE_NUMBER_NOT_NATIONAL: &str = "phone_number_not_national";
    /// `phone_number_not_possible`
    pub const PHONE_NUMBER_NOT_POSSIBLE: &str = "phone_number_not_possible";
    /// `proof_invalid`
    pub const PROOF_INVALID: &str = "proof_invalid";
    /// `proof_malformed`
    pub const PROOF_MALFORMED: &str = "proof_malformed";
    /// `proof_mismatch`
    pub const PROOF_MISMATCH: &str = "proof_mismatch";
    /// `proof_required`
    pub const PROOF_REQUIRED: &str = "proof_required";
    /// `public_user_id_anonymous`
    pub const PUBLIC_USER_ID_ANONYMOUS: &str = "public_user_id_anonymous";
    /// `public_user_id_malformed`
    pub const PUBLIC_USER_ID_MALFORMED: &str = "public_user_id_malformed";
    /// `query_malformed`
    pub const QUERY_MALFORMED: &str = "query_malformed";
    /// `reason_unknown`
    pub const REASON_UNKNOWN: &str = "reason_unknown";
    /// `receipt_malformed`
    pub const RECEIPT_MALFORMED: &str = "receipt_malformed";
    /// `registration_cancelled`
    pub const REGISTRATION_CANCELLED: &str = "registration_cancelled";
    /// `registration_completed`
    pub const REGISTRATION_COMPLETED: &str = "registration_completed";
    /// `registration_expired`
    pub const REGISTRATION_EXPIRED: &str = "registration_expired";
    /// `registration_failed`
    pub const REGISTRATION_FAILED: &str = "registration_failed";
    /// `registration_not_found`
    pub const REGISTRATION_NOT_FOUND: &str = "registration_not_found";
    /// `registration_not_signed`
    pub const REGISTRATION_NOT_SIGNED: &str = "registration_not_signed";
    /// `registration_opened`
    pub const REGISTRATION_OPENED: &str = "registration_opened";
    /// `registration_signed_differently`
    pub const REGISTRATION_SIGNED_DIFFERENTLY: &str = "registration_signed_differently";
    /// `return_token_malformed`
    pub const RETURN_TOKEN_MALFORMED: &str = "return_token_malformed";
    /// `return_token_required`
    pub const RETURN_TOKEN_REQUIRED: &str = "return_token_required";
    /// `return_url_not_allowed`
    pub const RETURN_URL_NOT_ALLOWED: &str = "return_url_not_allowed";
    /// `risk_denied`
    pub const RISK_DENIED: &str = "risk_denied";
    /// `salt_exposed`
    pub const SALT_EXPOSED: &str = "salt_exposed";
    /// `salt_malformed`
    pub const SALT_MALFORMED: &str = "salt_malformed";
    /// `second_phone`
    pub const SECOND_PHONE: &str = "second_phone";
    /// `service_unavailable`
    pub const SERVICE_UNAVAILABLE: &str = "service_unavailable";
    /// `session_blocked`
    pub const SESSION_BLOCKED: &str = "session_blocked";
    /// `session_cancelled`
    pub const SESSION_CANCELLED: &str = "session_cancelled";
    /// `session_confirmed`
    pub const SESSION_CONFIRMED: &str = "session_confirmed";
    /// `session_consumed`
    pub const SESSION_CONSUMED: &str = "session_consumed";
    /// `session_denied`
    pub const SESSION_DENIED: &str = "session_denied";
    /// `session_ended`
    pub const SESSION_ENDED: &str = "session_ended";
    /// `session_exists`
    pub const SESSION_EXISTS: &str = "session_exists";
    /// `session_expired`
    pub const SESSION_EXPIRED: &str = "session_expired";
    /// `session_initiated_differently`
    pub const SESSION_INITIATED_DIFFERENTLY: &str = "session_initiated_differently";
    /// `session_not_confirmed`
    pub const SESSION_NOT_CONFIRMED: &str = "session_not_confirmed";
    /// `session_not_found`
    pub const SESSION_NOT_FOUND: &str = "session_not_found";
    /// `session_over`
    pub const SESSION_OVER: &str = "session_over";
    /// `session_redeemed`
    pub const SESSION_REDEEMED: &str = "session_redeemed";
    /// `storage_low`
    pub const STORAGE_LOW: &str = "storage_low";
    /// `storage_not_writable`
    pub const STORAGE_NOT_WRITABLE: &str = "storage_not_writable";
    /// `test_key_needed`
    pub const TEST_KEY_NEEDED: &str = "test_key_needed";
    /// `token_malformed`
    pub const TOKEN_MALFORMED: &str = "token_malformed";
    /// `token_missing`
    pub const TOKEN_MISSING: &str = "token_missing";
    /// `too_many_association_keys`
    pub const TOO_MANY_ASSOCIATION_KEYS: &str = "too_many_association_keys";
    /// `too_many_misses`
    pub const TOO_MANY_MISSES: &str = "too_many_misses";
    /// `too_many_registrations`
    pub const TOO_MANY_REGISTRATIONS: &str = "too_many_registrations";
    /// `too_many_sessions`
    pub const TOO_MANY_SESSIONS: &str = "too_many_sessions";
    /// `too_many_sockets`
    pub const TOO_MANY_SOCKETS: &str = "too_many_sockets";
    /// `unsupported_content_type`
    pub const UNSUPPORTED_CONTENT_TYPE: &str = "unsupported_content_type";
    /// `user_mismatch`
    pub const USER_MISMATCH: &str = "user_mismatch";
    /// `web_phone_off`
    pub const WEB_PHONE_OFF: &str = "web_phone_off";
    /// `webhook_owed`
    pub const WEBHOOK_OWED: &str = "webhook_owed";
}
