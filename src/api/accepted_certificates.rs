//! Which certificates are accepted: those of the platform's verifier, and a server's own that was given by hand.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::refused_certificate::is_of_an_authority;

/// TLS that trusts what the platform trusts and the certificates of a PEM file, which `pem` holds.
pub(super) fn tls(pem: &[u8]) -> Result<ClientConfig, Error> {
    let given: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let given = given.map_err(|_| Error::General("the certificates in the file cannot be read".to_owned()))?;
    let provider = Arc::new(ring::default_provider());
    let platform = Verifier::new_with_extra_roots(given.clone(), Arc::clone(&provider))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(WithOwn { platform, given }))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The platform's verifier, with one more case that `curl --cacert` accepts: the server shows the very certificate that
/// was given, and that is marked as an authority's, as `openssl req -x509` marks what it makes.
#[derive(Debug)]
struct WithOwn {
    platform: Verifier,
    given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for WithOwn {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.platform.verify_server_cert(shown, others, name, ocsp, now) {
            Err(Error::InvalidCertificate(why)) if is_of_an_authority(&why) && self.given.contains(shown) => {
                // The verifier looks at the dates before it looks at this mark, and at the name after it.
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.platform.supported_verify_schemes()
    }
}
