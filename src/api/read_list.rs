//! Reading lists: fetches the pages that the pure machines for walking, counting and comparing ask for.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::{self, FuturesOrdered};

use super::client::Client;
use super::count_proof::{Count, CountProof, Step};
use super::error::Error;
use super::list_builder::{ListBuilder, VerifiedList};
use super::list_record::{Listed, Parameter, Read, SentJson, keyed, parsed};
use super::page_walk::{PageRequest, PageResult, Walk, WalkFault};
use super::record_key::RecordKey;
use super::rejection::Rejection;
use super::retries::backoff;
use super::seen_records::KeySet;
use super::send::Request;
use super::success_body::SuccessBody;
use super::url_path::Segment;
use super::whole_list::{Convergence, Mode, NextStep};
use crate::model::list_query::PAGE_SIZE_MAX;

/// Look-ups under way at once.
const LOOK_UPS_AT_A_TIME: usize = 8;

/// A list that can be read.
pub struct Listing<'a, T: Listed> {
    client: &'a Client,
    path: Vec<Segment<'a>>,
    query: Vec<Parameter>,
    page_size: u32,
    mode: Mode,
    records: PhantomData<T>,
}

impl<'a, T: Listed> Listing<'a, T> {
    pub(super) fn new(client: &'a Client, path: Vec<Segment<'a>>, query: Vec<Parameter>) -> Self {
        Self { client, path, query, page_size: PAGE_SIZE_MAX, mode: Mode::Verified, records: PhantomData }
    }

    /// Sets the size of the pages (1 to 100).
    #[must_use]
    pub fn page_size(self, size: u32) -> Self {
        Self { page_size: size.clamp(1, PAGE_SIZE_MAX), ..self }
    }

    /// How thoroughly [`verified`](Self::verified) reads: a single time where `once`.
    #[must_use]
    pub fn single_walk(self, once: bool) -> Self {
        Self { mode: if once { Mode::Once } else { Mode::Verified }, ..self }
    }

    /// One page of the list, counted from 1.
    pub async fn page(&self, number: u32) -> Result<Vec<Read<T>>, Error> {
        parsed(&self.fetch(number, self.page_size, &self.query).await?)
    }

    /// Looks people or projects up by a query that names one: one walk into memory, which proves nothing.
    pub async fn look_up(&self) -> Result<Vec<Read<T>>, Error> {
        let (mut all, mut seen) = (Vec::new(), KeySet::default());
        let mut walk = Walk::new(self.page_size, 0, self.client.max_records);
        let take = |page: &SuccessBody| {
            let before = all.len();
            all.extend(keyed(parsed(page)?).filter(|(key, _)| seen.add(key)).map(|(_, read)| read));
            Ok::<_, Error>(ControlFlow::Continue(all.len() - before))
        };
        // `take` never breaks off.
        _ = self.walk(&mut walk, take).await?;
        Ok(all)
    }

    /// Reads the whole list: walked until its count and another walk agree. Memory stays flat. `walk_order` keeps the
    /// order of the walks; else the list is sorted by its key.
    pub async fn verified(&self, walk_order: bool) -> Result<VerifiedList, Error> {
        // A list that is never stopped ends whole or with an error.
        self.verified_while(walk_order, |_, _| true).await?.ok_or(Error::Unverified)
    }

    /// Reads the whole list into memory, [verified](Self::verified) and in the order of its walks.
    pub async fn all(&self) -> Result<Vec<Read<T>>, Error> {
        let mut all = Vec::new();
        self.verified(true).await?.each(|sent| {
            all.extend(Read::again(sent));
            Ok::<_, Error>(())
        })?;
        Ok(all)
    }

