//! Drives the real program from outside: its own sandbox, sockets that answer typed bytes, and a terminal.

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod browser;
#[cfg(test)]
mod campaign;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod completions;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod cron;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod doubts;
#[cfg(test)]
mod exports;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod handouts;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod help;
#[cfg(test)]
mod home;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod leaks;
#[cfg(test)]
mod links_in_bulk;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod pace;
#[cfg(test)]
mod paths;
#[cfg(test)]
mod people;
#[cfg(test)]
mod protection;
#[cfg(test)]
mod pty;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod rehearsals;
#[cfg(test)]
mod retries;
#[cfg(test)]
mod screens;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod shell;
#[cfg(test)]
mod socket;
#[cfg(test)]
mod spreadsheets;
#[cfg(test)]
mod supply;
#[cfg(test)]
mod sweeps;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod transport;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod witness;
#[cfg(test)]
mod witness_sandbox;
#[cfg(test)]
mod words;
