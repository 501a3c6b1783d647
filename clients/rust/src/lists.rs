//! Lists from the API, page by page, and their filters.

use std::time::SystemTime;

use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _, iter, try_unfold};
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::inner::Inner;
use crate::request::{Request, list_member, path_of, read, text_member};
use crate::retry::Limits;
use crate::types::{ConfirmationStatus, LoginState, time};

/// The parameters of a query.
type Query = Vec<(&'static str, String)>;

/// A list of the API.
pub(crate) struct List {
    pub(crate) path: &'static str,
    /// The member of an answer that contains the items.
    pub(crate) member: &'static str,
    /// The name of an item in error messages.
    pub(crate) item: &'static str,
}

pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_cursor: Option<String>,
}

impl List {
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        client: &Inner,
        query: Query,
        limits: Limits,
    ) -> Result<Page<T>, Error> {
        let mut request = Request::get(path_of(&[self.path])?);
        request.query = query;
        let mut answer = client.service.call(request, limits).await?;
        let next_cursor = text_member(&answer, "nextCursor").ok().map(str::to_owned);
        let items = list_member(&mut answer, self.member)?.into_iter();
        Ok(Page {
            items: items
                .map(|item| read(item, self.item))
                .collect::<Result<_, _>>()?,
            next_cursor,
        })
    }

    /// Returns all items that match, page by page.
    pub(crate) fn all<'a, T: DeserializeOwned + Send + 'a>(
        &'static self,
        client: &'a Inner,
        query: Query,
    ) -> BoxStream<'a, Result<T, Error>> {
        let pages = try_unfold(Some(query), move |query| async move {
            let Some(mut query) = query else {
                return Ok(None);
            };
            let page = self.page(client, query.clone(), client.limits()).await?;
            let next = page.next_cursor.map(|cursor| {
                query.retain(|(name, _)| *name != "cursor");
                query.push(("cursor", cursor));
                query
            });
            Ok::<_, Error>(Some((iter(page.items.into_iter().map(Ok)), next)))
        });
        pages.try_flatten().boxed()
    }
}

/// Filters for a list of confirmations; by default, all are listed.
#[derive(Debug, Clone, Default)]
pub struct ListConfirmations {
    status: Option<ConfirmationStatus>,
    last_digits: Option<String>,
    span: Span,
}

/// Filters for a list of logins; by default, all are listed.
#[derive(Debug, Clone, Default)]
pub struct ListLogins {
    state: Option<LoginState>,
    span: Span,
}

/// The parameters common to all lists.
#[derive(Debug, Clone, Default)]
struct Span {
    created_from: Option<SystemTime>,
    created_before: Option<SystemTime>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Defines the methods common to all lists.
macro_rules! span_setters {
    ($list:ident) => {
        impl $list {
            /// Lists all items.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// Lists only items started at this time or later.
            #[must_use]
            pub fn created_from(mut self, time: SystemTime) -> Self {
                self.span.created_from = Some(time);
                self
            }

            /// Lists only items started before this time.
            #[must_use]
            pub fn created_before(mut self, time: SystemTime) -> Self {
                self.span.created_before = Some(time);
                self
            }

            /// Sets the size of a page, from 1 to 100.
            #[must_use]
            pub fn limit(mut self, limit: u32) -> Self {
                self.span.limit = Some(limit);
                self
            }

            /// Starts after the page that returned this cursor.
            #[must_use]
            pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
                self.span.cursor = Some(cursor.into());
                self
            }
        }
    };
}

span_setters!(ListConfirmations);
span_setters!(ListLogins);

impl ListConfirmations {
    /// Lists only confirmations with this status.
    #[must_use]
    pub fn status(mut self, status: ConfirmationStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Lists only confirmations of numbers that end with these two to six digits.
    #[must_use]
    pub fn last_digits(mut self, digits: impl Into<String>) -> Self {
        self.last_digits = Some(digits.into());
        self
    }

    pub(crate) fn members(self) -> Query {
        self.span.members([
            ("status", self.status.map(|status| status.to_string())),
            ("lastDigits", self.last_digits),
        ])
    }
}

impl ListLogins {
    /// Lists only logins in this state.
    #[must_use]
    pub fn state(mut self, state: LoginState) -> Self {
        self.state = Some(state);
        self
    }

    pub(crate) fn members(self) -> Query {
        self.span
            .members([("state", self.state.map(|state| state.to_string()))])
    }
}

impl Span {
    /// Returns the given common parameters, after those specific to one list.
    fn members(self, own: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Query {
        let shared = [
            ("createdFrom", self.created_from.map(time::write)),
            ("createdBefore", self.created_before.map(time::write)),
            ("limit", self.limit.map(|limit| limit.to_string())),
            ("cursor", self.cursor),
        ];
        let given = own.into_iter().chain(shared);
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}
