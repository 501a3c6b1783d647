//! shared/api
