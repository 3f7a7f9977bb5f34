//! Looking at the way to a service step by step, without sending it anything: name, connection, certificate.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error as TlsError, SignatureScheme};
use tokio::net::TcpStream;

/// Time for each step.
const STEP: Duration = Duration::from_secs(10);

/// Looks a host up.
pub async fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    // An address of IPv6 stands in brackets in a URL alone.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let found: Vec<SocketAddr> = in_time(tokio::net::lookup_host((host, port))).await?.collect();
    if found.is_empty() { Err(io::Error::other("the name has no address")) } else { Ok(found) }
}

/// Connects to the first address that answers.
pub async fn connect(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    in_time(TcpStream::connect(addresses)).await
}

/// What a server's certificate says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Who signed it.
    pub issuer: String,
    /// When its time is over.
    pub expires: Timestamp,
}

/// Begins a handshake, keeps the certificate and ends it: nothing is sent, and nothing is trusted.
pub async fn fetch_certificate(host: &str, stream: TcpStream) -> io::Result<Certificate> {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(STEP))?;
    stream.set_write_timeout(Some(STEP))?;
    // The handshake of this library waits; a thread beside ours may.
    let looked = tokio::task::spawn_blocking(move || handshake(host, stream));
    in_time(async { looked.await.map_err(io::Error::other)? }).await
}

fn handshake(host: String, mut stream: std::net::TcpStream) -> io::Result<Certificate> {
    let seen = Arc::new(CertRecorder::default());
    let versions =
        ClientConfig::builder_with_provider(Arc::clone(&seen.provider)).with_safe_default_protocol_versions();
    let config = versions
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::<CertRecorder>::clone(&seen))
        .with_no_client_auth();
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    let refused = connection.complete_io(&mut stream).err();
    let kept = seen.certificate.lock().ok().and_then(|mut kept| kept.take());
    match kept {
        Some(der) => read(&der),
        None => Err(refused.unwrap_or_else(|| io::Error::other("the server showed no certificate"))),
    }
}

async fn in_time<T>(step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    tokio::time::timeout(STEP, step).await.unwrap_or_else(|_| Err(io::Error::other("it took too long")))
}

fn read(der: &[u8]) -> io::Result<Certificate> {
    let wrong = || io::Error::other("the certificate cannot be read");
    let (_, certificate) = x509_parser::parse_x509_certificate(der).map_err(|_| wrong())?;
    let expires = Timestamp::from_second(certificate.validity().not_after.timestamp()).map_err(|_| wrong())?;
    Ok(Certificate { issuer: certificate.issuer().to_string(), expires })
}

/// Keeps the certificate that it is shown and refuses it, whatever it is: no server can become trusted this way.
#[derive(Debug)]
struct CertRecorder {
    provider: Arc<CryptoProvider>,
    certificate: Mutex<Option<Vec<u8>>>,
}

impl Default for CertRecorder {
    fn default() -> Self {
        Self { provider: Arc::new(ring::default_provider()), certificate: Mutex::default() }
    }
}

fn seen_enough() -> TlsError {
    TlsError::General("the certificate has been looked at".into())
}

impl ServerCertVerifier for CertRecorder {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        if let Ok(mut kept) = self.certificate.lock() {
            *kept = Some(certificate.to_vec());
        }
        Err(seen_enough())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Err(seen_enough())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Err(seen_enough())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
