//! Z3, linked into the program.

use std::time::{Duration, Instant};

use foundation::Budget;
use foundation::collections::HashMap;
use logic::{Node, Symbol, Term, Terms, Value};
use z3::ast::{Ast, Bool, Dynamic};
use z3::{Goal, SatResult, Tactic};

use crate::bits::BitAnswer;
use crate::eliminate::{QuantifiedFormula, eliminate_by_rules};
use crate::limits::{counted, limit, parameters, patience, patiently, repeatedly, spend, steps_in};
use crate::translate::{SolverTranslation, value_of};
use crate::watch::SolverWatch;
use crate::{Model, QueryStatistics, Satisfiability, Solver};

/// The version that the pinned wheel has; others are not tested.
const VERSION: &str = env!("SEMPER_Z3_VERSION");

/// How long the processor may work on a tactic (elimination of quantifiers, simplification), for which Z3 can be told no
/// number of steps. On the suite, those that end by themselves took a quarter of it at most.
const TACTIC_LIMIT: Duration = Duration::from_millis(1500);

/// For how many steps arithmetic is asked first about what has operations on bits, before it is asked as bit-vectors.
pub(crate) const QUICK_STEPS: u32 = 200_000;

/// For how many steps arithmetic is asked once more, where bit-vectors have left it open.
const LAST_STEPS: u32 = 4_000_000;

/// After so many queries in a row that arithmetic left open and bit-vectors did not, these are asked first.
const BITS_FIRST: u32 = 2;

/// As how many steps it counts where a tactic does not end.
const TACTIC_STEPS: u32 = 1_000_000;

/// Z3 over the terms of an arena.
pub struct Z3<'t> {
    pub(crate) terms: &'t Terms,
    budget: Budget,
    solver: z3::Solver,
    pub(crate) translation: SolverTranslation,
    watch: SolverWatch,
    /// How many steps a check may take.
    query_steps: Option<u32>,
    /// What the solver was told last of the steps.
    told: Option<u32>,
    kind: &'static str,
    statistics: QueryStatistics,
    /// Assumptions that are not literals are named inside a level of their own, which is open until the next operation.
    has_assumption_level: bool,
    pub(crate) assumed: Vec<(Bool, Term)>,
    last: Option<SatResult>,
    /// What is asserted, and how much of it below each level that is open.
    pub(crate) asserted: Vec<Term>,
    levels: Vec<usize>,
    /// What the last check has found by bit-vectors.
    pub(crate) found: Option<BitAnswer>,
    /// How many queries in a row were answered by bit-vectors alone.
    won_by_bits: u32,
    /// Which terms have operations on bits.
    pub(crate) has_bits: HashMap<Term, bool>,
}

impl<'t> Z3<'t> {
    /// A solver without assertions. It must stay in the thread it was made in.
    ///
    /// # Panics
    ///
    /// Where another version of Z3 than the one that was pinned is found at run time.
    pub fn new(terms: &'t Terms, budget: &Budget) -> Self {
        let version = z3::full_version();
        assert!(version.starts_with(VERSION), "Z3 {VERSION} is needed, but version {version} was found at run time");
        let solver = z3::Solver::new();
        solver.set_params(&parameters(None));
        Self {
            terms,
            budget: budget.clone(),
            watch: SolverWatch::new(budget),
            solver,
            translation: SolverTranslation::default(),
            query_steps: None,
            told: None,
            kind: "check",
            statistics: QueryStatistics::default(),
            has_assumption_level: false,
            assumed: Vec::new(),
            last: None,
            asserted: Vec::new(),
            levels: Vec::new(),
            found: None,
            won_by_bits: 0,
            has_bits: HashMap::default(),
        }
    }