    /// As [`verified`](Self::verified), but gives up, with `None`, where the list has more than `most` records. Tells
    /// how many it has read.
    pub async fn verified_within(
        &self,
        most: usize,
        walk_order: bool,
        mut tell: impl FnMut(usize),
    ) -> Result<Option<VerifiedList>, Error> {
        self.verified_while(walk_order, |_, known| {
            if known % u64::from(PAGE_SIZE_MAX) == 0 {
                tell(usize::try_from(known).unwrap_or(usize::MAX));
            }
            known <= most as u64
        })
        .await
    }

    /// The first record that `is_wanted`; the whole list must show that there is none.
    pub async fn find(&self, is_wanted: impl Fn(&T) -> bool) -> Result<Option<Read<T>>, Error> {
        let mut found = None;
        self.verified_while(false, |read, _| {
            if is_wanted(&read.record) {
                found = Some(read.sent.clone());
            }
            found.is_none()
        })
        .await?;
        Ok(found.and_then(|sent: SentJson| Read::again(sent.get())))
    }

    /// Reads the list in one walk, whose count must agree, and gives each record once. Nothing is proven where `take` stops
    /// before the end.
    pub async fn once<E: From<Error>>(
        &self,
        mut take: impl FnMut(Read<T>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut state = Convergence::new(Mode::Once, self.page_size, self.client.max_records);
        let (mut walk, mut seen) = (state.walk(), KeySet::default());
        loop {
            let flow = self.walk(&mut walk, |page| {
                let mut fresh = 0;
                for (_, read) in keyed(parsed::<T>(page)?).filter(|(key, _)| seen.add(key)) {
                    fresh += 1;
                    state.saw(true, true, read.record.age());
                    if take(read)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok::<_, E>(ControlFlow::Continue(fresh))
            });
            if flow.await?.is_break() {
                return Ok(());
            }
            state.end_walk(&walk);
            match self.count(&mut state, &mut walk, &seen).await? {
                NextStep::Resume => {}
                NextStep::Whole => return Ok(()),
                _ => return Err(Error::Unverified.into()),
            }
        }
    }

    /// Reads the list verified, as long as `go_on` says so of each record and of how many there are so far.
    async fn verified_while(
        &self,
        walk_order: bool,
        mut go_on: impl FnMut(&Read<T>, u64) -> bool,
    ) -> Result<Option<VerifiedList>, Error> {
        let mut state = Convergence::new(self.mode, self.page_size, self.client.max_records);
        let mut found = Found { builder: ListBuilder::begin(), known: KeySet::default(), seen: KeySet::default() };
        let mut walk = state.walk();
        loop {
            let flow = self.walk(&mut walk, |page| found.take(page, &mut state, &mut go_on)).await?;
            if flow.is_break() {
                return Ok(None);
            }
            let next = match state.end_walk(&walk) {
                NextStep::LookUp => {
                    let (gone, unsure) = self.look_up_lacked(&mut found).await?;
                    state.looked_up(gone, unsure);
                    self.count(&mut state, &mut walk, &found.known).await?
                }
                NextStep::Count => self.count(&mut state, &mut walk, &found.known).await?,
                next => next,
            };
            match next {
                NextStep::Whole => return found.builder.finish(walk_order).map(Some),
                NextStep::Walk => {
                    found.next_walk()?;
                    walk = state.walk();
                }
                NextStep::Unverified => return Err(Error::Unverified),
                NextStep::Resume | NextStep::LookUp | NextStep::Count => {}
            }
        }
    }

    /// Fetches what the walk asks for until it is over, or `take` breaks off. `take` returns how many records of a page the
    /// walk had not seen yet.
    async fn walk<E: From<Error>>(
        &self,
        walk: &mut Walk,
        mut take: impl FnMut(&SuccessBody) -> Result<ControlFlow<(), usize>, E>,
    ) -> Result<ControlFlow<()>, E> {
        let mut under_way = FuturesOrdered::new();
        loop {
            under_way.extend(walk.requests().into_iter().map(|request| self.answer(request)));
            let Some((number, answer)) = under_way.next().await else { return Ok(ControlFlow::Continue(())) };
            let (result, refusal) = match answer {
                Ok(page) => match take(&page)? {
                    ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
                    ControlFlow::Continue(fresh) => (PageResult::records(page.len(), fresh), None),
                },
                Err(error) if is_refusal(&error) => (PageResult::Refused, Some(error)),
                Err(error) => return Err(error.into()),
            };
            walk.take(number, result).map_err(|fault| self.fault(fault, number, refusal))?;
        }
    }

    /// A page with its number, after a pause where it was refused before.
    async fn answer(&self, PageRequest { number, size, refused }: PageRequest) -> (u32, Result<SuccessBody, Error>) {
        if let Some(attempt) = refused.checked_sub(1) {
            tokio::time::sleep(backoff(attempt)).await;
        }
        (number, self.fetch(number, size, &self.query).await)
    }

    async fn fetch(&self, number: u32, size: u32, query: &[Parameter]) -> Result<SuccessBody, Error> {
        let mut query = query.to_vec();
        query.push(("page", number.to_string()));
        query.push(("pageSize", size.to_string()));
        self.client.send(&Request::page(&self.path, query)).await?.expect_page()
    }

    /// Counts the list after a walk, and says what follows.
    async fn count(&self, state: &mut Convergence<i64>, walk: &mut Walk, known: &KeySet) -> Result<NextStep, Error> {
        let mut proof = CountProof::new(state.known(), self.page_size, walk);
        loop {
            match self.ask_count(&mut proof, known).await? {
                Count::More if state.resume(walk) => return Ok(NextStep::Resume),
                Count::More => proof.look_outward(),
                count => {
                    let next = state.counted(count, walk);
                    self.remark(state, count, next);
                    return Ok(next);
                }
            }
        }
    }

    async fn ask_count(&self, proof: &mut CountProof<String>, known: &KeySet) -> Result<Count, Error> {
        let mut refusal = None;
        loop {
            let requests = match proof.next().map_err(|fault| self.fault(fault, 0, refusal.take()))? {
                Step::Counted(count) => return Ok(count),
                Step::Ask(requests) => requests,
            };
            for (number, answer) in join_all(requests.into_iter().map(|request| self.answer(request))).await {
                match answer {
                    Ok(page) => {
                        let texts = page.records().map(str::to_owned).collect();
                        let all_known = keyed(parsed::<T>(&page)?).all(|(key, _)| known.has(&key));
                        proof.take(number, Some(texts), all_known);
                    }
                    Err(error) if is_refusal(&error) => {
                        proof.take(number, None, true);
                        refusal = Some(error);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Looks up the records that the last walk lacked, and forgets those that are gone. Returns how many are gone, and for how
    /// many that is not known.
    async fn look_up_lacked(&self, found: &mut Found) -> Result<(u64, u64), Error> {
        let lacked = found.builder.select(|key| !found.seen.has(key))?;
        let look_ups: Vec<_> = lacked.iter().map(|(key, json)| self.is_there(key, json)).collect();
        let answers: Vec<_> = stream::iter(look_ups).buffered(LOOK_UPS_AT_A_TIME).collect().await;
        let (mut gone, mut unsure) = (0, 0);
        for ((key, _), answer) in lacked.iter().zip(answers) {
            match answer? {
                Some(true) => {}
                Some(false) => {
                    found.builder.remove(key)?;
                    found.known.remove(key);
                    gone += 1;
                }
                None => unsure += 1,
            }
        }
        Ok((gone, unsure))
    }

    /// Whether one record is still there; `None` where that can't be asked.
    async fn is_there(&self, key: &RecordKey, json: &str) -> Result<Option<bool>, Error> {
        let Some((name, value)) = serde_json::from_str::<T>(json).ok().and_then(|record| record.look_up()) else {
            return Ok(None);
        };
        // A list that is searched already can't be searched for this as well.
        if self.query.iter().any(|(known, _)| *known == name) {
            return Ok(None);
        }
        let query = [self.query.as_slice(), &[(name, value)]].concat();
        let records = match self.fetch(1, PAGE_SIZE_MAX, &query).await {
            Ok(page) => parsed::<T>(&page)?,
            Err(error) if is_refusal(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let may_go_on = records.len() >= self.page_size as usize;
        let is_there = keyed(records).any(|(known, _)| known == *key);
        Ok(if is_there || !may_go_on { Some(is_there) } else { None })
    }

    /// The error of a list that can't be read. `refusal` is what the service said at last.
    fn fault(&self, fault: WalkFault, page: u32, refusal: Option<Error>) -> Error {
        match (fault, refusal) {
            (WalkFault::Refused, Some(Error::Rejected(rejection))) if page == 1 => {
                let no_ids = self.path.iter().all(|segment| matches!(segment, Segment::Word(_)));
                Error::Rejected(Box::new(Rejection { always_there: no_ids, ..*rejection }))
            }
            // A list of which other pages answer is there.
            (WalkFault::Refused, _) => Error::Unverified,
            (WalkFault::Repeated, _) => Error::RepeatedPage,
            (WalkFault::TooMany(fault), _) => fault.into(),
        }
    }

    /// Reports (with `-v`) what is unusual about a list that was counted.
    fn remark(&self, state: &Convergence<i64>, count: Count, next: NextStep) {
        if let Some(cap) = state.cap() {
            let text = format!("the service gives pages of {cap} records at most; they are read with that size");
            self.client.remark(&text);
        }
        match (count, next) {
            (Count::CutOff, _) => self.client.remark(
                "the service refuses a page on which records stand that it shows on others: it does not page to the end of the list",
            ),
            (Count::Unknown, NextStep::Whole) => self
                .client
                .remark("the service does not let its list be counted; two walks that agree show that it is whole"),
            _ => {}
        }
    }
}

/// 400, 404 and 410: there may be no such page.
fn is_refusal(error: &Error) -> bool {
    matches!(error.status(), Some(400 | 404 | 410))
}

/// What the walks over one list found.
struct Found {
    builder: ListBuilder,
    /// By any walk.
    known: KeySet,
    /// By the running walk.
    seen: KeySet,
}

impl Found {
    fn next_walk(&mut self) -> Result<(), Error> {
        self.seen = KeySet::default();
        self.builder.next_walk()
    }

    /// Takes the records at the beginning of a page that an earlier walk found in the same order. Returns how many.
    fn take_repeated(&mut self, page: &SuccessBody, state: &mut Convergence<i64>) -> Result<usize, Error> {
        let mut count = 0;
        for sent in page.records() {
            let Some(key) = self.builder.repeats(sent)? else { break };
            let is_fresh = self.seen.add(&key);
            state.saw(is_fresh, false, None);
            count += 1;
        }
        Ok(count)
    }

    /// Keeps the records of a page, and says how many the walk had not seen yet.
    fn take<T: Listed>(
        &mut self,
        page: &SuccessBody,
        state: &mut Convergence<i64>,
        go_on: &mut impl FnMut(&Read<T>, u64) -> bool,
    ) -> Result<ControlFlow<(), usize>, Error> {
        let repeated = self.take_repeated(page, state)?;
        if repeated == page.len() {
            return Ok(ControlFlow::Continue(repeated));
        }
        let mut fresh_records = repeated;
        for (key, read) in keyed(parsed::<T>(page)?).skip(repeated) {
            let (is_fresh, is_new) = (self.seen.add(&key), self.known.add(&key));
            state.saw(is_fresh, is_new, read.record.age());
            fresh_records += usize::from(is_fresh);
            if is_new {
                self.builder.add(&key, read.sent.get())?;
            } else {
                self.builder.renew(&key, read.sent.get())?;
            }
            if !go_on(&read, state.known()) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(fresh_records))
    }
}
