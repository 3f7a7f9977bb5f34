//! The connections: how many there are, how long one waits for its client, and the ways in which a fault breaks one.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

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

/// What keeps clients that are slow, or never ask, from holding the service.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many connections there are at a time; others wait.
    pub connections: usize,
    /// How long a new connection may take until its request is there.
    pub first_request: Duration,
    /// How long a connection may stay after an answer until the next request is there.
    pub next_request: Duration,
}

impl Default for Limits {
    /// Below the thousand open files of most systems, and longer than clients keep idle connections (90 s in ours).
    fn default() -> Self {
        Self { connections: 512, first_request: Duration::from_secs(10), next_request: Duration::from_mins(2) }
    }
}

/// What a connection and the request that came over it tell each other.
#[derive(Debug)]
struct Shared {
    state: ConnectionState,
    /// Until when a request has to be there; `None` while one is worked on.
    deadline: Option<Instant>,
    limits: Limits,
}

/// The handle by which a request breaks the connection that it came over.
#[derive(Clone, Debug)]
pub(super) struct ConnectionHandle(Arc<Mutex<Shared>>);

impl ConnectionHandle {
    fn new(limits: Limits) -> Self {
        let deadline = Some(Instant::now() + limits.first_request);
        Self(Arc::new(Mutex::new(Shared { state: ConnectionState::Whole, deadline, limits })))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing more is sent: the client sees the connection end without an answer.
    pub(super) fn cut(&self) {
        self.shared().state = ConnectionState::Left(0);
    }

    /// The answer is sent without its last bytes, although its head promises them.
    pub(super) fn cut_tail(&self, bytes: usize) {
        self.shared().state = ConnectionState::WithoutTail(bytes);
    }

    /// A request is there and is worked on, for as long as that takes.
    pub(super) fn begin(&self) {
        self.shared().deadline = None;
    }

    /// The answer is ready.
    pub(super) fn end(&self) {
        let mut shared = self.shared();
        shared.deadline = Some(Instant::now() + shared.limits.next_request);
    }

    /// How many of `length` bytes may go out now.
    fn allowance(&self, length: usize) -> usize {
        let mut shared = self.shared();
        // The whole answer arrives in one write, because this connection does not offer vectored writes.
        if let ConnectionState::WithoutTail(tail) = shared.state {
            shared.state = ConnectionState::Left(length.saturating_sub(tail));
        }
        match shared.state {
            ConnectionState::Left(left) => left.min(length),
            ConnectionState::Whole | ConnectionState::WithoutTail(_) => length,
        }
    }

    fn sent(&self, bytes: usize) {
        if let ConnectionState::Left(left) = &mut self.shared().state {
            *left = left.saturating_sub(bytes);
        }
    }
}

/// A listener whose connections can be broken, and that holds only so many.
pub(super) struct BreakableListener {
    listener: TcpListener,
    limits: Limits,
    places: Arc<Semaphore>,
}

impl BreakableListener {
    pub(super) fn new(listener: TcpListener, limits: Limits) -> Self {
        Self { listener, limits, places: Arc::new(Semaphore::new(limits.connections)) }
    }
}

impl Listener for BreakableListener {
    type Io = BreakableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (BreakableStream, SocketAddr) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await;
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    // A small answer must not wait for the client's acknowledgement; without it we are only slower.
                    let _ = stream.set_nodelay(true);
                    let handle = ConnectionHandle::new(self.limits);
                    let alarm = Box::pin(tokio::time::sleep(self.limits.first_request));
                    return (BreakableStream { stream, handle, alarm, _place: place.ok() }, peer);
                }
                // Out of file handles, most likely: others must close first.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, BreakableListener>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, BreakableListener>) -> Self {
        stream.io().handle.clone()
    }
}

/// One connection.
pub(super) struct BreakableStream {
    stream: TcpStream,
    handle: ConnectionHandle,
    /// Wakes the connection when its deadline has come.
    alarm: Pin<Box<Sleep>>,
    /// Its place among those that there may be; nothing where the listener counts no more.
    _place: Option<OwnedSemaphorePermit>,
}

impl BreakableStream {
    /// Ends a wait for the client that has lasted too long.
    fn wait<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let Some(deadline) = self.handle.shared().deadline else { return Poll::Pending };
        if self.alarm.deadline() != deadline {
            self.alarm.as_mut().reset(deadline);
        }
        self.alarm.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for BreakableStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Pending => self.wait(cx),
            ready @ Poll::Ready(_) => ready,
        }
    }
}

impl AsyncWrite for BreakableStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let allowed = self.handle.allowance(buf.len());
        if allowed == 0 && !buf.is_empty() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        match Pin::new(&mut self.stream).poll_write(cx, &buf[..allowed]) {
            Poll::Pending => self.wait(cx),
            Poll::Ready(Ok(bytes)) => {
                self.handle.sent(bytes);
                Poll::Ready(Ok(bytes))
            }
            failed @ Poll::Ready(Err(_)) => failed,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