    /// The arena.
    pub fn terms(&self) -> &'t Terms {
        self.terms
    }

    /// No check takes longer, on a machine of our days; it is answered with [`Satisfiability::Unknown`] then. What counts
    /// are the solver's own steps, so that the answer does not depend on the machine.
    pub fn set_query_limit(&mut self, limit: Option<Duration>) {
        self.query_steps = limit.map(steps_in);
    }

    /// Asks whether all assertions and what is assumed have a model together. Where there are operations on bits,
    /// arithmetic has a short time, and what it leaves open is asked as bit-vectors; the other way round where that was
    /// better of late.
    fn ask(&mut self) -> SatResult {
        let steps = limit(self.query_steps, &self.budget);
        if !self.speaks_of_bits() {
            return self.ask_limited(steps);
        }
        let at_most = |most: u32| Some(steps.map_or(most, |steps| steps.min(most)));
        let is_open = |z3: &Self, answer| answer == SatResult::Unknown && z3.budget.check().is_ok();
        let is_about_bits = self.won_by_bits >= BITS_FIRST;
        let quickly = at_most(QUICK_STEPS);
        let mut answer = if is_about_bits { self.ask_as_bits(steps) } else { self.ask_limited(quickly) };
        if is_open(self, answer) {
            answer = if is_about_bits { self.ask_limited(quickly) } else { self.ask_as_bits(steps) };
            let is_answered = answer != SatResult::Unknown;
            self.won_by_bits = match is_about_bits {
                true => self.won_by_bits - u32::from(is_answered),
                false => self.won_by_bits + u32::from(is_answered),
            };
        } else if !is_about_bits {
            self.won_by_bits = 0;
        }
        if is_open(self, answer) {
            answer = self.ask_limited(at_most(LAST_STEPS));
        }
        answer
    }

    fn ask_limited(&mut self, steps: Option<u32>) -> SatResult {
        let Some(steps) = steps else {
            let watch = self.watch.clone();
            let ((answer, taken), _) = watch.during(None, || self.ask_within(None));
            spend(&self.budget, taken);
            return answer;
        };
        let (budget, watch) = (self.budget.clone(), self.watch.clone());
        let (answer, _) = patiently(steps, patience(steps), &budget, &watch, || {
            let (answer, taken) = self.ask_within(Some(steps));
            (Some(answer).filter(|answer| *answer != SatResult::Unknown), taken)
        });
        answer.unwrap_or(SatResult::Unknown)
    }

    /// Asks another solver, for so many steps.
    pub(crate) fn ask_another(&self, solver: &z3::Solver, literals: &[Bool], steps: Option<u32>) -> SatResult {
        solver.set_params(&parameters(steps));
        let ask = || counted(solver, || solver.check_assumptions(literals));
        let Some(steps) = steps else {
            let ((answer, taken), _) = self.watch.during(None, ask);
            spend(&self.budget, taken);
            return answer;
        };
        let (answer, _) = patiently(steps, patience(steps), &self.budget, &self.watch, || {
            let (answer, taken) = ask();
            (Some(answer).filter(|answer| *answer != SatResult::Unknown), taken)
        });
        answer.unwrap_or(SatResult::Unknown)
    }

    /// What a model says of our symbols.
    pub(crate) fn values_of(&self, model: &z3::Model) -> Vec<(Symbol, Value)> {
        let mut values = Vec::new();
        for declaration in model.iter().filter(|declaration| declaration.arity() == 0) {
            let Some(symbol) = self.translation.symbol(&declaration.name()) else { continue };
            let value = model.get_const_interp(&declaration.apply(&[]));
            if let Some(value) = value.and_then(|value| value_of(&value)) {
                values.push((symbol, value));
            }
        }
        values
    }

    /// The same, for so many steps; and how many were taken.
    fn ask_within(&mut self, steps: Option<u32>) -> (SatResult, u32) {
        if self.told != steps {
            self.told = steps;
            self.solver.set_params(&parameters(steps));
        }
        let literals: Vec<Bool> = self.assumed.iter().map(|(literal, _)| literal.clone()).collect();
        let check = || match literals.as_slice() {
            [] => self.solver.check(),
            literals => self.solver.check_assumptions(literals),
        };
        counted(&self.solver, check)
    }

    /// Forgets what is known of the last check.
    fn begin(&mut self) {
        if self.has_assumption_level {
            self.solver.pop(1);
            self.has_assumption_level = false;
        }
        self.assumed.clear();
        self.last = None;
        self.found = None;
    }

    /// The literals that stand for assumptions.
    fn assume(&mut self, assumptions: &[Term]) {
        for &assumption in assumptions {
            let formula = self.translation.formula(self.terms, assumption);
            if self.is_literal(assumption) {
                self.assumed.push((formula, assumption));
                continue;
            }
            if !self.has_assumption_level {
                self.solver.push();
                self.has_assumption_level = true;
            }
            // No symbol of ours has a bar in its name.
            let name = Bool::fresh_const("|assumption|");
            self.solver.assert(name.implies(formula));
            self.assumed.push((name, assumption));
        }
    }

    fn is_literal(&self, term: Term) -> bool {
        match self.terms.node(term) {
            Node::Variable(_) => true,
            Node::Not(inner) => matches!(self.terms.node(inner), Node::Variable(_)),
            _ => false,
        }
    }

    fn reason(&self) -> String {
        if let Err(exhausted) = self.budget.check() {
            return exhausted.to_string();
        }
        match self.solver.get_reason_unknown() {
            Some(reason) if reason.contains("resource") || reason == "canceled" => "steps".to_owned(),
            Some(reason) => reason,
            None => "no reason given".to_owned(),
        }
    }

    /// The formulas that a tactic makes of one; `None` where it fails or takes too long.
    fn apply(&self, tactic: &str, formula: &Bool) -> Option<Term> {
        self.budget.check().ok()?;
        let goal = Goal::new(false, false, false);
        goal.assert(formula);
        let apply = |clock: Duration| {
            let left = self.budget.remaining().unwrap_or(clock);
            let tactic = Tactic::new(tactic).try_for(clock.min(left).max(Duration::from_millis(1)));
            let ((result, taken), _) = self.watch.during(None, || counted(&self.solver, || tactic.apply(&goal, None)));
            (result.ok(), taken)
        };
        let (result, _) = repeatedly(TACTIC_STEPS, TACTIC_LIMIT, &self.budget, apply);
        let result = result?;
        let mut alternatives = Vec::new();
        for goal in result.list_subgoals() {
            let mut members = Vec::new();
            for formula in goal.get_formulas() {
                members.push(self.translation.back(self.terms, &Dynamic::from(formula))?);
            }
            alternatives.push(self.terms.and(members));
        }
        Some(self.terms.or(alternatives))
    }

    fn eliminate_by_tactic(&mut self, symbols: &[Symbol], body: Term) -> Option<Term> {
        let formula = self.translation.formula(self.terms, body);
        let variables: Vec<Dynamic> =
            symbols.iter().map(|symbol| self.translation.translate(self.terms, self.terms.variable(*symbol))).collect();
        let bound: Vec<&dyn Ast> = variables.iter().map(|ast| ast as &dyn Ast).collect();
        let quantified = z3::ast::exists_const(&bound, &[], &formula);
        let is_free = |term: &Term| symbols.iter().all(|symbol| !self.terms.symbols(*term).contains(symbol));
        ["qe2", "qe"].iter().find_map(|tactic| self.apply(tactic, &quantified).filter(is_free))
    }

    fn timed<R>(&mut self, kind: &'static str, work: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        let start = Instant::now();
        let result = work(self);
        let answer = match result {
            Some(_) => Satisfiability::Satisfiable,
            None => Satisfiability::Unknown(String::new()),
        };
        self.statistics.note(kind, &answer, start.elapsed());
        result
    }
}

