//! What a failed request did: certainly nothing, perhaps something, or what it was for.

use super::error::Error;

/// What a failed request did on the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Certainly nothing.
    None,
    /// It may or may not have happened.
    Unknown,
    /// It happened; only the answer cannot be used.
    Done,
}

impl Error {
    /// What this failure proves about the effect of the request (enrolling, rules 6 and 7).
    pub fn effect(&self) -> Effect {
        match self {
            _ if self.is_not_provisioned() => Effect::None,
            Self::Status { status: 408 | 409 | 500.. | ..400, .. } | Self::Lost { .. } => Effect::Unknown,
            Self::Unreadable { .. } | Self::OtherRecord => Effect::Done,
            _ => Effect::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    #[test]
    fn each_status_proves_what_the_documents_say() {
        let status = |status, body: &str| Error::of_status(status, &HeaderMap::new(), body.as_bytes(), &[], "k-1");
        for code in [202, 206, 302, 408, 409, 500, 502, 503, 504, 599] {
            assert_eq!(status(code, "").effect(), Effect::Unknown, "{code}");
        }
        for code in [400, 401, 403, 404, 405, 410, 413, 415, 422, 429] {
            assert_eq!(status(code, "").effect(), Effect::None, "{code}");
        }
        let not_yet = status(409, r#"{"code":"test_taker_not_provisioned","message":"wait"}"#);
        assert_eq!((not_yet.effect(), not_yet.is_temporary()), (Effect::None, false));
        assert_eq!(Error::Unreadable { why: String::new(), is_cut: true }.effect(), Effect::Done);
        assert_eq!(Error::Lost { host: String::new(), why: String::new() }.effect(), Effect::Unknown);
    }
}
