//! Why a server's certificate is not accepted, in words: whose it is, and what is wrong with it.

use std::error::Error;
use std::{fmt, io};

use jiff::Timestamp;
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

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
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = certificate_error(error) {
            return Some(RefusedCertificate { remedy: remedy(found), words: describe(found) });
        }
        cause = error.source();
    }
    None
}

/// An I/O error keeps its content to itself: it is no source.
fn certificate_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a CertificateError> {
    if let Some(rustls::Error::InvalidCertificate(error)) = error.downcast_ref() {
        return Some(error);
    }
    certificate_error(error.downcast_ref::<io::Error>()?.get_ref()?)
}

/// Whether a server showed a certificate that may sign others. The verifier keeps this reason to itself but for its name.
pub(super) fn is_of_an_authority(error: &CertificateError) -> bool {
    format!("{error:?}").contains("CaUsedAsEndEntity")
}

fn remedy(error: &CertificateError) -> CertificateRemedy {
    match error {
        CertificateError::UnknownIssuer => CertificateRemedy::Trust,
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => CertificateRemedy::Renew,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => CertificateRemedy::Name,
        other if is_of_an_authority(other) => CertificateRemedy::Trust,
        _ => CertificateRemedy::Replace,
    }
}

fn describe(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => {
            "its certificate is signed by an authority that this machine does not trust".to_owned()
        }
        CertificateError::Expired => "its certificate has expired".to_owned(),
        CertificateError::ExpiredContext { time, not_after } => {
            format!("its certificate expired at {} (this machine's clock says {})", shown(*not_after), shown(*time))
        }
        CertificateError::NotValidYet => "its certificate is not valid yet".to_owned(),
        CertificateError::NotValidYetContext { time, not_before } => {
            format!("its certificate is valid from {} (this machine's clock says {})", shown(*not_before), shown(*time))
        }
        CertificateError::NotValidForName => "its certificate is for another name".to_owned(),
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            "its certificate is for no name at all".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            // The library writes a name as it would stand in a program.
            let names = presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name));
            format!("its certificate is for another name: {}", names.collect::<Vec<_>>().join(", "))
        }
        CertificateError::Revoked => "its certificate has been revoked".to_owned(),
        other if is_of_an_authority(other) => {
            "its certificate is that of a certificate authority, not of a server".to_owned()
        }
        other => format!("its certificate is not accepted: {other}"),
    }
}

fn shown(time: UnixTime) -> String {
    let seconds = i64::try_from(time.as_secs()).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    seconds.map_or_else(|| "a time far away".to_owned(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
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
        assert_eq!(describe(&expired), expected);
        assert_eq!(shown(at(u64::MAX)), "a time far away");
    }
}
