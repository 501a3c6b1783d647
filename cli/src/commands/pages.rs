//! Lists from the API, page by page.

use futures_util::stream::{Stream, TryStreamExt as _, iter, try_unfold};

use crate::failure::Failure;

/// Number of items in one answer.
pub(super) const PAGE: u32 = 100;

/// Returns all items that match a query. `page` returns the items of one page, and the query for the
/// next one.
pub(super) fn items<Q, T, F>(
    query: Q,
    page: impl Fn(Q) -> F,
) -> impl Stream<Item = Result<T, Failure>>
where
    F: Future<Output = Result<(Vec<T>, Option<Q>), Failure>>,
{
    let pages = try_unfold(Some(query), move |query| {
        let page = query.map(&page);
        async move {
            let Some(page) = page else { return Ok(None) };
            let (items, next) = page.await?;
            Ok::<_, Failure>(Some((iter(items.into_iter().map(Ok)), next)))
        }
    });
    pages.try_flatten()
}
