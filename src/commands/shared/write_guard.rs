//! Whether a command may run: `read-only`, `confirm` and `mask` of the profile, asked before the first request.

use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::service_address::origin_of;

impl Session {
    /// Refuses where the profile says `read-only`. Every command that writes calls this, or
    /// [`may_write_many`](Self::may_write_many), before it asks the service anything.
    pub fn may_write(&self) -> Result<(), Failure> {
        if !self.settings.read_only.value {
            return Ok(());
        }
        let cause = format!("the profile {} is read-only: nothing was sent", self.profile_name());
        Err(Failure::usage(cause).hint("name another --profile for writing"))
    }

    /// Refuses as [`may_write`](Self::may_write) does, and where the profile has a word to `confirm` asks for it: by
    /// `--confirm`, else on a terminal. For writes to many people, and for removing any. `what` is the verb, `count`
    /// how many people it may concern at most (`None` where the service alone knows).
    pub fn may_write_many(&self, what: &str, count: Option<usize>, project: &ProjectArg) -> Result<(), Failure> {
        self.may_write()?;
        match &self.settings.confirm {
            Some(word) => self.confirmed(&word.value, &self.about_to(what, count, project)),
            None => Ok(()),
        }
    }

    /// The same for a write that concerns the whole workspace and that the API cannot take back.
    pub fn may_write_for_good(&self, what: &str) -> Result<(), Failure> {
        self.may_write()?;
        match &self.settings.confirm {
            Some(word) => self.confirmed(&word.value, &format!("{}: {what}", self.whose())),
            None => Ok(()),
        }
    }

    /// Refuses `what` where people are masked, before anything is sent: it would act on pseudonyms, or show links.
    pub fn refuse_masked(&self, what: &str) -> Result<(), Failure> {
        if !self.settings.mask.value {
            return Ok(());
        }
        let failure = Failure::usage(format!("{what} does not go with --mask: nothing was sent"));
        Err(failure.hint("leave --mask out, or unset `mask` of the profile"))
    }

    fn confirmed(&self, word: &str, about_to: &str) -> Result<(), Failure> {
        let profile = self.profile_name();
        match &self.confirm {
            Some(given) if given == word => return Ok(()),
            Some(_) => {
                let cause = format!("--confirm is not the word of the profile {profile}: nothing was sent");
                return Err(Failure::usage(cause).hint(format!("check that {profile} is the profile that you mean")));
            }
            None => {}
        }
        if !self.console.can_ask() {
            let cause = format!("the profile {profile} asks for a confirmation of this command");
            return Err(Failure::usage(cause).hint(format!("add --confirm {word} if {profile} is meant")));
        }
        match self.console.ask(&format!("{about_to}. Type {word} to go on:")) {
            Some(answer) if answer == word => Ok(()),
            _ => Err(Failure::new(Verdict::Interrupted, "not confirmed: nothing was sent")),
        }
    }

    /// Profile, origin, project and count: what a person must see before a word is typed.
    fn about_to(&self, what: &str, count: Option<usize>, project: &ProjectArg) -> String {
        let project = project.named(self).unwrap_or("that is not named");
        let whom = match count {
            None => "everybody".to_owned(),
            Some(1) => "1 person".to_owned(),
            Some(count) => format!("{count} people"),
        };
        format!("{}, project {project}: {what} {whom}", self.whose())
    }

    fn whose(&self) -> String {
        let origin = self.settings.base_url.as_ref().map(|url| origin_of(&url.value));
        format!("Profile {} ({})", self.profile_name(), origin.as_deref().unwrap_or("no service"))
    }

    fn profile_name(&self) -> &str {
        self.settings.profile.as_ref().map_or("in use", |profile| profile.value.as_str())
    }
}
