//! Why a server's certificate is not accepted, in words: whose it is, and what is wrong with it.

use std::error::Error;
use std::io;

use jiff::Timestamp;
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

/// What is wrong with the certificate, where that is why a connection failed.
pub(super) fn refused_certificate(error: &(dyn Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = certificate_error(error) {
            return Some(describe(found));
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

fn describe(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => "its certificate is signed by nobody whom this machine trusts".to_owned(),
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
        // The verifier keeps this reason to itself but for its name.
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
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
        assert!(refused_certificate(&wrapped).is_some_and(|why| why.contains("signed by nobody")));
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
