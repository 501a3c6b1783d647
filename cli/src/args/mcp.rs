//! The command line of `countersign mcp`.

use clap::Args;

#[derive(Clone, Copy, Debug, Args)]
#[command(
    after_help = "The assistant starts this command and ends it by closing its standard input. docs/assistants.md shows \
                  how to set up common assistants."
)]
pub(crate) struct McpArgs {
    /// Also show the metadata of confirmations, which may name persons
    #[arg(long)]
    pub(crate) metadata: bool,
}
