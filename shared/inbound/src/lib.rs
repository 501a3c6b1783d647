//! shared/inbound
