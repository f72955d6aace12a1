//! The state space of a sequential program, compiled to native code.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`model`] | what is compiled: points of control, variables, letters |
//! | [`facts`] | what the analyses say of it |
//! | [`layout`] | how states are packed |
//! | [`emit`](mod@emit), [`expression`], [`fold`] | the code between two points, specialised for what is known |
//! | [`code`] | compiled functions, and the one place where they are called |
//!
//! Functions are compiled when control first comes to a point with new values of the variables that have few. Where
//! that would make too many or too large functions, one function per point takes their place.

pub mod code;
pub mod emit;
pub mod expression;
pub mod facts;
pub mod fold;
pub mod layout;
pub mod model;

use std::sync::{Arc, Mutex, PoisonError};

use analysis::resolved::without_pointers;
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted, Id};
use program::passes::inline::NotInlined;
use program::passes::{NotPrepared, Prepared, prepare, simplify};
use program::semantics::Answer;
use task::{Board, Fact, LetterBits, Negation, Preparation, Reason, Task, preparation};

use super::space::{Advance, LeadsOn, Next, Space, StateSuccessors, Successor};
use super::store::append;
use code::{Code, CompiledFunction, NativeCompiler, NoFunction};
use emit::{OutputWords, status};
use facts::PreparedFacts;
use layout::{Layout, SlotPosition};
use model::{NativeModel, NotNative, PointKind, Slot, SlotId};

/// Programs that inlining makes larger than this are not compiled.
const MOST_EDGES: usize = 1_000_000;

/// About how many bytes an edge takes until it is compiled, with what is known of it.
const BYTES_PER_EDGE: u64 = 1_000;

/// The budget is looked at after so many inputs of a state.
const INPUTS_PER_CHECK: usize = 1 << 10;

/// A specialised function with more places than this is not worth it.
const MOST_PLACES: usize = 4_000;

/// How many specialised functions there may be.
const MOST_FUNCTIONS: usize = 20_000;

/// The compiled state space of a program.
pub struct NativeSpace {
    shared: Arc<SharedModel>,
    budget: Budget,
    functions: HashMap<u64, CompiledFunction>,
    /// The function that was called last, and for which key.
    last: Option<(u64, CompiledFunction)>,
    output: Vec<u64>,
    /// The letters of known words, as far as they were looked up.
    words: Vec<Vec<LetterBits>>,
}

struct SharedModel {
    model: NativeModel,
    layout: Layout,
    frame: OutputWords,
    code: Code,
    compiled: Mutex<Compiled>,
}

/// What was compiled in one turn is there in the next.
impl Fact for SharedModel {
    const NAME: &'static str = "compiled program";
}

/// What all forks of a space have compiled.
struct Compiled {
    compiler: NativeCompiler,
    functions: HashMap<u64, CompiledFunction>,
    /// By point: whether its code is not specialised.
    general: Vec<bool>,
}

impl NativeSpace {
    /// Compiles the program of a task, for an automaton whose state needs so many bits, or finds it on the board.
    pub fn of(
        task: &Task,
        negation: &Negation,
        tag_bits: u32,
        board: &Board,
        budget: &Budget,
    ) -> Result<Self, NotNative> {
        let compile = || SharedModel::new(task, negation, tag_bits, board, budget);
        Ok(Self::view(board.once(super::ENTRY.name, compile)?, budget.clone()))
    }

    fn view(shared: Arc<SharedModel>, budget: Budget) -> Self {
        let output = vec![0; shared.frame.length];
        Self { shared, budget, functions: HashMap::default(), last: None, output, words: Vec::new() }
    }

    fn point(&self, state: &[u64]) -> u32 {
        let field = self.shared.layout.point;
        ((state[field.word] & field.mask()) >> field.shift) as u32
    }

    fn function(&mut self, state: &[u64]) -> Result<CompiledFunction, Reason> {
        let key = state[0] & self.shared.layout.key_mask;
        if let Some((last, function)) = self.last
            && last == key
        {
            return Ok(function);
        }
        let function = match self.functions.get(&key) {
            Some(&function) => function,
            None => {
                let function = self.compile(state, key)?;
                self.functions.insert(key, function);
                function
            }
        };
        self.last = Some((key, function));
        Ok(function)
    }

