//! What a rehearsed failure can be: one table of words, from which parsing, help and the README follow.

use std::str::FromStr;
use std::time::Duration;

use axum::http::StatusCode;

use super::fault_spell::Respelling;
use super::operation::Scope;
use crate::model::time::parse_duration;

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The connection ends before the work is done.
    CloseBefore,
    /// The connection ends after the work was done.
    CloseAfter,
    /// The connection ends at once, and the work is done this much later.
    Late(Duration),
    /// The work waits this long.
    Delay(Duration),
    /// Refused before the work.
    Refuse(StatusCode),
    /// The work is done, and the answer is a 500.
    ErrorAfter,
    /// The work is done, and its answer has another status.
    Status(StatusCode),
    /// The body is shorter than its head promises.
    Truncate,
    /// The body ends in the middle, and its head says that it is whole.
    Cut,
    /// The body's length is not said: the end of the connection ends it.
    Http10,
    /// Before the work a test taker is enrolled, removed or renamed in the project that it is about.
    Move,
    /// Lists of people are this far behind.
    Lag(Duration),
    /// Equal sort keys stand in another order at each request.
    Unordered,
    /// A page has at most so many records, and the next one goes on where it ended.
    Cap(u32),
    /// The page lacks its last records, so many.
    Short(u32),
    /// The page is empty.
    Empty,
    /// Another page is answered: the one of this number.
    Repeat(u32),
    /// Beyond the end the last page is answered again.
    Clamp,
    /// Beyond the end pages are refused with this status.
    End(StatusCode),
    /// Pages that reach beyond so many records are refused.
    Window(u32),
    /// The service keeps what it was sent in another spelling.
    Spell(Vec<Respelling>),
}

/// One word of the table.
pub(super) struct KindWord {
    /// As it is written before `@`; `STATUS` stands for a number.
    word: &'static str,
    /// What follows it, or nothing.
    value: &'static str,
    /// The operations that it can happen to.
    pub(super) scope: Scope,
    /// What it does, for help and documentation.
    pub(super) meaning: &'static str,
    /// The kind that a value makes; `None` where the value is none of those meant.
    make: fn(&str) -> Option<FaultKind>,
}

