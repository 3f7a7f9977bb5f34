//! TLS servers with certificates that are not trusted: of no known authority, expired, or for another name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::CertificateParams;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The server; it runs as long as the test process.
pub(crate) struct Server {
    /// Its base URL.
    pub(crate) url: String,
    /// The certificate as a file for `--ca-cert`.
    pub(crate) certificate: String,
    served: Arc<AtomicUsize>,
}

impl Server {
    /// How many connections got as far as a request.
    pub(crate) fn requests(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }
}

/// Starts a server that answers `[]` to everybody who accepts its certificate.
pub(crate) fn untrusted() -> Server {
    serve_with(&CertificateParams::new(["localhost".to_owned()]).expect("a name"))
}

/// The same with an expired certificate.
pub(crate) fn expired() -> Server {
    let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    params.not_before = rcgen::date_time_ymd(2000, 1, 1);
    params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    serve_with(&params)
}

/// The same with a certificate of another host.
pub(crate) fn of_another_name() -> Server {
    serve_with(&CertificateParams::new(["elsewhere.example".to_owned()]).expect("a name"))
}

/// The same with a certificate that may sign others, as a company's own often is.
pub(crate) fn of_an_authority() -> Server {
    authority("localhost", 2999)
}

/// The same as [`of_an_authority`], expired.
pub(crate) fn of_an_expired_authority() -> Server {
    authority("localhost", 2001)
}

/// The same as [`of_an_authority`], of another host.
pub(crate) fn of_an_authority_for_another_name() -> Server {
    authority("elsewhere.example", 2999)
}

fn authority(name: &str, last_year: i32) -> Server {
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.not_before = rcgen::date_time_ymd(2000, 1, 1);
    params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
    serve_with(&params)
}

fn serve_with(params: &CertificateParams) -> Server {
    let (config, certificate) = configuration(params, &[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("https://localhost:{}", listener.local_addr().expect("an address").port());
    let served = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&served);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(serve(listener, TlsAcceptor::from(config), &counter));
    });
    Server { url, certificate, served }
}

/// A configuration with a certificate of these parameters that speaks these protocols, and the certificate as PEM.
fn configuration(params: &CertificateParams, protocols: &[&[u8]]) -> (Arc<ServerConfig>, String) {
    let signing_key = rcgen::KeyPair::generate().expect("a key");
    let cert = params.self_signed(&signing_key).expect("a certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key))
        .expect("a TLS configuration");
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    (Arc::new(config), cert.pem())
}

/// A configuration for `localhost` that speaks HTTP/2 alone, and the certificate for `--ca-cert`.
pub(crate) fn http2() -> (Arc<ServerConfig>, String) {
    configuration(&CertificateParams::new(["localhost".to_owned()]).expect("a name"), &[b"h2"])
}

async fn serve(listener: std::net::TcpListener, acceptor: TlsAcceptor, served: &AtomicUsize) {
    listener.set_nonblocking(true).expect("a listener");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    while let Ok((stream, _)) = listener.accept().await {
        // A client that does not trust the certificate ends the handshake.
        if let Ok(mut stream) = acceptor.accept(stream).await {
            served.fetch_add(usize::from(answer(&mut stream).await), Ordering::SeqCst);
        }
    }
}

/// Answers one request, if the client dares to send one.
async fn answer(stream: &mut tokio_rustls::server::TlsStream<tokio::net::TcpStream>) -> bool {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut request = [0; 8192];
    let Ok(1..) = stream.read(&mut request).await else { return false };
    let reply =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";
    let sent = stream.write_all(reply).await.is_ok();
    sent && stream.shutdown().await.is_ok()
}
