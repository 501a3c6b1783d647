//! Explaining the problems that the API answers with.

use countersign_api::problem_paragraph;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Request};
use super::{Admin, AdminError};
use crate::schema::Ours;

/// Shows cause and remedy of a problem of the API, from docs/problems.md.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowProblem {
    /// The member `code` of the problem, such as `callback_url_not_https`
    code: String,
}

/// A problem's section of docs/problems.md.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Explanation {
    /// In Markdown.
    #[schemars(with = "Ours")]
    text: String,
}

impl Answer for Explanation {
    fn text(&self) -> String {
        self.text.trim_end().to_owned()
    }
}

impl Request for ShowProblem {
    const NAME: &'static str = "show_problem";
    type Answer = Explanation;

    async fn execute(self, _: &Admin) -> Result<Explanation, AdminError> {
        let text = problem_paragraph(&self.code).ok_or(AdminError::UnknownProblem)?;
        Ok(Explanation {
            text: text.to_owned(),
        })
    }
}
