//! Drives the real program from outside: its own sandbox, sockets that answer typed bytes, and a terminal.

#[cfg(test)]
mod harness;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod paths;
#[cfg(test)]
mod pty;
#[cfg(test)]
mod socket;
