//! Verdicts on random structures against a search through all short lassos; the paths of violations, by the definition.

use automata::ltl::evaluate_lasso;
use foundation::{Budget, SplitMix64};
use subject::structure::load_structure;
use subject::{Input, Properties, Request};

use super::*;

fn load(text: &str, formulas: &[&str], assumptions: &[&str]) -> Structure {
    let request = Request {
        files: vec![Input::Text { name: "test.kripke".to_owned(), text: text.to_owned() }],
        properties: Properties::Formulas(formulas.iter().map(|&text| text.to_owned()).collect()),
        assumptions: assumptions.iter().map(|&text| text.to_owned()).collect(),
        ..Request::default()
    };
    let loaded = load_structure(&request);
    loaded.structure.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

/// A structure with up to four states over `p` and `q`; some states may be deadlocks.
fn random_structure(random: &mut SplitMix64) -> String {
    let count = 1 + random.below(4);
    let mut text = format!("atoms p, q; initial s{};", random.below(count));
    for state in 0..count {
        let labels = ["", "p", "q", "p, q"][random.below(4)];
        let successors: Vec<String> =
            (0..count).filter(|_| random.below(3) == 0).map(|next| format!("s{next}")).collect();
        let arrow = if successors.is_empty() { "" } else { " -> " };
        text.push_str(&format!(" state s{state} {{{labels}}}{arrow}{};", successors.join(", ")));
    }
    text
}

/// Whether some lasso of the structure with so many positions satisfies the assumptions and violates the property.
fn is_violated_within(structure: &Structure, property: &Property, longest: usize) -> bool {
    let mut open: Vec<Vec<KripkeState>> = structure.kripke.initial().iter().map(|&state| vec![state]).collect();
    let observed_atoms: Vec<AtomId> = structure.formulas.atoms().iter().map(|(id, _)| id).collect();
    let observed = Observed::new(&structure.kripke, structure.formulas.atoms(), &observed_atoms).unwrap();
    while let Some(path) = open.pop() {
        let last = *path.last().expect("paths are not empty");
        let letters: Vec<Letter> = path.iter().map(|&state| observed.letter(state)).collect();
        for next in structure.kripke.successors(last) {
            for start in (0..path.len()).filter(|&start| path[start] == next) {
                let holds =
                    |formula| evaluate_lasso(&structure.formulas, formula, &letters[..start], &letters[start..]);
                if structure.assumptions.iter().all(|&assumption| holds(assumption)) && !holds(property.formula) {
                    return true;
                }
            }
            if path.len() < longest {
                open.push([&path[..], &[next]].concat());
            }
        }
    }
    false
}

/// Whether a path begins in an initial state, takes transitions alone, closes its loop, satisfies the assumptions and
/// violates the property; all of it by definition.
fn check_path(structure: &Structure, property: &Property, run: &KripkePath) -> Result<(), String> {
    let Structure { kripke, formulas, assumptions, .. } = structure;
    let states: Vec<KripkeState> = run.stem.iter().chain(&run.cycle).copied().collect();
    let Some(&first_of_cycle) = run.cycle.first() else {
        return Err("the loop of the path is empty".to_owned());
    };
    if !kripke.initial().contains(&states[0]) {
        return Err(format!("the path begins in `{}`, which is not initial", kripke.name(states[0])));
    }
    let follow = states[1..].iter().chain([&first_of_cycle]);
    for (&from, &to) in states.iter().zip(follow) {
        if !kripke.successors(from).contains(&to) {
            return Err(format!("no transition leads from `{}` to `{}`", kripke.name(from), kripke.name(to)));
        }
    }
    let atoms = atoms_of(formulas, [property.formula].into_iter().chain(assumptions.iter().copied()));
    let observed = Observed::new(kripke, formulas.atoms(), &atoms).map_err(|_| "an atom has no meaning".to_owned())?;
    let letters = |states: &[KripkeState]| states.iter().map(|&state| observed.letter(state)).collect::<Vec<Letter>>();
    let (stem, cycle) = (letters(&run.stem), letters(&run.cycle));
    let holds = |formula: Formula| evaluate_lasso(formulas, formula, &stem, &cycle);
    if let Some(&assumption) = assumptions.iter().find(|&&assumption| !holds(assumption)) {
        return Err(format!("the path does not satisfy the assumption `{}`", formulas.display(assumption)));
    }
    match holds(property.formula) {
        true => Err("the path satisfies the property".to_owned()),
        false => Ok(()),
    }
}

fn explicit() -> Settings {
    Settings { engine: engines::explicit::ENTRY, ..Settings::default() }
}

const FORMULAS: [&str; 14] = [
    "G p",
    "F q",
    "G F p",
    "F G q",
    "p U q",
    "G (p -> F q)",
    "G (p -> X q)",
    "(p W q) || X X p",
    "G F p -> G F q",
    "G !deadlock",
    "F deadlock || G F (p && X q)",
    "p M q",
    "X (p <-> q)",
    "G (p xor X p)",
];

#[test]
fn verdicts_agree_with_a_search_through_short_lassos() {
    let mut random = SplitMix64::new(7);
    let (mut violated, mut held) = (0, 0);
    for _ in 0..150 {
        let text = random_structure(&mut random);
        let assumptions: Vec<&str> = FORMULAS.into_iter().filter(|_| random.below(14) == 0).collect();
        let structure = load(&text, &FORMULAS, &assumptions);
        let subject = StructureSubject::new(&structure);
        for (number, property) in structure.properties.iter().enumerate() {
            let shown = structure.formulas.display(property.formula).to_string();
            match decide(&structure, &subject, number, &explicit(), &Budget::unlimited()) {
                Decided::Violated(run, evidence) => {
                    assert!(evidence.checked);
                    assert_eq!(check_path(&structure, property, &run), Ok(()), "{text}\n{shown} under {assumptions:?}");
                    violated += 1;
                }
                Decided::Holds(evidence) => {
                    assert!(evidence.checked, "{evidence:?}");
                    assert!(!is_violated_within(&structure, property, 6), "{text}\n{shown} under {assumptions:?}");
                    held += 1;
                }
                // The tableau of many assumptions may be too large for the check.
                Decided::Unknown(reason) if assumptions.len() > 2 => assert!(reason.contains("too large"), "{reason}"),
                Decided::Unknown(reason) => panic!("{text}\n{shown} under {assumptions:?}: {reason}"),
            }
        }
    }
    assert!(violated > 300 && held > 300, "{violated} violated, {held} held");
}

#[test]
fn limits_end_in_unknown() {
    let structure = load("initial a; state a {p} -> a;", &["G F p"], &[]);
    let budget = Budget::unlimited().with_time(std::time::Duration::ZERO);
    let decided = decide(&structure, &StructureSubject::new(&structure), 0, &explicit(), &budget);
    assert!(matches!(decided, Decided::Unknown(reason) if reason == "time"));
}