impl Solver for Z3<'_> {
    fn push(&mut self) {
        self.begin();
        self.levels.push(self.asserted.len());
        self.solver.push();
    }

    fn pop(&mut self) {
        self.begin();
        self.asserted.truncate(self.levels.pop().expect("a level is open"));
        self.solver.pop(1);
    }

    fn assert(&mut self, term: Term) {
        self.begin();
        let formula = self.translation.formula(self.terms, term);
        self.asserted.push(term);
        self.solver.assert(formula);
    }

    fn check(&mut self, assumptions: &[Term]) -> Satisfiability {
        self.begin();
        if let Err(exhausted) = self.budget.check() {
            return Satisfiability::Unknown(exhausted.to_string());
        }
        let start = Instant::now();
        self.assume(assumptions);
        let result = self.ask();
        self.last = Some(result);
        let answer = match result {
            SatResult::Sat => Satisfiability::Satisfiable,
            SatResult::Unsat => Satisfiability::Unsatisfiable,
            SatResult::Unknown => Satisfiability::Unknown(self.reason()),
        };
        self.statistics.note(self.kind, &answer, start.elapsed());
        answer
    }

    fn core(&mut self) -> Vec<Term> {
        if self.last != Some(SatResult::Unsat) || self.assumed.is_empty() {
            return Vec::new();
        }
        if let Some(BitAnswer::Core(core)) = &self.found {
            return core.clone();
        }
        let used: Vec<Bool> = self.solver.get_unsat_core();
        let by_literal: HashMap<&Bool, Term> = self.assumed.iter().map(|(literal, term)| (literal, *term)).collect();
        let mut core: Vec<Term> = used.iter().filter_map(|literal| by_literal.get(literal).copied()).collect();
        core.sort_unstable();
        core.dedup();
        core
    }

    fn model(&mut self) -> Model {
        if self.last != Some(SatResult::Sat) {
            return Model::default();
        }
        if let Some(BitAnswer::Model(model)) = &self.found {
            return model.clone();
        }
        let Some(model) = self.solver.get_model() else { return Model::default() };
        Model::new(self.values_of(&model))
    }

    fn eliminate(&mut self, exists: &[Symbol], body: Term) -> Option<Term> {
        self.begin();
        self.timed("eliminate", |solver| {
            let remainder = eliminate_by_rules(solver.terms, exists, body);
            if remainder.left.is_empty() {
                return Some(remainder.done);
            }
            let mut parts = vec![remainder.done];
            for QuantifiedFormula { outside, symbols, body } in remainder.left {
                parts.push(solver.terms.and([outside, solver.eliminate_by_tactic(&symbols, body)?]));
            }
            Some(solver.terms.or(parts))
        })
    }

    fn simplify(&mut self, term: Term) -> Term {
        self.begin();
        let simpler = self.timed("simplify", |solver| {
            let formula = solver.translation.formula(solver.terms, term);
            solver.apply("ctx-solver-simplify", &formula)
        });
        simpler.unwrap_or(term)
    }

    fn set_kind(&mut self, kind: &'static str) {
        self.kind = kind;
    }

    fn statistics(&self) -> &QueryStatistics {
        &self.statistics
    }
}