    fn compile(&self, state: &[u64], key: u64) -> Result<CompiledFunction, Reason> {
        let SharedModel { model, layout, code, compiled, .. } = &*self.shared;
        let mut compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let Compiled { compiler, functions, general } = &mut *compiled;
        if let Some(&function) = functions.get(&key) {
            return Ok(function);
        }
        self.budget.check()?;
        let point = self.point(state);
        let refused = |error| Reason::Incomplete(format!("the program cannot be compiled: {error}"));
        if functions.len() < MOST_FUNCTIONS && !general[point as usize] {
            match compiler.compile(code, model, layout, point, &self.known(state, point), MOST_PLACES) {
                Ok(function) => {
                    functions.insert(key, function);
                    return Ok(function);
                }
                Err(NoFunction::TooLarge) => general[point as usize] = true,
                Err(NoFunction::Compiler(error)) => return Err(refused(error)),
            }
        }
        // One function for the point, under the key of the point alone.
        let point_key = state[0] & layout.point.mask();
        let unspecialised = u64::MAX ^ point_key;
        let function = match functions.get(&unspecialised) {
            Some(&function) => function,
            None => {
                let known = if point == 0 { self.known(state, point) } else { Vec::new() };
                compiler.compile(code, model, layout, point, &known, usize::MAX).map_err(|failure| match failure {
                    NoFunction::TooLarge => refused("it is too large".to_owned()),
                    NoFunction::Compiler(error) => refused(error),
                })?
            }
        };
        functions.insert(unspecialised, function);
        functions.insert(key, function);
        Ok(function)
    }

    /// What code is specialised for in a state.
    fn known(&self, state: &[u64], point: u32) -> Vec<(SlotId, i64)> {
        let SharedModel { model, layout, .. } = &*self.shared;
        if point == 0 {
            let scalars = model.slots.iter().filter(|(_, slot)| matches!(slot, Slot::Scalar { .. }));
            return scalars.map(|(slot, _)| (slot, model.initial[slot.index()])).collect();
        }
        let location = model.points[point as usize].location;
        let live = layout.known.iter().filter(|slot| model.is_live(location, **slot));
        live.filter_map(|&slot| match layout.slots[slot.index()] {
            SlotPosition::Field(field) => {
                let packed = (state[field.word] & field.mask()) >> field.shift;
                Some((slot, field.least.wrapping_add(packed as i64)))
            }
            _ => None,
        })
        .collect()
    }

    fn input(&self, point: u32, number: u32) -> i64 {
        match &self.shared.model.points[point as usize].kind {
            PointKind::Input { domain, .. } => domain.get(number as usize).copied().unwrap_or(0),
            _ => 0,
        }
    }

    fn show(&mut self, returned: i64, next: &mut Next) {
        next.letters.clear();
        next.last = push_letters(&self.shared, &mut self.words, &self.output, returned, &mut next.letters);
        next.word = ((returned >> 8) as u32).checked_sub(1);
        (next.enabled, next.ran) = (1, 1);
    }

    /// The memory as it is before the first step.
    fn start_memory(&mut self) {
        let memory = self.shared.frame.memory;
        for (word, bytes) in self.shared.model.initial_memory.chunks(8).enumerate() {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            self.output[memory + word] = u64::from_le_bytes(padded);
        }
    }
}

impl SharedModel {
    fn new(task: &Task, negation: &Negation, tag_bits: u32, board: &Board, budget: &Budget) -> Result<Self, NotNative> {
        let time_is_left = || budget.check().map_err(out_of);
        let prepared = simplified(task, board, budget)?;
        time_is_left()?;
        // Pointers become numbers.
        let prepared = without_pointers(&prepared).map_or(prepared, simplify);
        time_is_left()?;
        let facts = PreparedFacts::new(&prepared);
        time_is_left()?;
        let model = NativeModel::new(task, negation, prepared, facts)?;
        let layout = Layout::new(&model, tag_bits);
        let (compiler, code) = NativeCompiler::new(&model, &layout).map_err(|error| NotNative::new(error, None))?;
        let general = vec![false; model.points.len()];
        let compiled = Mutex::new(Compiled { compiler, functions: HashMap::default(), general });
        let frame = OutputWords::new(&model, &layout);
        Ok(Self { model, layout, frame, code, compiled })
    }
}

/// The program without calls and simplified: the one on the board, or where it is too large for that, one of its own.
fn simplified(task: &Task, board: &Board, budget: &Budget) -> Result<Prepared, NotNative> {
    let refused = |why| match why {
        NotPrepared::Threads => NotNative::new("threads", None),
        NotPrepared::NotInlined(NotInlined::Recursion { span, .. }) => NotNative::new("recursion", Some(span)),
        NotPrepared::NotInlined(NotInlined::TooLarge) => NotNative::new("a program of this size", None),
        NotPrepared::NotInlined(NotInlined::NoEntry) => NotNative::new("a program without an entry", None),
    };
    let most_edges = budget.memory().map_or(MOST_EDGES, |bytes| MOST_EDGES.min((bytes / BYTES_PER_EDGE) as usize));
    if most_edges >= preparation::MOST_EDGES {
        match Preparation::of(task, board, super::ENTRY.name, budget).map_err(out_of)? {
            Err(NotPrepared::NotInlined(NotInlined::TooLarge)) => {}
            prepared => return prepared.map(|prepared| prepared.simplified.clone()).map_err(refused),
        }
    }
    let inlined = prepare(&task.program, &task.atoms, task.semantics, most_edges).map_err(refused)?;
    budget.check().map_err(out_of)?;
    Ok(simplify(inlined))
}

