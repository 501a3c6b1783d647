//! A file for each route, named like the route's file in `src/routes`.

mod app_links;
mod inbound_sms;
mod logins;
mod phone_numbers;
mod well_known;
mod widget;
