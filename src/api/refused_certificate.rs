//! Why a server's certificate is not accepted, in words: whose it is, and what is wrong with it.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use jiff::Timestamp;
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

use super::error_causes::causes;

/// A certificate that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCertificate {
    /// What would help.
    pub remedy: CertificateRemedy,
    words: String,
}

impl fmt::Display for RefusedCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// What helps where a certificate is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateRemedy {
    /// Its authority has to be trusted, or the certificate itself.
    Trust,
    /// It has to be renewed, or a clock to be set.
    Renew,
    /// The service has to be asked by the name that it is for.
    Name,
    /// Another certificate is needed.
    Replace,
}

impl CertificateRemedy {
    /// What to do, in words for a person.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Trust => {
                "--ca-cert FILE trusts its authority, or the certificate itself; `assessctl doctor` shows who issued it"
            }
            Self::Renew => "the service needs a new certificate, unless this machine's clock is wrong",
            Self::Name => "use a name that the certificate is for as the base URL's host",
            Self::Replace => "the service needs another certificate: tell those who run it",
        }
    }
}

/// What is wrong with the certificate, where that is why a connection failed.
pub(super) fn refused_certificate(error: &(dyn Error + 'static)) -> Option<RefusedCertificate> {
    causes(error).find_map(|cause| match cause.downcast_ref() {
        Some(rustls::Error::InvalidCertificate(found)) => {
            let (remedy, words) = explain(found);
            Some(RefusedCertificate { remedy, words })
        }
        _ => None,
    })
}

/// Whether a server showed a certificate that may sign others. The verifier keeps this reason to itself but for its name.
pub(super) fn is_of_an_authority(error: &CertificateError) -> bool {
    format!("{error:?}").contains("CaUsedAsEndEntity")
}

/// What helps, and what is wrong in words.
fn explain(error: &CertificateError) -> (CertificateRemedy, String) {
    use CertificateRemedy::{Name, Renew, Replace, Trust};
    let (remedy, words): (_, Cow<'_, str>) = match error {
        CertificateError::UnknownIssuer => (Trust, "is signed by an authority that this machine does not trust".into()),
        CertificateError::Expired => (Renew, "has expired".into()),
        CertificateError::ExpiredContext { time, not_after } => {
            (Renew, format!("expired at {} (this machine's clock says {})", shown(*not_after), shown(*time)).into())
        }
        CertificateError::NotValidYet => (Renew, "is not valid yet".into()),
        CertificateError::NotValidYetContext { time, not_before } => {
            (Renew, format!("is valid from {} (this machine's clock says {})", shown(*not_before), shown(*time)).into())
        }
        CertificateError::NotValidForName => (Name, "is for another name".into()),
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            (Name, "is for no name at all".into())
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            // The library writes a name as it would stand in a program.
            let names = presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name));
            (Name, format!("is for another name: {}", names.collect::<Vec<_>>().join(", ")).into())
        }
        CertificateError::Revoked => (Replace, "has been revoked".into()),
        other if is_of_an_authority(other) => (Trust, "is that of a certificate authority, not of a server".into()),
        other => (Replace, format!("is not accepted: {other}").into()),
    };
    (remedy, format!("its certificate {words}"))
}

fn shown(time: UnixTime) -> String {
    let seconds = i64::try_from(time.as_secs()).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    seconds.map_or_else(|| "a time far away".to_owned(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_refused_certificate_is_found_however_it_is_wrapped() {
        let inner = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let wrapped = io::Error::other(io::Error::other(inner));
        assert!(refused_certificate(&wrapped).is_some_and(|why| why.to_string().contains("does not trust")));
        assert_eq!(refused_certificate(&io::Error::other("else")), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_names_and_times() {
        let at = |seconds| UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        let expired = CertificateError::ExpiredContext { time: at(86_400), not_after: at(0) };
        let expected =
            "its certificate expired at 1970-01-01T00:00:00Z (this machine's clock says 1970-01-02T00:00:00Z)";
        assert_eq!(explain(&expired).1, expected);
        assert_eq!(shown(at(u64::MAX)), "a time far away");
    }
}
