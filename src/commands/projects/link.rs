//! `assessctl projects link`: the link by which people enrol themselves.

use anyhow::Context as _;
use clap::Args;

use crate::commands::projects::ProjectOperand;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::config::Origin;
use crate::model::browser_addresses::check_link;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::qr::Qr;
use crate::output::{Columns, Record, Shape, check_ending, print_now, print_whole, terminal};

/// The service answers bare strings; this names their column.
const LINK: Columns<'static> = Columns::of(&["link"]);

/// Print the link by which people enrol themselves in a project
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&LINK)).with_secrets().printing(JsonShape::Text, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl projects link Demo
  assessctl projects link -p Demo -o json
  assessctl projects link Demo --qr --to poster.svg")]
pub struct LinkProject {
    #[command(flatten)]
    project: ProjectOperand,
    /// Draw it as a QR code: in the terminal, or with --to as an SVG file
    #[arg(long)]
    qr: bool,
}

impl LinkProject {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if self.qr {
            check_picture(session)?;
        }
        session.refuse_masked("the link of a project")?;
        let printer = if self.qr { None } else { Some(session.printer(&LINK, Shape::OneString)?) };
        let client = session.client()?;
        let project = self.project.given().find(session, &client).await?;
        let link = client.project_link(project.id()).await.context("cannot read the project's link")?;
        let text: String = serde_json::from_str(link.get()).context("the project's link is not a text")?;
        check_link(&text)
            .map_err(|why| Failure::new(Verdict::Unforeseen, format!("the service's link is not handed out: {why}")))?;
        if let Some(mut printer) = printer {
            printer.push(Record::Sent(link.get()))?;
            printer.finish()?;
        } else {
            draw(session, &text)?;
        }
        Ok(Verdict::Done)
    }
}

/// Refuses what would be passed over by a picture, and a file that is called after something else.
fn check_picture(session: &Session) -> anyhow::Result<()> {
    let show = &session.show;
    let idle = [
        ("--output", matches!(session.settings.output.origin, Origin::Flag(_))),
        ("--fields", show.fields.is_some()),
        ("--jq", show.jq.is_some()),
        ("--no-header", !show.header),
        ("--excel", show.excel),
    ];
    if let Some((option, _)) = idle.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::usage(format!("{option} does nothing for a QR code")).hint("leave it out").into());
    }
    if let Some(to) = &show.to {
        check_ending(to, "svg")?;
    }
    Ok(())
}

/// Draws a link as a QR code where output goes.
fn draw(session: &Session, link: &str) -> anyhow::Result<()> {
    let qr = Qr::of(link).ok_or_else(|| Failure::new(Verdict::Unforeseen, "the link is too long for a QR code"))?;
    if session.show.to.is_some() {
        return Ok(print_whole(&session.show, "QR code", &qr.svg("QR code of the project link"))?);
    }
    let needed = qr.blocks(false).lines().map(|line| line.chars().count()).max().unwrap_or(0);
    match terminal::terminal_width() {
        Some(width) if width < needed => {
            let cause = format!("the QR code is {needed} columns wide, the terminal {width}");
            Err(Failure::usage(cause).hint("add --to FILE.svg for a picture").into())
        }
        width => {
            print_now(&qr.blocks(session.show.color))?;
            if width.is_none() {
                session.console.note("drawn as text: --to FILE.svg writes a picture");
            }
            Ok(())
        }
    }
}
