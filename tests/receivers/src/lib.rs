//! Tests only: of the samples for languages without a library, and of facts in `docs/webhooks.md`.
