//! Prints the Büchi automaton of a formula in the Hanoi format:
//! `cargo run -p semper-automata --example hoa -- 'G (request -> F grant)'`.

use foundation::SourceMap;
use semper_automata::hoa;
use semper_automata::ltl::{self, Formulas};
use semper_automata::translate::{Options, translate};

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "G (request -> F grant)".to_owned());
    let (mut sources, mut formulas) = (SourceMap::new(), Formulas::default());
    let source = sources.add("formula", text.as_str());
    let formula = match ltl::parse(&sources, source, &mut formulas) {
        Ok(formula) => formula,
        Err(diagnostics) => {
            diagnostics.iter().for_each(|diagnostic| eprintln!("{}", diagnostic.message));
            std::process::exit(2);
        }
    };
    match translate(&mut formulas, formula, &Options::default()) {
        Ok(translation) => print!("{}", hoa::write(&translation.automaton, formulas.atoms(), Some(&text))),
        Err(failure) => eprintln!("there is no automaton: {failure}"),
    }
}
