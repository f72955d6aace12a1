//! Decides all properties that stand in a C file, and prints for each what was found and by whom it was checked:
//! `cargo run -p semper --example decide -- examples/pump.c`.

use semper::{Budget, CheckedVerdict, Input, Request, Settings};

fn main() {
    let file = std::env::args().nth(1).unwrap_or_else(|| "examples/pump.c".to_owned());
    let request = Request { files: vec![Input::File(file)], ..Request::default() };
    let budget = Budget::unlimited();
    let loaded = semper::load(&request, &budget);
    let Some(subject) = loaded.subject else {
        loaded.diagnostics.iter().for_each(|diagnostic| eprintln!("{}", diagnostic.message));
        std::process::exit(2);
    };
    for (index, property) in subject.properties.iter().enumerate() {
        let outcome = semper::check(&subject, index, &Settings::default(), &budget);
        let said = match outcome.verdict {
            CheckedVerdict::Holds { .. } => "holds".to_owned(),
            CheckedVerdict::Violated { replayed: Some(execution), .. } => {
                format!("is violated by an execution of {} observed states", execution.run.observations.len())
            }
            CheckedVerdict::Violated { replayed: None, .. } => "is violated".to_owned(),
            CheckedVerdict::Unknown(reason) => format!("is not decided: {reason}"),
        };
        println!("{} {said}", subject.formulas.display(property.formula));
    }
}
