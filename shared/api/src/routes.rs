//! The routes, one file each: its path and handler, the schemas of its request and answer, the
//! problem for each way it can fail, and its description.

pub(crate) mod app_links;
pub(crate) mod association_keys;
pub(crate) mod inbound_sms;
pub(crate) mod logins;
pub(crate) mod phone_numbers;
pub(crate) mod reference;
mod static_file;
pub(crate) mod well_known;
pub(crate) mod widget;
