//! Origins, hosts, URLs and IP addresses, and the rules for which of them are safe to call.

pub mod address;
pub mod address_block;
pub mod callback_url;
pub mod link_host;
pub mod origin;
pub mod page_url;
pub mod redirect_uri;
pub mod return_url;
