//! One file per route, named like the route's file in `src/routes`.

mod app_links;
pub(crate) mod association_keys;
mod inbound_sms;
mod logins;
mod phone_numbers;
mod phone_page;
pub(crate) mod providers;
mod reference;
mod well_known;
mod widget;
