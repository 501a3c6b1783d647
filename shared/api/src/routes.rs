//! The routes, one file per route: path and handler, request and answer schemas, a problem for each
//! way the handler can fail, and the description.

pub(crate) mod app_links;
pub(crate) mod association_keys;
pub(crate) mod authorize_page;
mod html;
pub(crate) mod inbound_sms;
pub(crate) mod logins;
pub(crate) mod openid;
mod page_files;
pub(crate) mod phone_numbers;
pub(crate) mod phone_page;
pub(crate) mod phone_registrations;
pub(crate) mod reference;
mod static_file;
pub(crate) mod well_known;
pub(crate) mod widget;
