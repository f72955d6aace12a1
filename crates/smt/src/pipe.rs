//! Any solver that reads SMT-LIB 2.6 from its standard input and answers on its standard output.
//!
//! The stack of assertions is kept here as well: a solver that dies, or is killed because a query took too long, is
//! started anew when it is needed, and told everything again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use foundation::Budget;
use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms};

use crate::eliminate::eliminate_by_rules;
use crate::s_expression::SExpression;
use crate::{Model, QueryStatistics, Satisfiability, Solver};

/// How often the budget is looked at while the solver works.
const INTERVAL: Duration = Duration::from_millis(10);

/// How long a solver may take to answer what costs it no search, such as values of a model.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every solver is told first.
const PREAMBLE: &str = "(set-option :print-success false)
(set-option :produce-models true)
(set-option :produce-unsat-assumptions true)
(set-option :global-declarations true)
(set-logic ALL)
";

/// The Z3 program of the wheel that was built against, where it is still there.
pub fn bundled_z3() -> Option<PathBuf> {
    Some(PathBuf::from(env!("SEMPER_Z3_BINARY"))).filter(|path| path.is_file())
}

/// A solver process over the terms of an arena.
pub struct SmtLib<'t> {
    terms: &'t Terms,
    budget: Budget,
    command: Vec<String>,
    process: Option<Process>,
    /// The assertions of each level that is open.
    levels: Vec<Vec<Term>>,
    query_limit: Option<Duration>,
    kind: &'static str,
    statistics: QueryStatistics,
    assumed: Vec<Term>,
    last: Option<Satisfiability>,
}

impl<'t> SmtLib<'t> {
    /// Starts a solver: `z3 -in`, `cvc5 --incremental`, with their paths.
    pub fn start(terms: &'t Terms, budget: &Budget, command: &[String]) -> io::Result<Self> {
        let process = Process::start(command)?;
        Ok(Self {
            terms,
            budget: budget.clone(),
            command: command.to_vec(),
            process: Some(process),
            levels: vec![Vec::new()],
            query_limit: None,
            kind: "check",
            statistics: QueryStatistics::default(),
            assumed: Vec::new(),
            last: None,
        })
    }

    /// No check takes longer; it is answered with [`Satisfiability::Unknown`] then.
    pub fn set_query_limit(&mut self, limit: Option<Duration>) {
        self.query_limit = limit;
    }

    /// Ends what the last check left open.
    fn begin(&mut self) {
        if self.last.take().is_some() && !self.assumed.is_empty() {
            self.tell("(pop 1)\n");
        }
        self.assumed.clear();
    }

    /// Sends a command to the process if there is one; a process that does not listen is given up.
    fn tell(&mut self, text: &str) {
        if let Some(process) = &mut self.process
            && process.tell(text).is_err()
        {
            self.process = None;
        }
    }

    /// A process that knows all assertions.
    fn ensure_process(&mut self) -> Result<(), String> {
        if self.process.is_some() {
            return Ok(());
        }
        let process = Process::start(&self.command).map_err(|error| format!("{}: {error}", self.command[0]))?;
        self.process = Some(process);
        for level in 0..self.levels.len() {
            if level > 0 {
                self.tell("(push 1)\n");
            }
            for term in self.levels[level].clone() {
                self.tell_assertion(term);
            }
        }
        Ok(())
    }

    fn tell_assertion(&mut self, term: Term) {
        self.declare(term);
        let text = format!("(assert {})\n", self.terms.smt_lib(term));
        self.tell(&text);
    }

    fn declare(&mut self, term: Term) {
        let Some(process) = &mut self.process else { return };
        let symbols = self.terms.symbols(term);
        let new: BTreeSet<Symbol> = symbols.difference(&process.declared).copied().collect();
        process.declared.extend(&new);
        let text = self.terms.declarations_of(&new);
        self.tell(&text);
    }

    /// Names the assumptions inside a level of their own and asks.
    fn ask(&mut self, assumptions: &[Term]) -> Result<SExpression, String> {
        self.ensure_process()?;
        if assumptions.is_empty() {
            self.tell("(check-sat)\n");
        } else {
            self.tell("(push 1)\n");
            let mut text = String::new();
            for (at, term) in assumptions.iter().enumerate() {
                self.declare(*term);
                if let Some(process) = &mut self.process
                    && process.names <= at
                {
                    process.names = at + 1;
                    let _ = writeln!(text, "(declare-const assumption!{at} Bool)");
                }
                let _ = writeln!(text, "(assert (=> assumption!{at} {}))", self.terms.smt_lib(*term));
            }
            let names: Vec<String> = (0..assumptions.len()).map(|at| format!("assumption!{at}")).collect();
            let _ = writeln!(text, "(check-sat-assuming ({}))", names.join(" "));
            self.tell(&text);
        }
        self.answer(self.query_limit)
    }

    /// The next answer of the process. It is killed where it does not answer in time, or complains.
    fn answer(&mut self, limit: Option<Duration>) -> Result<SExpression, String> {
        let result = self.wait(limit);
        if result.is_err() {
            self.process = None;
        }
        result
    }

