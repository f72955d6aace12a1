//! The automaton as tables in C.

use automata::buchi::{Automaton, Guard, Marks};
use foundation::Id;

/// The automaton; none if a guard is too large.
pub(super) fn tables(automaton: &Automaton<Guard>) -> Option<String> {
    const MOST_CUBES: usize = 1 << 12;
    let bits = |marks: Marks| marks.iter().fold(0_u64, |bits, mark| bits | 1 << mark);
    let (mut first, mut to, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    let (mut of_edge, mut cubes) = (Vec::new(), Vec::new());
    for state in automaton.states() {
        first.push(to.len().to_string());
        for edge in automaton.edges_from(state) {
            to.push(edge.to.index().to_string());
            marks.push(format!("{}ULL", bits(edge.marks)));
            of_edge.push(cubes.len().to_string());
            for cube in edge.label.cubes_within(MOST_CUBES)? {
                let with = |wanted: bool| {
                    let literals = cube.iter().filter(|(_, value)| *value == wanted);
                    literals.fold(0_u64, |letter, (atom, _)| letter | 1 << atom.index())
                };
                cubes.push(format!("{{{}ULL, {}ULL}}", with(true), with(false)));
            }
        }
    }
    first.push(to.len().to_string());
    of_edge.push(cubes.len().to_string());
    let initial: Vec<String> = automaton.initial().iter().map(|state| state.index().to_string()).collect();
    // No table may be empty in C: there is one entry more than needed.
    Some(format!(
        "#define STATES {}\n#define ALL {}ULL\nstatic const unsigned first_edge[] = {{{}}};\n\
         static const unsigned edge_to[] = {{{}0}};\nstatic const unsigned long long edge_marks[] = {{{}0}};\n\
         static const unsigned edge_cubes[] = {{{}}};\nstatic const unsigned long long cubes[][2] = {{{}{{0, 0}}}};\n\
         static const unsigned initial[] = {{{}}};\n",
        automaton.state_count(),
        bits(automaton.all_marks()),
        first.join(", "),
        to.iter().map(|to| format!("{to}, ")).collect::<String>(),
        marks.iter().map(|marks| format!("{marks}, ")).collect::<String>(),
        of_edge.join(", "),
        cubes.iter().map(|cube| format!("{cube}, ")).collect::<String>(),
        initial.join(", "),
    ))
}
