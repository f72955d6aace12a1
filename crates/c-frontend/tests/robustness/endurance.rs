//! Random texts for a second, or for as long as `SEMPER_FUZZ_SECONDS` says; `SEMPER_FUZZ_SEED` chooses another sequence.
//! A text that breaks the front end is written to the test's output; one that takes too long counts as broken.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use semper_c_frontend::robustness::{TextOutcome, check};

use super::corpus;
use super::generate;
use super::mutate::damaged;
use super::random::Random;

/// A small text must not take longer. Most take a few milliseconds.
const MOST_TIME: Duration = Duration::from_secs(300);

/// What the worker is doing, for the thread that watches it.
#[derive(Default)]
struct Progress {
    finished: AtomicU64,
    text: Mutex<String>,
    failures: Mutex<Vec<String>>,
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A text of one of several sorts.
fn text(random: &mut Random) -> String {
    let programs = corpus::programs();
    match random.below(11) {
        0 => generate::program(random, 0),
        1..=3 => generate::program(random, 300),
        4 => generate::program(random, 60),
        5 => generate::program(random, 12),
        10 => {
            let (sound, other) = (generate::program(random, 300), generate::OTHER_FILE.to_owned());
            let other = if random.one_in(3) { other } else { damaged(random, &other, programs) };
            format!("{sound}\u{c}{other}")
        }
        6 => {
            let sound = generate::program(random, 0);
            damaged(random, &sound, programs)
        }
        _ => {
            let at = random.below(programs.len());
            damaged(random, &programs[at], programs)
        }
    }
}

#[test]
fn any_program_is_taken() {
    let time = Duration::from_secs(number("SEMPER_FUZZ_SECONDS").unwrap_or(1));
    let seed = number("SEMPER_FUZZ_SEED").unwrap_or(0);
    let progress = Arc::new(Progress::default());
    let shared = progress.clone();
    let worker = std::thread::spawn(move || {
        let begin = Instant::now();
        let (mut ran, mut count) = (0u64, 0u64);
        while begin.elapsed() < time {
            let text = text(&mut Random::new(seed << 32 | count));
            shared.text.lock().unwrap().clone_from(&text);
            match catch_unwind(AssertUnwindSafe(|| check(text.as_bytes()))) {
                Ok(TextOutcome::Ran) => ran += 1,
                Ok(TextOutcome::Refused) => {}
                Err(_) => shared.failures.lock().unwrap().push(text),
            }
            count += 1;
            shared.finished.store(count, Ordering::Relaxed);
        }
        (count, ran)
    });
    watch(&progress, || worker.is_finished());
    let (count, ran) = worker.join().expect("panics are caught");
    println!("{count} texts, {ran} of them ran");
    let failures = progress.failures.lock().unwrap();
    assert!(failures.is_empty(), "{} of {count} texts broke it:\n{}", failures.len(), failures.join("\n----\n"));
    assert!(ran * 10 > count, "only {ran} of {count} texts became programs: the generator has gone astray");
}

/// Waits for the worker, and gives up on a text that takes too long.
fn watch(progress: &Progress, is_finished: impl Fn() -> bool) {
    let mut last = (0, Instant::now());
    while !is_finished() {
        std::thread::sleep(Duration::from_millis(20));
        let finished = progress.finished.load(Ordering::Relaxed);
        if finished != last.0 {
            last = (finished, Instant::now());
        }
        let text = || progress.text.lock().unwrap().clone();
        assert!(last.1.elapsed() < MOST_TIME, "no end in {MOST_TIME:?}:\n{}", text());
    }
}

#[test]
fn the_programs_to_be_damaged_are_programs() {
    for text in corpus::programs() {
        let directives = text.lines().any(|line| line.starts_with("#include"));
        if directives || !text.contains("main(") {
            continue;
        }
        check(text.as_bytes());
    }
    assert!(corpus::programs().len() > 40, "the pages hold programs");
    let programs = 100;
    let sound = (0..programs)
        .filter(|seed| check(generate::program(&mut Random::new(*seed), 0).as_bytes()) == TextOutcome::Ran);
    let sound = sound.count();
    assert!(sound * 2 > programs as usize, "without faults most programs are sound: {sound}");
}
