//! The source of a request for rate limits.

use axum::extract::FromRequestParts;
use countersign_domain::web::address_block::{AddressBlock, SitePrefix};
use http::HeaderMap;
use http::header::ORIGIN;
use http::request::Parts;
use sha2::{Digest as _, Sha256};

use crate::problem::{Problem, ProblemCode};
use crate::viewer::Viewer;

/// A hash of `Origin`. All requests without that header share a page.
pub(super) type Page = [u8; 8];

/// The source of a request for rate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    block: AddressBlock,
    site: Option<SitePrefix>,
    page: Page,
}

impl Source {
    /// Returns the source of a request.
    pub(crate) fn new(viewer: &Viewer, headers: &HeaderMap) -> Self {
        let mut page = [0; 8];
        if let Some(origin) = headers.get(ORIGIN) {
            page.copy_from_slice(&Sha256::digest(origin.as_bytes())[..8]);
        }
        Self {
            block: AddressBlock::from_address(viewer.address),
            site: SitePrefix::from_address(viewer.address),
            page,
        }
    }

    /// Returns the IPv4 address, or the IPv6 /64.
    pub(crate) const fn block(&self) -> AddressBlock {
        self.block
    }

    /// Returns the IPv6 /48, unless the address is IPv4.
    pub(super) const fn site(&self) -> Option<SitePrefix> {
        self.site
    }

    /// Returns the page that a browser is on. Programs other than browsers can claim any page.
    pub(super) const fn page(&self) -> Page {
        self.page
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Source {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts.extensions.get().copied().ok_or_else(|| {
            Problem::ours(
                ProblemCode::InternalError,
                "the route is not behind the rate limit of logins",
            )
        })
    }
}
