//! TLS servers with certificates of which the test says who they are for and until when; nobody trusts them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::CertificateParams;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The server; it runs as long as the test process.
pub(crate) struct Server {
    /// Where it listens.
    pub(crate) port: u16,
    /// The certificate of the authority that signed its own, as a file for `ca-cert`.
    pub(crate) certificate: String,
    served: Arc<AtomicUsize>,
}

impl Server {
    /// Its base URL under the name that most certificates are for.
    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// How many connections got as far as a request.
    pub(crate) fn requests(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }
}

/// Starts a server that answers `[]` to everybody who accepts its certificate: for this name, from the beginning of one year to
/// that of another.
pub(crate) fn serve(name: &str, years: Range<i32>) -> Server {
    let new_key = || rcgen::KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::new([]).expect("no names");
    authority.distinguished_name.push(rcgen::DnType::CommonName, "The tests' authority");
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let issuer_key = new_key();
    let certificate = authority.self_signed(&issuer_key).expect("a certificate").pem();
    let issuer = rcgen::Issuer::new(authority, issuer_key);
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    params.not_before = rcgen::date_time_ymd(years.start, 1, 1);
    params.not_after = rcgen::date_time_ymd(years.end, 1, 1);
    let key = new_key();
    let own = params.signed_by(&key, &issuer).expect("a certificate");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![own.der().clone()], key))
        .expect("a TLS configuration");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let served = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&served);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(accept(listener, TlsAcceptor::from(Arc::new(config)), &counter));
    });
    Server { port, certificate, served }
}

async fn accept(listener: std::net::TcpListener, acceptor: TlsAcceptor, served: &AtomicUsize) {
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
    let mut request = [0; 8192];
    let Ok(1..) = stream.read(&mut request).await else { return false };
    let reply =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";
    stream.write_all(reply).await.is_ok() && stream.shutdown().await.is_ok()
}
