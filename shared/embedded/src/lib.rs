//! shared/embedded
