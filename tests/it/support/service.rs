//! One service of the specification, programmable: it holds projects and people, logs each request before it answers, keeps
//! connections alive, and gets into the trouble that a test names. It knows none of the program's types.

use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::Duration;

use serde_json::Value;

use super::wire::{Answer, Request, fixture, listen};
use super::workspace::{Held, person};

/// An operation of the specification; a list that names one reference id is a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Projects,
    CreateProject,
    Project,
    ProjectLink,
    TestTakers,
    LookUp,
    Enrol,
    Update,
    Remove,
    Link,
    Results,
    Result,
    Uris,
    AddUris,
    /// Nothing of the specification.
    Other,
}

impl Op {
    pub(crate) fn of(request: &Request) -> Self {
        let path: Vec<_> = request.path().split('/').skip(1).collect();
        match (request.method.as_str(), path.as_slice()) {
            ("GET", ["projects"]) => Self::Projects,
            ("POST", ["projects"]) => Self::CreateProject,
            ("GET", ["projects", _]) => Self::Project,
            ("GET", ["projects", _, "get-link"]) => Self::ProjectLink,
            ("GET", ["projects", _, "testtakers"]) if request.parameter("referenceId").is_some() => Self::LookUp,
            ("GET", ["projects", _, "testtakers"]) => Self::TestTakers,
            ("POST", ["projects", _, "testtakers"]) => Self::Enrol,
            ("PATCH", ["projects", _, "testtakers", _]) => Self::Update,
            ("DELETE", ["projects", _, "testtakers", _]) => Self::Remove,
            ("POST", ["projects", _, "testtakers", _, "test-link"]) => Self::Link,
            ("GET", ["projects", _, "results"]) => Self::Results,
            ("GET", ["projects", _, "results", _]) => Self::Result,
            ("GET", ["workspace", "redirect-uris"]) => Self::Uris,
            ("POST", ["workspace", "redirect-uris"]) => Self::AddUris,
            _ => Self::Other,
        }
    }
}

/// Which requests of an operation a rule is about.
#[derive(Clone, Debug)]
pub(crate) enum When {
    Always,
    /// The n-th one, from 1.
    Nth(usize),
    /// The first n.
    First(usize),
    /// All after the n-th.
    After(usize),
    /// This share of them, by dice of this seed.
    Share(f64, u64),
    /// Those that ask for this page.
    Page(usize),
}

/// What happens instead of a plain answer. "After" means: after the request has had its effect.
pub(crate) enum Trouble {
    /// The connection is closed without a word.
    CloseBefore,
    CloseAfter,
    /// A plain answer, and the connection, which could have been kept, is closed.
    CloseIdle,
    Answer(Answer),
    AnswerAfter(Answer),
    /// Part of the plain answer, after the effect.
    Truncate,
    /// Nothing is answered, and nothing happens.
    Hang,
    Delay(Duration),
    /// The connection is closed, and the effect comes so much later.
    Late(Duration),
    /// Reads don't show a new person for this long.
    Lag(Duration),
    /// A page of a list is made by this function.
    Page(Paging),
    /// The test is told, and the request waits until the test lets go: first, or after its effect.
    Gate(Gate),
    GateAfter(Gate),
}

/// What a service makes of a page of a list.
pub(crate) type Paging = fn(&Page) -> Answer;

/// A page that is asked for.
pub(crate) struct Page<'a> {
    pub(crate) number: usize,
    pub(crate) size: usize,
    /// Everything there is.
    pub(crate) all: &'a [&'a Value],
    /// How many requests of this operation came before.
    pub(crate) asked: usize,
}

impl Page<'_> {
    /// Some of the records, as far as there are so many.
    pub(crate) fn cut(&self, from: usize, to: usize) -> Vec<Value> {
        let all = &self.all[from.min(self.all.len())..to.min(self.all.len())];
        all.iter().map(|record| (*record).clone()).collect()
    }

    /// The records of page `number`, of `size` records each.
    pub(crate) fn records(&self, number: usize, size: usize) -> Vec<Value> {
        self.cut((number - 1) * size, number * size)
    }
}

/// The service's side of a [`Waiting`].
pub(crate) struct Gate(Mutex<(mpsc::Sender<()>, mpsc::Receiver<()>)>);

impl Gate {
    fn wait(&self) {
        let gate = self.0.lock().expect("no test panics here");
        // The other end is gone where the test is over: then nobody waits any more.
        let _ = gate.0.send(());
        let _ = gate.1.recv();
    }
}

/// Tells when a request arrived; dropped, it lets the request go on.
pub(crate) struct Waiting {
    pub(crate) arrived: mpsc::Receiver<()>,
    _go_on: mpsc::Sender<()>,
}

/// Both sides of a gate.
pub(crate) fn gate() -> (Gate, Waiting) {
    let ((reached, arrived), (go_on, may_go_on)) = (mpsc::channel(), mpsc::channel());
    (Gate(Mutex::new((reached, may_go_on))), Waiting { arrived, _go_on: go_on })
}

struct Rule {
    op: Op,
    when: When,
    trouble: Arc<Trouble>,
    seen: usize,
    dice: fastrand::Rng,
}

impl Rule {
    /// The trouble and how many requests came before, where it applies to this request, which it counts.
    fn applies(&mut self, op: Op, request: &Request) -> Option<(Arc<Trouble>, usize)> {
        if self.op != op {
            return None;
        }
        self.seen += 1;
        let is_met = match self.when {
            When::Always => true,
            When::Nth(n) => self.seen == n,
            When::First(n) => self.seen <= n,
            When::After(n) => self.seen > n,
            When::Share(share, _) => self.dice.f64() < share,
            When::Page(page) => request.number("page") == Some(page),
        };
        is_met.then(|| (Arc::clone(&self.trouble), self.seen - 1))
    }
}

