//! The command line of the hunt. `USAGE` says what it offers.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use hunt::compiled::{self, Compiler};
use hunt::differential::{Outcome, Side, compare};
use hunt::engines::Agreement;
use hunt::reduce::reduce;
use hunt::{GeneratedProgram, Size, generate, interpreted, library_program, passes, sanitised, wild};
use program::DataModel;

const USAGE: &str = "usage: hunt COMMAND [--count N] [--seed S] [--size small|medium|large] [--jobs N] [--into FOLDER]

commands:
  differential  compares the interpreter with the system's compiler, for 64-bit and where possible 32-bit machines
  passes        compares programs before and after the passes that prepare them for engines; needs no compiler
  engines       compares engines with each other and with executions, on small programs and formulas
  library       compares errors with what the compiler's sanitisers see, on programs that call library functions directly
                and through pointers; every eighth program is also checked for `G ! error` by the explicit engine
  generate      prints the program of one seed, its inputs and its trace
  validate      compares compilers with one another: shows that the programs leave nothing open
  coverage      counts how often each construct occurs

A program that disagrees is made small and written into FOLDER (default: hunt-findings); the exit status is then 1.";

/// How many smaller programs are tried for each finding, and where a sanitiser has to be built for each of them.
const REDUCTION_ATTEMPTS: usize = 4000;
const SANITISED_REDUCTION_ATTEMPTS: usize = 200;
/// How many findings are made small; the others, and refusals for the same reason, are only listed.
const REDUCED_FINDINGS: usize = 10;

