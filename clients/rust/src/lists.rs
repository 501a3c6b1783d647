//! Lists of the API, page by page, and which of their items are wanted.

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
    /// The member of an answer that has the items.
    pub(crate) member: &'static str,
    /// The name of an item in errors.
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

    /// Returns all items that fit, page by page.
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

/// Which confirmations to list. All by default.
#[derive(Debug, Clone, Default)]
pub struct ListConfirmations {
    status: Option<ConfirmationStatus>,
    last_digits: Option<String>,
    span: Span,
}

/// Which logins to list. All by default.
#[derive(Debug, Clone, Default)]
pub struct ListLogins {
    state: Option<LoginState>,
    span: Span,
}

/// The parameters that each list has.
#[derive(Debug, Clone, Default)]
struct Span {
    created_from: Option<SystemTime>,
    created_before: Option<SystemTime>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Defines the methods that each list has.
macro_rules! span_setters {
    ($list:ident) => {
        impl $list {
            /// Lists all.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// Lists those that were started at this time or later.
            #[must_use]
            pub fn created_from(mut self, time: SystemTime) -> Self {
                self.span.created_from = Some(time);
                self
            }

            /// Lists those that were started before this time.
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

            /// Begins where a page ended.
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
    /// Lists those with this status.
    #[must_use]
    pub fn status(mut self, status: ConfirmationStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Lists those whose number ends in two to six digits.
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
    /// Lists those in this state.
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
    /// Returns the parameters that are given, after those of one list.
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
