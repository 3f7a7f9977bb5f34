//! The connections, and the ways in which a fault breaks one.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// What still reaches the client.
#[derive(Clone, Copy, Debug, Default)]
enum ConnectionState {
    /// Everything.
    #[default]
    Whole,
    /// The next answer, but for this many bytes at its end.
    WithoutTail(usize),
    /// This many more bytes, then the connection breaks.
    Left(usize),
}

/// The handle by which a request breaks the connection that it came over.
#[derive(Clone, Debug, Default)]
pub(super) struct ConnectionHandle(Arc<Mutex<ConnectionState>>);

impl ConnectionHandle {
    /// Nothing more is sent: the client sees the connection end without an answer.
    pub(super) fn cut(&self) {
        self.set(ConnectionState::Left(0));
    }

    /// The answer is sent without its last bytes, although its head promises them.
    pub(super) fn cut_tail(&self, bytes: usize) {
        self.set(ConnectionState::WithoutTail(bytes));
    }

    fn set(&self, state: ConnectionState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// How many of `length` bytes may go out now.
    fn allowance(&self, length: usize) -> usize {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The whole answer arrives in one write, because this connection does not offer vectored writes.
        if let ConnectionState::WithoutTail(tail) = *state {
            *state = ConnectionState::Left(length.saturating_sub(tail));
        }
        match *state {
            ConnectionState::Left(left) => left.min(length),
            ConnectionState::Whole | ConnectionState::WithoutTail(_) => length,
        }
    }

    fn sent(&self, bytes: usize) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let ConnectionState::Left(left) = &mut *state {
            *left = left.saturating_sub(bytes);
        }
    }
}

/// A listener whose connections can be broken.
pub(super) struct BreakableListener(pub(super) TcpListener);

impl Listener for BreakableListener {
    type Io = BreakableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (BreakableStream, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok((stream, peer)) => {
                    // A small answer must not wait for the client's acknowledgement; without it we are only slower.
                    let _ = stream.set_nodelay(true);
                    return (BreakableStream { stream, wire: ConnectionHandle::default() }, peer);
                }
                // Out of file handles, most likely: others must close first.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, BreakableListener>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, BreakableListener>) -> Self {
        stream.io().wire.clone()
    }
}

/// One connection.
pub(super) struct BreakableStream {
    stream: TcpStream,
    wire: ConnectionHandle,
}

impl AsyncRead for BreakableStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for BreakableStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let allowed = self.wire.allowance(buf.len());
        if allowed == 0 && !buf.is_empty() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, &buf[..allowed]);
        if let Poll::Ready(Ok(bytes)) = written {
            self.wire.sent(bytes);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