#[derive(Clone)]
struct Options {
    command: String,
    count: u64,
    seed: u64,
    size: Size,
    jobs: u64,
    into: String,
    /// How many smaller programs are tried for each finding.
    attempts: usize,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match parse(&arguments) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match options.command.as_str() {
        "differential" => differential(&options),
        "passes" => passes(&options),
        "engines" => engines(&options),
        "library" => library(&options),
        "generate" => print_program(&options),
        "validate" => validate(&options),
        "coverage" => print_coverage(&options),
        other => {
            eprintln!("there is no command `{other}`\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let (command, rest) = arguments.split_first().ok_or("a command is missing")?;
    let mut options = Options {
        command: command.clone(),
        count: 100,
        seed: 1,
        size: Size::Medium,
        jobs: 2,
        into: "hunt-findings".to_string(),
        attempts: REDUCTION_ATTEMPTS,
    };
    for pair in rest.chunks(2) {
        let [name, value] = pair else { return Err(format!("`{}` has no value", pair[0])) };
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is no number"));
        match name.as_str() {
            "--count" => options.count = number()?,
            "--seed" => options.seed = number()?,
            "--size" => options.size = value.parse()?,
            "--jobs" => options.jobs = number()?.max(1),
            "--into" => options.into = value.clone(),
            _ => return Err(format!("there is no option `{name}`")),
        }
    }
    Ok(options)
}

fn print_program(options: &Options) -> ExitCode {
    let program = generate(options.seed, options.size);
    print!("{}", program.text);
    println!("// inputs: {:?}", program.inputs);
    match compiled::trace(&program, &Compiler::reference()) {
        Ok(trace) => {
            trace.iter().for_each(|state| println!("// {state}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn print_coverage(options: &Options) -> ExitCode {
    let mut total: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for seed in options.seed..options.seed + options.count {
        for (feature, count) in generate(seed, options.size).features {
            let entry = total.entry(feature).or_default();
            entry.0 += count;
            entry.1 += 1;
        }
    }
    println!("{:40} {:>10} {:>10}", "construct", "uses", "programs");
    for (feature, (uses, programs)) in total {
        println!("{feature:40} {uses:>10} {programs:>10}");
    }
    ExitCode::SUCCESS
}

/// The interpreter against the reference. A program that disagrees counts only if the run-time checks find nothing in
/// it, so that the reducer does not turn it into one that means nothing.
fn differential(options: &Options) -> ExitCode {
    interpreted::keep_panics_quiet();
    let mut models = vec![(Compiler::reference(), DataModel::Lp64)];
    if Compiler::reference_ilp32().is_available() {
        models.push((Compiler::reference_ilp32(), DataModel::Ilp32));
    } else {
        println!("{}: cannot link and run programs, so ILP32 is skipped", Compiler::reference_ilp32());
    }
    let checked = Compiler::checked();
    hunt_programs(options, &generate, &|program, wanted| {
        let mut states = 0;
        for (compiler, data_model) in &models {
            let found = interpreted::trace(program, *data_model).map_err(|message| format!("{data_model}: {message}"));
            // While a finding is made small, most candidates show something else, and need not be compiled.
            match (&found, wanted) {
                (Ok(_), Some(Outcome::Refusal(_))) => continue,
                (Err(message), Some(wanted)) if !wanted.is_like(&Outcome::Refusal(message.clone())) => {
                    return Outcome::Refusal(message.clone());
                }
                _ => {}
            }
            let mut reference = compiled_side(compiler);
            match compare(program, &mut reference, &mut |_| found.clone()) {
                Outcome::Agreement { states: seen } => states += seen,
                other => {
                    return match compare_with_all(program, &Compiler::reference(), std::slice::from_ref(&checked)) {
                        Outcome::Agreement { .. } => other,
                        not_a_program => not_a_program,
                    };
                }
            }
        }
        Outcome::Agreement { states }
    })
}

/// The interpreter and the explicit engine against sanitisers.
fn library(options: &Options) -> ExitCode {
    interpreted::keep_panics_quiet();
    let compiler = Compiler::sanitised();
    if !compiler.is_available() {
        eprintln!("{compiler}: cannot link and run programs");
        return ExitCode::from(2);
    }
    let tally = sanitised::Tally::default();
    let code = hunt_programs(
        &Options { attempts: SANITISED_REDUCTION_ATTEMPTS, ..options.clone() },
        &|seed, _| library_program(seed),
        &|program, wanted| {
            let ignored = sanitised::Tally::default();
            sanitised::compare(program, &compiler, if wanted.is_some() { &ignored } else { &tally })
        },
    );
    println!("{tally}");
    code
}

/// Engines against each other.
fn engines(options: &Options) -> ExitCode {
    interpreted::keep_panics_quiet();
    let (mut held, mut violated, mut compiled, mut fair) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut unknown: BTreeMap<String, u64> = BTreeMap::new();
    let mut unfair: BTreeMap<String, u64> = BTreeMap::new();
    let mut boxed = 0_u64;
    let (mut checked, mut unchecked) = (0_u64, BTreeMap::<String, u64>::new());
    let mut findings = 0_u64;
    for seed in options.seed..options.seed + options.count {
        let case = hunt::engines::case(seed);
        let budget = foundation::Budget::unlimited().with_time(std::time::Duration::from_secs(30)).with_memory(1 << 30);
        match hunt::engines::compare(&case, seed, &budget) {
            Agreement::Agree {
                holds,
                compiled: was_compiled,
                boxed: was_boxed,
                unfair: why,
                checked: passed,
                unchecked: left,
            } => {
                boxed += u64::from(was_boxed);
                checked += passed as u64;
                for why in left {
                    *unchecked.entry(why).or_default() += 1;
                }
                if holds {
                    held += 1
                } else {
                    violated += 1
                }
                compiled += u64::from(was_compiled);
                match why {
                    None => fair += 1,
                    Some(why) => *unfair.entry(why).or_default() += 1,
                }
            }
            Agreement::Unknown(reason) => *unknown.entry(reason).or_default() += 1,
            Agreement::Disagree(what) => {
                findings += 1;
                println!("seed {seed}: {what}");
                println!("  {} --ltl '{}'", case.options, case.reactive.formula);
                let path = Path::new(&options.into).join(format!("engines-{seed}.c"));
                let written =
                    std::fs::create_dir_all(&options.into).and_then(|()| std::fs::write(&path, &case.reactive.program));
                if written.is_err() {
                    println!("{}", case.reactive.program);
                }
            }
        }
    }
    println!(
        "{held} hold, {violated} are violated, of these {compiled} compiled, {boxed} by boxes, {fair} by the fairness engine too; \
         {checked} proofs checked; {findings} disagreements"
    );
    for (reason, count) in unknown {
        println!("{count} unknown: {reason}");
    }
    for (reason, count) in unfair {
        println!("{count} unknown to the fairness engine: {reason}");
    }
    for (reason, count) in unchecked {
        println!("{count} proofs not checked: {reason}");
    }
    ExitCode::from(u8::from(findings > 0))
}

/// The interpreter against itself, before and after the passes. Every second program is one in which anything may
/// happen.
fn passes(options: &Options) -> ExitCode {
    interpreted::keep_panics_quiet();
    let either = |seed: u64, size| if seed.is_multiple_of(2) { wild(seed, size) } else { generate(seed, size) };
    hunt_programs(options, &either, &|program, _| passes::outcome(program))
}

/// Where programs come from: a seed and a size.
type Generate<'a> = dyn Fn(u64, Size) -> GeneratedProgram + Sync + 'a;

/// A test of a program; while a finding is made small, with the outcome that is wanted.
type Test<'a> = dyn Fn(&GeneratedProgram, Option<&Outcome>) -> Outcome + Sync + 'a;

/// The reference against all witnesses that are installed, and against the run-time checks.
fn validate(options: &Options) -> ExitCode {
    let mut witnesses = vec![Compiler::checked()];
    witnesses.extend(Compiler::witnesses());
    witnesses.retain(|compiler| {
        let available = compiler.is_available();
        println!("{compiler}: {}", if available { "compared" } else { "not installed, skipped" });
        available
    });
    let small = Compiler::new("cc", &["-O2", "-w", "-m32", "-msse2", "-mfpmath=sse"]);
    let compares_ilp32 = small.is_available();
    println!("{small}: {}", if compares_ilp32 { "compared" } else { "not installed, skipped" });
    hunt_programs(options, &generate, &|program, _| {
        let outcome = compare_with_all(program, &Compiler::reference(), &witnesses);
        if compares_ilp32 && matches!(outcome, Outcome::Agreement { .. }) {
            let narrow = compare_with_all(program, &Compiler::reference_ilp32(), std::slice::from_ref(&small));
            if !matches!(narrow, Outcome::Agreement { .. }) {
                return narrow;
            }
        }
        outcome
    })
}

/// The first outcome that is no agreement, or that of the last witness.
fn compare_with_all(program: &GeneratedProgram, reference: &Compiler, witnesses: &[Compiler]) -> Outcome {
    let expected = match compiled::trace(program, reference) {
        Ok(trace) => trace,
        Err(error) => return Outcome::Invalid(format!("{reference}: {error}")),
    };
    let mut result = Outcome::Agreement { states: expected.len() };
    for witness in witnesses {
        let mut side = compiled_side(witness);
        result = compare(program, &mut |_| Ok(expected.clone()), &mut side);
        if !matches!(result, Outcome::Agreement { .. }) {
            break;
        }
    }
    result
}

fn compiled_side(compiler: &Compiler) -> Box<Side<'static>> {
    let compiler = compiler.clone();
    Box::new(move |program| compiled::trace(program, &compiler).map_err(|error| format!("{compiler}: {error}")))
}

/// Tests the programs of all seeds, in parallel, and writes what does not agree.
fn hunt_programs(options: &Options, generate: &Generate<'_>, test: &Test<'_>) -> ExitCode {
    let next = AtomicU64::new(0);
    let states_seen = AtomicU64::new(0);
    let skipped = AtomicU64::new(0);
    let findings = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= options.count {
                        return;
                    }
                    if number > 0 && number.is_multiple_of(100) {
                        println!("{number} of {} programs", options.count);
                    }
                    let program = generate(options.seed + number, options.size);
                    let outcome = test(&program, None);
                    if let Outcome::Agreement { states } = outcome {
                        states_seen.fetch_add(states as u64, Ordering::Relaxed);
                        continue;
                    }
                    if is_fault_of_a_compiler(&outcome) {
                        skipped.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                    println!("seed {}: {outcome}", program.seed);
                    let is_new = {
                        let mut list = findings.lock().expect("no thread panics while it holds the list");
                        // Disagreements all look alike, so each of them may be a new one; refusals do not.
                        let is_new = list.len() < REDUCED_FINDINGS
                            && !list.iter().any(|earlier: &Outcome| {
                                matches!(outcome, Outcome::Refusal(_)) && earlier.is_like(&outcome)
                            });
                        list.push(outcome.clone());
                        is_new
                    };
                    if is_new {
                        write_finding(options, &program, &outcome, test);
                    }
                }
            });
        }
    });
    let findings = findings.into_inner().expect("no thread panics while it holds the list");
    let skipped = skipped.into_inner();
    let compared = options.count - skipped;
    println!("{compared} programs compared, {} states, {} findings", states_seen.into_inner(), findings.len());
    if skipped > 0 {
        println!("{skipped} programs skipped, on which a compiler failed with an internal error");
    }
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compilers have faults of their own, which random programs find as well.
fn is_fault_of_a_compiler(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Invalid(message) | Outcome::Refusal(message) => message.contains("internal compiler error"),
        _ => false,
    }
}

fn write_finding(options: &Options, program: &GeneratedProgram, outcome: &Outcome, test: &Test<'_>) {
    let mut last = outcome.clone();
    let reduced = reduce(program, options.attempts, &mut |candidate| {
        let result = test(candidate, Some(outcome));
        let interesting = result.is_like(outcome);
        if interesting {
            last = result;
        }
        interesting
    });
    let folder = Path::new(&options.into);
    let name = folder.join(format!("seed-{}.c", program.seed));
    let mut text = reduced.text;
    for line in last.to_string().lines() {
        text.push_str(&format!("// {line}\n"));
    }
    text.push_str(&format!("// inputs: {:?}\n", reduced.inputs));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&name, text));
    match written {
        Ok(()) => println!("seed {}: reduced into {}", program.seed, name.display()),
        Err(error) => eprintln!("{} cannot be written: {error}", name.display()),
    }
}
