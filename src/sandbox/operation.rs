//! The thirteen operations of the specification, with the names by which faults choose them.

use axum::http::Method;
use clap::ValueEnum;

/// One operation of the service. Its kebab-case name is stable: `--fault` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    ListProjects,
    CreateProject,
    GetProject,
    ProjectLink,
    ListTestTakers,
    Enrol,
    Update,
    Remove,
    TestLink,
    ListResults,
    GetResult,
    ListRedirectUris,
    AddRedirectUris,
}

/// What kind of operations a fault can happen to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Any,
    /// Those that answer a page of a list.
    Lists,
    /// Those that answer a page of people.
    People,
    /// Those about one project.
    Project,
    /// The enrolment alone.
    Enrol,
}

impl Operation {
    /// Whether a fault of this scope can happen to the operation.
    pub(super) fn is_in(self, scope: Scope) -> bool {
        let people = matches!(self, Self::ListTestTakers | Self::ListResults);
        match scope {
            Scope::Any => true,
            Scope::Lists => people || matches!(self, Self::ListProjects | Self::ListRedirectUris),
            Scope::People => people,
            Scope::Project => self.route().1.starts_with("/projects/{projectId}"),
            Scope::Enrol => self == Self::Enrol,
        }
    }

    /// Whether the operation changes something, which the read-only key may not do.
    pub(super) fn writes(self) -> bool {
        !self.route().0.is_safe()
    }

    /// How the operation is asked for: method, and path with the specification's names of its parameters.
    pub(super) fn route(self) -> (Method, &'static str) {
        match self {
            Self::ListProjects => (Method::GET, "/projects"),
            Self::CreateProject => (Method::POST, "/projects"),
            Self::GetProject => (Method::GET, "/projects/{projectId}"),
            Self::ProjectLink => (Method::GET, "/projects/{projectId}/get-link"),
            Self::ListTestTakers => (Method::GET, "/projects/{projectId}/testtakers"),
            Self::Enrol => (Method::POST, "/projects/{projectId}/testtakers"),
            Self::Update => (Method::PATCH, "/projects/{projectId}/testtakers/{id}"),
            Self::Remove => (Method::DELETE, "/projects/{projectId}/testtakers/{id}"),
            Self::TestLink => (Method::POST, "/projects/{projectId}/testtakers/{id}/test-link"),
            Self::ListResults => (Method::GET, "/projects/{projectId}/results"),
            Self::GetResult => (Method::GET, "/projects/{projectId}/results/{referenceId}"),
            Self::ListRedirectUris => (Method::GET, "/workspace/redirect-uris"),
            Self::AddRedirectUris => (Method::POST, "/workspace/redirect-uris"),
        }
    }

    /// The operation's stable name.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
