//! The error answers of routes, for their descriptions.

use std::collections::BTreeMap;

use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};

use crate::problem::{CONTENT_TYPE, ProblemCode};

/// Problems of any request.
const ANY: &[ProblemCode] = &[ProblemCode::InternalError, ProblemCode::ServiceUnavailable];

/// Declares `Problems`, the error answers of the route in this file, except the answers that any request
/// may get. Each item is a list of [`ProblemCode`]s. Files with several routes name each of them.
macro_rules! problems {
    ($name:ident: $($codes:expr),+ $(,)?) => {
        /// The error answers of a route.
        pub(crate) struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<
                String,
                utoipa::openapi::RefOr<utoipa::openapi::response::Response>,
            > {
                $crate::schema::problems::responses(&[$($codes),+])
            }
        }
    };
    ($($codes:expr),+ $(,)?) => {
        $crate::schema::problems::problems!(Problems: $($codes),+);
    };
}

pub(crate) use problems;

/// Builds the error answers of a route: one per status, with an example of each problem.
pub(crate) fn responses(lists: &[&[ProblemCode]]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status = BTreeMap::<String, Vec<ProblemCode>>::new();
    for code in [ANY].iter().chain(lists).copied().flatten() {
        let status = code.status().as_str().to_owned();
        let codes = by_status.entry(status).or_default();
        if !codes.contains(code) {
            codes.push(*code);
        }
    }
    let mut responses = BTreeMap::new();
    for (status, codes) in by_status {
        responses.insert(status, RefOr::T(response(&codes)));
    }
    responses
}

fn response(codes: &[ProblemCode]) -> Response {
    let description: Vec<_> = codes
        .iter()
        .map(|code| format!("`{}`: {}.", code.as_str(), code.title()))
        .collect();
    let examples = codes.iter().map(|code| {
        let example = format!("#/components/examples/{}", code.as_str());
        (code.as_str(), RefOr::Ref(Ref::new(example)))
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .examples_from_iter(examples);
    ResponseBuilder::new()
        .description(description.join(" "))
        .content(CONTENT_TYPE, content.build())
        .build()
}
