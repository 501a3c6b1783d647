//! The core against the service's own routers, with the model of its store.