    fn wait(&self, limit: Option<Duration>) -> Result<SExpression, String> {
        let process = self.process.as_ref().ok_or("the solver ended")?;
        let start = Instant::now();
        loop {
            self.budget.check().map_err(|exhausted| exhausted.to_string())?;
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err("time".to_owned());
            }
            match process.answers.recv_timeout(left.map_or(INTERVAL, |left| left.min(INTERVAL))) {
                Ok(answer) => match answer.error() {
                    Some(message) => return Err(message.to_owned()),
                    None => return Ok(answer),
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err("the solver ended".to_owned()),
            }
        }
    }

    /// The symbols of all assertions and assumptions.
    fn symbols(&self) -> BTreeSet<Symbol> {
        let terms = self.levels.iter().flatten().chain(&self.assumed);
        terms.flat_map(|term| self.terms.symbols(*term).iter().copied().collect::<Vec<_>>()).collect()
    }
}

impl Solver for SmtLib<'_> {
    fn push(&mut self) {
        self.begin();
        self.levels.push(Vec::new());
        self.tell("(push 1)\n");
    }

    fn pop(&mut self) {
        self.begin();
        assert!(self.levels.len() > 1, "no level is open");
        self.levels.pop();
        self.tell("(pop 1)\n");
    }

    fn assert(&mut self, term: Term) {
        self.begin();
        self.levels.last_mut().expect("the lowest level is never closed").push(term);
        self.tell_assertion(term);
    }

    fn check(&mut self, assumptions: &[Term]) -> Satisfiability {
        self.begin();
        if let Err(exhausted) = self.budget.check() {
            return Satisfiability::Unknown(exhausted.to_string());
        }
        let start = Instant::now();
        self.assumed = assumptions.to_vec();
        let answer = match self.ask(assumptions) {
            Ok(answer) => match answer.atom() {
                Some("sat") => Satisfiability::Satisfiable,
                Some("unsat") => Satisfiability::Unsatisfiable,
                Some("unknown") => Satisfiability::Unknown("the solver gave up".to_owned()),
                _ => {
                    self.process = None;
                    Satisfiability::Unknown(format!("the solver answered {answer:?}"))
                }
            },
            Err(reason) => Satisfiability::Unknown(reason),
        };
        self.last = Some(answer.clone());
        self.statistics.note(self.kind, &answer, start.elapsed());
        answer
    }

    fn core(&mut self) -> Vec<Term> {
        if self.last != Some(Satisfiability::Unsatisfiable) || self.assumed.is_empty() {
            return Vec::new();
        }
        self.tell("(get-unsat-assumptions)\n");
        let Ok(answer) = self.answer(Some(PATIENCE)) else { return self.assumed.clone() };
        let named = |name: &SExpression| name.atom()?.strip_prefix("assumption!")?.parse::<usize>().ok();
        let Some(names) = answer.list().and_then(|list| list.iter().map(named).collect::<Option<Vec<_>>>()) else {
            return self.assumed.clone();
        };
        let mut core: Vec<Term> = names.iter().filter_map(|at| self.assumed.get(*at).copied()).collect();
        core.sort_unstable();
        core.dedup();
        core
    }

    fn model(&mut self) -> Model {
        if self.last != Some(Satisfiability::Satisfiable) {
            return Model::default();
        }
        let symbols = self.symbols();
        if symbols.is_empty() {
            return Model::default();
        }
        let names: Vec<String> = symbols.iter().map(|symbol| self.terms.smt_lib_name(*symbol)).collect();
        self.tell(&format!("(get-value ({}))\n", names.join(" ")));
        let Ok(answer) = self.answer(Some(PATIENCE)) else { return Model::default() };
        let by_name: HashMap<String, Symbol> =
            symbols.iter().map(|symbol| (format!("${}", self.terms.unique_name(*symbol)), *symbol)).collect();
        let entry = |pair: &SExpression| match pair.list()? {
            [name, value] => Some((*by_name.get(name.atom()?)?, value.value()?)),
            _ => None,
        };
        Model::new(answer.list().unwrap_or_default().iter().filter_map(entry))
    }

    /// By rules only: the language has no command for it.
    fn eliminate(&mut self, exists: &[Symbol], body: Term) -> Option<Term> {
        let remainder = eliminate_by_rules(self.terms, exists, body);
        remainder.left.is_empty().then_some(remainder.done)
    }

    /// The term itself: the language has no command for it.
    fn simplify(&mut self, term: Term) -> Term {
        term
    }

    fn set_kind(&mut self, kind: &'static str) {
        self.kind = kind;
    }

    fn statistics(&self) -> &QueryStatistics {
        &self.statistics
    }
}

/// A running solver. It is killed when it is dropped.
struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<SExpression>,
    declared: BTreeSet<Symbol>,
    /// How many names for assumptions are declared.
    names: usize,
}

impl Process {
    fn start(command: &[String]) -> io::Result<Self> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no solver is named"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().expect("it was asked for");
        let output = child.stdout.take().expect("it was asked for");
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut stream = BufReader::new(output);
            while let Some(answer) = SExpression::read(&mut stream) {
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        let mut process = Self { child, input, answers, declared: BTreeSet::new(), names: 0 };
        process.tell(PREAMBLE)?;
        Ok(process)
    }

    fn tell(&mut self, text: &str) -> io::Result<()> {
        self.input.write_all(text.as_bytes())?;
        self.input.flush()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