fn out_of(why: Exhausted) -> NotNative {
    NotNative::new(format!("the limit on {why}"), None)
}

/// Copies the letters that a step has shown; returns the last letter shown up to here. In `words` are the letters of
/// known words, as far as they were looked up.
fn push_letters(
    shared: &SharedModel,
    words: &mut Vec<Vec<LetterBits>>,
    output: &[u64],
    returned: i64,
    letters: &mut Vec<LetterBits>,
) -> LetterBits {
    let word = (returned >> 8) as usize;
    if word == 0 {
        let start = shared.frame.letters;
        let count = output[start] as usize;
        letters.extend_from_slice(&output[start + 2..start + 2 + count]);
        return output[start + 1];
    }
    if word > words.len() {
        let compiled = shared.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &compiled.compiler.words.letters;
        words.extend(known[words.len()..].iter().cloned());
    }
    append(letters, &words[word - 1]);
    words[word - 1].last().copied().unwrap_or(0)
}

/// Why a compiled function could not go on.
fn refusal(status: i64) -> Reason {
    let why = match status {
        status::TOO_WIDE => "an ideal integer outgrew 64 bits",
        _ => "a variable left the range that was found for it",
    };
    Reason::Incomplete(why.to_owned())
}

impl Space for NativeSpace {
    fn words(&self) -> usize {
        self.shared.layout.words
    }

    fn tag_shift(&self) -> u32 {
        self.shared.layout.tag_shift
    }

    fn initial(&mut self, state: &mut [u64]) {
        state.fill(0);
    }

    fn step(&mut self, state: &[u64], number: u32, next: &mut Next) -> Advance {
        let function = match self.function(state) {
            Ok(function) => function,
            Err(reason) => return Advance::Refused(reason),
        };
        let point = self.point(state);
        if point == 0 {
            self.start_memory();
        }
        let value = self.input(point, number);
        let returned = self.shared.code.call(function, state, number, value, &mut self.output);
        match returned & 0xff {
            status::NEXT => {
                self.show(returned, next);
                next.state.copy_from_slice(&self.output[..state.len()]);
                Advance::Next
            }
            status::ENDED => {
                self.show(returned, next);
                Advance::Ended
            }
            status::BLOCKED => Advance::Blocked,
            status::NO_MORE => Advance::NoMore,
            other => Advance::Refused(refusal(other)),
        }
    }

    fn successors(&mut self, state: &[u64], successors: &mut StateSuccessors) {
        successors.clear();
        let function = match self.function(state) {
            Ok(function) => function,
            Err(reason) => {
                successors.refusal = Some(reason);
                return;
            }
        };
        let point = self.point(state);
        if point == 0 {
            self.start_memory();
        }
        let Self { shared, budget, output, words, .. } = self;
        let domain: &[i64] = match &shared.model.points[point as usize].kind {
            PointKind::Input { domain, .. } => domain,
            PointKind::Start | PointKind::Cycle => &[0],
        };
        for (number, &value) in domain.iter().enumerate() {
            if number % INPUTS_PER_CHECK == INPUTS_PER_CHECK - 1
                && let Err(exhausted) = budget.check()
            {
                successors.refusal = Some(exhausted.into());
                return;
            }
            let returned = shared.code.call(function, state, number as u32, value, output);
            let leads = match returned & 0xff {
                status::NEXT => LeadsOn::On,
                status::ENDED => LeadsOn::Nowhere,
                status::BLOCKED => continue,
                other => {
                    successors.refusal = Some(refusal(other));
                    continue;
                }
            };
            let start = successors.letters.len() as u32;
            let last = push_letters(shared, words, output, returned, &mut successors.letters);
            append(&mut successors.states, &output[..state.len()]);
            successors.steps.push(Successor {
                number: number as u32,
                leads,
                word: ((returned >> 8) as u32).checked_sub(1),
                letters: (start, successors.letters.len() as u32),
                last,
                enabled: 1,
                ran: 1,
            });
        }
    }

    fn answers(&mut self, state: &[u64], number: u32) -> Vec<Answer> {
        let point = self.point(state);
        match &self.shared.model.points[point as usize].kind {
            PointKind::Input { edge, domain } => vec![self.shared.model.answer(*edge, domain[number as usize])],
            PointKind::Start | PointKind::Cycle => Vec::new(),
        }
    }

    fn fork(&self) -> Self {
        Self::view(Arc::clone(&self.shared), self.budget.clone())
    }
}
