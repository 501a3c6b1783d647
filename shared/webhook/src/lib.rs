//! shared/webhook