/// Judges a request before the rules do; it gets the number of requests that came before.
type Own = Arc<dyn Fn(&Request, usize) -> Option<Answer> + Send + Sync>;

#[derive(Default)]
struct State {
    held: Mutex<Held>,
    log: Mutex<Vec<Request>>,
    rules: Mutex<Vec<Rule>>,
    own: Mutex<Option<Own>>,
}

/// The service; it runs as long as the test process.
pub(crate) struct Service {
    /// Its base URL.
    pub(crate) url: String,
    state: Arc<State>,
}

impl Service {
    /// A workspace with the fixtures' project, of nobody.
    pub(crate) fn start() -> Self {
        let state = Arc::new(State::default());
        let mine = Arc::clone(&state);
        let url = listen(move |request| mine.answer(request));
        let service = Self { url, state };
        service.held().projects.push(fixture("project"));
        service
    }

    /// A workspace that answers everything alike.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::start().with(move |_, _| Some(answer.clone()))
    }

    /// Adds people, by their read records, to the fixtures' project.
    pub(crate) fn of(self, records: impl IntoIterator<Item = Value>) -> Self {
        records.into_iter().for_each(|record| self.held().add(record));
        self
    }

    /// Adds people number 1 to `count`.
    pub(crate) fn with_people(self, count: i64) -> Self {
        self.of((1..=count).map(person))
    }

    /// Adds a rule; of several that apply to a request the first one counts.
    pub(crate) fn on(self, op: Op, when: When, trouble: Trouble) -> Self {
        let dice = fastrand::Rng::with_seed(if let When::Share(_, seed) = when { seed } else { 0 });
        let rule = Rule { op, when, trouble: Arc::new(trouble), seen: 0, dice };
        self.state.rules.lock().expect("no server thread panics").push(rule);
        self
    }

    /// Answers with what `own` says of a request, and as usual where it says nothing.
    pub(crate) fn with(self, own: impl Fn(&Request, usize) -> Option<Answer> + Send + Sync + 'static) -> Self {
        *self.state.own.lock().expect("no server thread panics") = Some(Arc::new(own));
        self
    }

    /// What it holds now.
    pub(crate) fn held(&self) -> MutexGuard<'_, Held> {
        self.state.held.lock().expect("no server thread panics")
    }

    /// What was asked so far, in order of arrival.
    pub(crate) fn log(&self) -> Vec<Request> {
        self.state.log.lock().expect("no server thread panics").clone()
    }

    /// How many requests wanted this.
    pub(crate) fn count(&self, op: Op) -> usize {
        self.log().iter().filter(|request| Op::of(request) == op).count()
    }

    /// The requests that would change something.
    pub(crate) fn writes(&self) -> Vec<Request> {
        self.log().into_iter().filter(|request| request.method != "GET").collect()
    }
}

impl State {
    fn answer(self: &Arc<Self>, request: &Request) -> Answer {
        let before = {
            let mut log = self.log.lock().expect("no server thread panics");
            log.push(request.clone());
            log.len() - 1
        };
        let own = self.own.lock().expect("no server thread panics").clone();
        if let Some(answer) = own.and_then(|own| own(request, before)) {
            return answer;
        }
        let op = Op::of(request);
        let mut rules = self.rules.lock().expect("no server thread panics");
        // Each rule counts the request, and the first one that applies counts.
        let applying: Vec<_> = rules.iter_mut().filter_map(|rule| rule.applies(op, request)).collect();
        drop(rules);
        match applying.into_iter().next() {
            Some((trouble, asked)) => self.troubled(&trouble, request, asked),
            None => self.effect(request),
        }
    }

    fn troubled(self: &Arc<Self>, trouble: &Trouble, request: &Request, asked: usize) -> Answer {
        let closed = || Answer::bytes("");
        let after = |answer: Answer| {
            self.effect(request);
            answer
        };
        match trouble {
            Trouble::CloseBefore => closed(),
            Trouble::CloseAfter => after(closed()),
            Trouble::CloseIdle => self.effect(request).closing(),
            Trouble::Answer(answer) => answer.clone(),
            Trouble::AnswerAfter(answer) => after(answer.clone()),
            Trouble::Truncate => self.effect(request).shortened(),
            Trouble::Hang => Answer::hang(""),
            Trouble::Delay(time) => {
                std::thread::sleep(*time);
                self.effect(request)
            }
            Trouble::Late(time) => {
                let (state, request, time) = (Arc::clone(self), request.clone(), *time);
                std::thread::spawn(move || {
                    std::thread::sleep(time);
                    state.effect(&request);
                });
                closed()
            }
            Trouble::Lag(time) => self.held().act(request, &|page| page.plain(), *time),
            Trouble::Page(paging) => self.held().act(request, &|page| paging(&Page { asked, ..page }), Duration::ZERO),
            Trouble::Gate(gate) => {
                gate.wait();
                self.effect(request)
            }
            Trouble::GateAfter(gate) => {
                let answer = self.effect(request);
                gate.wait();
                answer
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("no server thread panics")
    }

    /// The plain effect of a request, and its plain answer.
    fn effect(&self, request: &Request) -> Answer {
        self.held().act(request, &|page| page.plain(), Duration::ZERO)
    }
}
