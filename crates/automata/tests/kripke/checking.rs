//! Formulas on Kripke structures: the example of the lecture notes, and random structures against all short paths.

use foundation::{Budget, SourceMap};
use semper_automata::kripke::{Kripke, KripkePath, KripkeState, NotChecked, Observed, check_formula};
use semper_automata::ltl::{self, Formula, Formulas, Letter, evaluate_lasso};

use crate::texts::read;

pub fn formula(text: &str, formulas: &mut Formulas) -> Formula {
    let mut sources = SourceMap::new();
    let source = sources.add("formula", text);
    ltl::parse(&sources, source, formulas).expect("the formula is well-formed")
}

/// The letters along a path, for the atoms of a formula.
fn word(kripke: &Kripke, formulas: &Formulas, formula: Formula, run: &KripkePath) -> (Vec<Letter>, Vec<Letter>) {
    let observed = Observed::new(kripke, formulas.atoms(), &formulas.atoms_of(formula)).expect("all atoms are known");
    let letters = |states: &[KripkeState]| states.iter().map(|&state| observed.letter(state)).collect();
    (letters(&run.stem), letters(&run.cycle))
}

fn is_path(kripke: &Kripke, run: &KripkePath) -> bool {
    let states: Vec<KripkeState> = run.stem.iter().chain(&run.cycle).chain(run.cycle.first()).copied().collect();
    kripke.initial().contains(&states[0]) && states.windows(2).all(|pair| kripke.successors(pair[0]).contains(&pair[1]))
}

/// The violating path, which is checked by the definitions.
fn violation(kripke: &Kripke, text: &str) -> Option<KripkePath> {
    let mut formulas = Formulas::new();
    let formula = formula(text, &mut formulas);
    let run =
        check_formula(kripke, &mut formulas, formula, &Budget::unlimited()).expect("the formula can be checked")?;
    let (stem, repeated) = word(kripke, &formulas, formula, &run);
    assert!(is_path(kripke, &run), "{run:?} is not a path");
    assert!(!evaluate_lasso(&formulas, formula, &stem, &repeated), "{text} holds on {run:?}");
    Some(run)
}

/// The structure in `docs/tutorial.md`.
fn mutual_exclusion() -> Kripke {
    let page = include_str!("../../../../docs/tutorial.md");
    let opening = "```kripke mutex.kripke\n";
    let start = page.find(opening).expect("the page has an example") + opening.len();
    let length = page[start..].find("```").expect("the example ends");
    read(&page[start..start + length]).expect("the example is well-formed")
}

#[test]
fn the_example_of_the_lecture_notes() {
    let kripke = mutual_exclusion();
    assert_eq!(kripke.states().len(), 8);
    assert_eq!(violation(&kripke, "G (!c1 || !c2)"), None);
    let run = violation(&kripke, "G (t1 -> F c1) && G (t2 -> F c2)").expect("a process can starve");
    let names = |states: &[KripkeState]| states.iter().map(|&s| kripke.name(s)).collect::<Vec<_>>().join(" ");
    assert_eq!(run.cycle.len(), 3, "{} ( {} )", names(&run.stem), names(&run.cycle));
    assert!(run.stem.len() <= 2);
    assert_eq!(violation(&kripke, "G F (n1 || n2) -> G !(t1 && t2 && X (t1 && t2))"), None);
}

#[test]
fn a_deadlock_repeats_its_state() {
    let kripke = read("initial a; state a {p} -> b; state b {q};").expect("the structure is well-formed");
    assert_eq!(violation(&kripke, "F G q"), None);
    assert_eq!(violation(&kripke, "F deadlock && !deadlock"), None);
    assert!(violation(&kripke, "G F p").is_some());
    assert!(violation(&kripke, "G !deadlock").is_some());
}

#[test]
fn atoms_without_a_meaning_are_faults() {
    let kripke = read("atoms p, error; initial a; state a {p};").expect("the structure is well-formed");
    let codes = |text: &str| {
        let mut formulas = Formulas::new();
        let formula = formula(text, &mut formulas);
        match check_formula(&kripke, &mut formulas, formula, &Budget::unlimited()) {
            Err(NotChecked::Atoms(faults)) => faults.iter().map(|fault| fault.code).collect(),
            _ => Vec::new(),
        }
    };
    assert_eq!(codes("G (p -> F r)"), ["unknown-atom"]);
    assert_eq!(codes("G error || F call(f())"), ["unknown-atom", "unknown-atom"]);
    assert!(codes("G \"error\" || F \"p\"").is_empty());
}

const FORMULAS: &[&str] = &[
    "p",
    "X p",
    "F p",
    "G p",
    "G F p",
    "F G p",
    "p U q",
    "p R q",
    "G (p -> F q)",
    "G (p -> X q)",
    "F (p && X p)",
    "G F p && G F q",
    "F G p || F G q",
    "G F p -> G F q",
    "p W q",
    "(p U q) U p",
    "G (p -> X (q U p))",
    "!p U (q && p)",
    "X X (p <-> q)",
    "G (p || X p)",
    "F (p && X (q && X p))",
    "G (p xor q)",
    "true",
    "false",
    "G F (p && X q)",
];

/// All lasso paths with at most this many states.
fn paths(kripke: &Kripke, most: usize) -> Vec<KripkePath> {
    let mut paths: Vec<Vec<KripkeState>> = kripke.initial().iter().map(|&state| vec![state]).collect();
    let mut runs = Vec::new();
    for _ in 0..most {
        let mut longer = Vec::new();
        for path in &paths {
            for next in kripke.successors(path[path.len() - 1]) {
                for start in path.iter().enumerate().filter(|(_, state)| **state == next).map(|(start, _)| start) {
                    runs.push(KripkePath { stem: path[..start].to_vec(), cycle: path[start..].to_vec() });
                }
                longer.push(path.iter().copied().chain([next]).collect());
            }
        }
        paths = longer;
    }
    runs
}

#[test]
fn random_structures_agree_with_all_short_paths() {
    let mut seed = 88_172_645_463_325_252_u64;
    let mut roll = |sides: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) % sides
    };
    let (mut holding, mut violated) = (0, 0);
    for round in 0..60 {
        let mut kripke = Kripke::new();
        let atoms = ["p", "q"].map(|name| kripke.add_proposition(name));
        let states: Vec<KripkeState> =
            (0..2 + round % 3).filter_map(|state| kripke.add_state(&format!("s{state}"))).collect();
        kripke.add_initial(states[0]);
        for &from in &states {
            for &to in &states {
                if roll(100) < 40 {
                    kripke.add_transition(from, to);
                }
            }
            for atom in atoms {
                if roll(2) == 0 {
                    kripke.label(from, atom);
                }
            }
        }
        let runs = paths(&kripke, 5);
        for text in FORMULAS {
            let found = violation(&kripke, text);
            let mut formulas = Formulas::new();
            let formula = formula(text, &mut formulas);
            let violates = |run: &&KripkePath| {
                let (stem, repeated) = word(&kripke, &formulas, formula, run);
                !evaluate_lasso(&formulas, formula, &stem, &repeated)
            };
            let short = runs.iter().find(violates);
            match (&found, short) {
                (None, Some(run)) => panic!("{text} is violated by {run:?} in\n{}", kripke.text()),
                (None, None) => holding += 1,
                (Some(_), _) => violated += 1,
            }
        }
    }
    assert!(holding > 200 && violated > 200, "{holding} hold, {violated} do not");
}