/// Every word, in the order of help and documentation.
#[rustfmt::skip]
pub(super) const KINDS: [KindWord; 21] = [
    KindWord { word: "close-before", value: "", scope: Scope::Any,
        meaning: "the connection ends before the work is done", make: |v| only(v, FaultKind::CloseBefore) },
    KindWord { word: "close-after", value: "", scope: Scope::Any,
        meaning: "the connection ends after the work was done", make: |v| only(v, FaultKind::CloseAfter) },
    KindWord { word: "late", value: "=TIME", scope: Scope::Any,
        meaning: "the connection ends at once, and the work is done so much later",
        make: |v| time(v).map(FaultKind::Late) },
    KindWord { word: "delay", value: "=TIME", scope: Scope::Any,
        meaning: "the work waits so long", make: |v| time(v).map(FaultKind::Delay) },
    KindWord { word: "STATUS", value: "", scope: Scope::Any,
        meaning: "400 to 599: refused with this status before the work", make: |v| refusal(v).map(FaultKind::Refuse) },
    KindWord { word: "500-after", value: "", scope: Scope::Any,
        meaning: "the work is done, and the answer is a 500", make: |v| only(v, FaultKind::ErrorAfter) },
    KindWord { word: "status", value: "=NUMBER", scope: Scope::Any,
        meaning: "200 to 599: the work is done, and its answer has this status",
        make: |v| status(v, 200).map(FaultKind::Status) },
    KindWord { word: "truncate", value: "", scope: Scope::Any,
        meaning: "the body is shorter than its head promises", make: |v| only(v, FaultKind::Truncate) },
    KindWord { word: "cut", value: "", scope: Scope::Any,
        meaning: "the body ends in the middle, and its head says that it is whole", make: |v| only(v, FaultKind::Cut) },
    KindWord { word: "http10", value: "", scope: Scope::Any,
        meaning: "the body has no length: the end of the connection ends it, also where it is cut",
        make: |v| only(v, FaultKind::Http10) },
    KindWord { word: "move", value: "", scope: Scope::Project,
        meaning: "before the work a test taker is enrolled, removed or renamed", make: |v| only(v, FaultKind::Move) },
    KindWord { word: "lag", value: "=TIME", scope: Scope::People,
        meaning: "the list is so far behind: it lacks who was enrolled since, and has who was removed since",
        make: |v| time(v).map(FaultKind::Lag) },
    KindWord { word: "unordered", value: "", scope: Scope::People,
        meaning: "equal sort keys stand in another order at each request", make: |v| only(v, FaultKind::Unordered) },
    KindWord { word: "cap", value: "=N", scope: Scope::Lists,
        meaning: "a page has at most N records, and the next one goes on where it ended",
        make: |v| count(v).map(FaultKind::Cap) },
    KindWord { word: "short", value: "=N", scope: Scope::Lists,
        meaning: "the page lacks its last N records", make: |v| count(v).map(FaultKind::Short) },
    KindWord { word: "empty", value: "", scope: Scope::Lists,
        meaning: "the page has no records", make: |v| only(v, FaultKind::Empty) },
    KindWord { word: "repeat", value: "=N", scope: Scope::Lists,
        meaning: "page N is answered, whichever was asked for", make: |v| count(v).map(FaultKind::Repeat) },
    KindWord { word: "clamp", value: "", scope: Scope::Lists,
        meaning: "beyond the end the last page is answered again", make: |v| only(v, FaultKind::Clamp) },
    KindWord { word: "end", value: "=STATUS", scope: Scope::Lists,
        meaning: "400 to 599: beyond the end pages are refused with this status",
        make: |v| refusal(v).map(FaultKind::End) },
    KindWord { word: "window", value: "=N", scope: Scope::Lists,
        meaning: "pages that reach beyond N records are refused, whatever is there",
        make: |v| count(v).map(FaultKind::Window) },
    KindWord { word: "spell", value: "=WORD,…", scope: Scope::Enrol,
        meaning: "the service keeps e-mail (nfc, punycode, plus: without its tag, lower), names (nfc, spaces: single ones) \
                  and reference id (upper, cut: its first 8 characters, dropped) in this spelling; echo: its answer \
                  repeats what was sent",
        make: |v| spelling(v).map(FaultKind::Spell) },
];

impl KindWord {
    /// The word with what follows it.
    pub(super) fn syntax(&self) -> String {
        format!("{}{}", self.word, self.value)
    }

    /// The word of the table that stands before `@`, and the kind that its value makes, if it makes one.
    pub(super) fn find(text: &str) -> Option<(&'static Self, Option<FaultKind>)> {
        let (word, value) = match text.split_once('=') {
            Some(pair) => pair,
            None if text.bytes().all(|byte| byte.is_ascii_digit()) => ("STATUS", text),
            None => (text, ""),
        };
        let known = KINDS.iter().find(|kind| kind.word == word)?;
        Some((known, (known.make)(value)))
    }
}

fn only(value: &str, kind: FaultKind) -> Option<FaultKind> {
    value.is_empty().then_some(kind)
}

fn time(value: &str) -> Option<Duration> {
    parse_duration(value).ok()
}

fn count(value: &str) -> Option<u32> {
    value.parse().ok().filter(|count| *count > 0)
}

fn refusal(value: &str) -> Option<StatusCode> {
    status(value, 400)
}

fn status(value: &str, least: u16) -> Option<StatusCode> {
    StatusCode::from_str(value).ok().filter(|status| (least..600).contains(&status.as_u16()))
}

fn spelling(value: &str) -> Option<Vec<Respelling>> {
    value.split(',').map(|word| clap::ValueEnum::from_str(word, false).ok()).collect()
}
