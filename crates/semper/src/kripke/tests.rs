//! Verdicts on random structures against a search through all short lassos, and paths that must not pass their check.

use automata::ltl::evaluate_lasso;
use foundation::Budget;

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

/// A sequence of numbers that looks random (Knuth's generator).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A structure with up to four states over `p` and `q`; some states may be deadlocks.
fn random_structure(random: &mut Random) -> String {
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
    let mut random = Random(7);
    let (mut violated, mut held) = (0, 0);
    for _ in 0..150 {
        let text = random_structure(&mut random);
        let assumptions: Vec<&str> = FORMULAS.into_iter().filter(|_| random.below(14) == 0).collect();
        let mut structure = load(&text, &FORMULAS, &assumptions);
        for property in structure.properties.clone() {
            let shown = structure.formulas.display(property.formula).to_string();
            match decide(&mut structure, &property, &Budget::unlimited()) {
                Decided::Violated(_, evidence) => {
                    assert!(evidence.checked);
                    violated += 1;
                }
                Decided::Holds(evidence) => {
                    assert!(evidence.checked, "{evidence:?}");
                    assert!(!is_violated_within(&structure, &property, 6), "{text}\n{shown} under {assumptions:?}");
                    held += 1;
                }
                Decided::Unknown(reason) => panic!("{text}\n{shown}: {reason}"),
            }
        }
    }
    assert!(violated > 300 && held > 300, "{violated} violated, {held} held");
}

#[test]
fn paths_that_prove_nothing_do_not_pass() {
    let text = "initial a; state a {p} -> b, c; state b -> a; state c {q}; state d -> d;";
    let structure = load(text, &["G F p"], &["F q"]);
    let property = structure.properties[0].clone();
    let run = |stem: &str, cycle: &str| {
        let states =
            |names: &str| names.chars().map(|name| structure.kripke.find_state(&name.to_string()).unwrap()).collect();
        check_path(&structure, &property, &Run { stem: states(stem), cycle: states(cycle) })
    };
    assert_eq!(run("a", "c"), Ok(()));
    for (stem, cycle, fault) in [
        ("", "", "empty"),
        ("a", "", "empty"),
        ("", "d", "not initial"),
        ("b", "c", "not initial"),
        ("aa", "c", "no transition leads from `a` to `a`"),
        ("ab", "c", "no transition leads from `b` to `c`"),
        ("a", "bac", "no transition leads from `c` to `b`"),
        ("", "ab", "does not satisfy the assumption `F q`"),
    ] {
        let found = run(stem, cycle).unwrap_err();
        assert!(found.contains(fault), "{stem} ({cycle}): {found}");
    }
    let other = load(text, &["F q"], &[]);
    let [a, c] = ["a", "c"].map(|name| other.kripke.find_state(name).unwrap());
    let found = check_path(&other, &other.properties[0], &Run { stem: vec![a], cycle: vec![c] });
    assert_eq!(found, Err("the path satisfies the property".to_owned()));
}

#[test]
fn limits_end_in_unknown() {
    let mut structure = load("initial a; state a {p} -> a;", &["G F p"], &[]);
    let property = structure.properties[0].clone();
    let budget = Budget::unlimited().with_time(std::time::Duration::ZERO);
    assert_eq!(decide(&mut structure, &property, &budget), Decided::Unknown("time".to_owned()));
}
