//! Lists of the API, page by page.

use countersign_domain::primitives::time::Timestamp;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use url::form_urlencoded;

use super::caller::Caller;
use super::web;
use crate::args::PeriodArgs;
use crate::failure::Failure;

/// Number of items in one answer.
const PAGE: usize = 100;

/// A list of the API.
#[derive(Clone, Copy)]
pub(super) struct List {
    path: &'static str,
    /// The member of an answer that holds the items.
    items: &'static str,
}

pub(super) const CONFIRMATIONS: List = List {
    path: "/confirmations",
    items: "confirmations",
};

pub(super) const LOGINS: List = List {
    path: "/qr-sessions",
    items: "sessions",
};

impl PeriodArgs {
    /// Returns the parameters that are given.
    pub(super) fn query(
        &self,
        others: impl IntoIterator<Item = (&'static str, Option<String>)>,
    ) -> Vec<(&'static str, String)> {
        let time = |time: &Option<Timestamp>| time.map(|time| time.to_string());
        let period = [
            ("createdFrom", time(&self.from)),
            ("createdBefore", time(&self.before)),
        ];
        let given = others.into_iter().chain(period);
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// The results of a query, newest first.
pub(super) struct Pages<'a> {
    caller: &'a Caller,
    list: List,
    query: Vec<(&'static str, String)>,
    page: std::vec::IntoIter<Value>,
    is_last: bool,
}

impl<'a> Pages<'a> {
    pub(super) fn of(
        caller: &'a Caller,
        list: List,
        mut query: Vec<(&'static str, String)>,
    ) -> Self {
        query.push(("limit", PAGE.to_string()));
        Self {
            caller,
            list,
            query,
            page: Vec::new().into_iter(),
            is_last: false,
        }
    }

    pub(super) async fn next(&mut self) -> Result<Option<Value>, Failure> {
        loop {
            if let Some(item) = self.page.next() {
                return Ok(Some(item));
            }
            if self.is_last {
                return Ok(None);
            }
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&self.query)
                .finish();
            let path = format!("{}?{query}", self.list.path);
            let url = &self.caller.url;
            let request = || self.caller.request(Method::GET, &path);
            let answer = web::send_within_quota(url, request).await?;
            let mut answer = understood(url, &answer)?;
            let page = answer[self.list.items].take();
            self.page = serde_json::from_value::<Vec<Value>>(page)?.into_iter();
            self.query.retain(|(name, _)| *name != "cursor");
            match answer["nextCursor"].as_str() {
                Some(cursor) => self.query.push(("cursor", cursor.to_owned())),
                None => self.is_last = true,
            }
        }
    }
}

/// Sends a request and returns the JSON of its answer.
pub(super) async fn ask(url: &str, request: RequestBuilder) -> Result<Value, Failure> {
    let answer = web::send(url, request).await?;
    understood(url, &answer)
}

/// Reads an answer of the API.
pub(super) fn understood(
    url: &str,
    (status, text): &(StatusCode, String),
) -> Result<Value, Failure> {
    if !status.is_success() {
        let refusal = web::refusal(url, text);
        return Err(Failure::new(format!("{url} answers {status}: {refusal}")));
    }
    Ok(serde_json::from_str(text)?)
}
