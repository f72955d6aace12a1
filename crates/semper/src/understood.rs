//! What was understood of a subject, for the report.

use analysis::reachable::reachable_functions;
use automata::ltl::Atom;
use foundation::Id;
use program::{Callee, FunctionId, Op, Program, VariableKind, print};
use report::diagnostics::DiagnosticJson;
use report::semantics::Modes;
use report::understood::{AtomUnderstood, ProgramFigures, PropertyUnderstood, Understood};
use subject::{Property, Subject};

/// The subject in figures and canonical forms, with `unknown` as the verdict on every property.
pub fn understood(subject: &Subject, warnings: Vec<DiagnosticJson>) -> Understood {
    let display = |formula| subject.formulas.display(formula).to_string();
    let program = &subject.program;
    let atoms = subject.formulas.atoms();
    Understood {
        verdict: "unknown".to_owned(),
        engine: "none".to_owned(),
        program: figures(program),
        modes: Modes::new(program, &subject.semantics),
        assumptions: subject.assumptions.iter().map(|&formula| display(formula)).collect(),
        properties: subject
            .properties
            .iter()
            .map(|property| PropertyUnderstood {
                name: property.name.clone(),
                origin: property.origin.clone(),
                property: display(property.formula),
                stops_at_call: stops_at_call(subject, property),
                verdict: "unknown".to_owned(),
                reason: Some("no engine".to_owned()),
            })
            .collect(),
        atoms: atoms.iter().map(|(id, atom)| atom_understood(atom, &subject.atoms[id.index()], subject)).collect(),
        warnings,
    }
}

fn stops_at_call(subject: &Subject, property: &Property) -> Option<String> {
    let function = subject.semantics_for(property).stop_at_call?;
    Some(subject.program.functions[function].name.clone())
}

/// Library functions are ours and not the user's, and of a header's inline functions most are never used: neither are
/// counted.
fn figures(program: &Program) -> ProgramFigures {
    let reachable = reachable_functions(program);
    let counts = |function: FunctionId| reachable.contains(&function) && !program.functions[function].library;
    let locations = || program.locations.values().filter(|location| counts(location.function));
    let edges = || locations().flat_map(|location| &location.out).map(|&edge| &program.edges[edge]);
    let is_global = |variable: &&program::Variable| matches!(variable.kind, VariableKind::Global { .. });
    let with_body = |&function: &FunctionId| counts(function) && program.functions[function].entry.is_some();
    ProgramFigures {
        entry: program.entry.map(|entry| program.functions[entry].name.clone()).unwrap_or_default(),
        functions: program.functions.ids().filter(with_body).count(),
        locations: locations().count(),
        edges: edges().count(),
        globals: program.variables.values().filter(is_global).count(),
        inputs: edges().filter(|edge| is_input(program, &edge.op)).count(),
        threads: program.has_threads(),
    }
}

/// Whether an edge reads input; the result of a function without a body is one.
fn is_input(program: &Program, op: &Op) -> bool {
    match op {
        Op::Input { .. } | Op::Havoc { .. } => true,
        Op::Call { callee: Callee::Function(function), result: Some(_), .. } => {
            program.functions[*function].entry.is_none()
        }
        _ => false,
    }
}

fn atom_understood(atom: &Atom, meaning: &program::Atom, subject: &Subject) -> AtomUnderstood {
    let program = &subject.program;
    let (text, reads) = match meaning {
        program::Atom::State { value, active, reads } => {
            let mut text = format!("`{}`", print::expr_text(program, *value));
            let names: Vec<String> =
                active.iter().map(|&function| format!("`{}`", program.told_function(function))).collect();
            if !names.is_empty() {
                text = format!("{text} while {} is active", names.join(" and "));
            }
            let read = |&id: &program::VariableId| {
                let variable = &program.variables[id];
                let model_type = || print::type_text(&program.types, variable.ty);
                let ty = subject.type_names.get(&id).cloned().unwrap_or_else(model_type);
                format!("`{}` ({ty})", program.told_variable(id))
            };
            (text, reads.iter().map(read).collect())
        }
        program::Atom::Call(function) => (format!("the entry of `{}`", program.told_function(*function)), Vec::new()),
        program::Atom::Overflow => ("the state after a signed overflow".to_owned(), Vec::new()),
        program::Atom::End => ("true once the program has ended".to_owned(), Vec::new()),
        program::Atom::Error => ("true once behaviour was undefined".to_owned(), Vec::new()),
        program::Atom::Deadlock => ("true once no thread can go on".to_owned(), Vec::new()),
    };
    AtomUnderstood { atom: atom.to_string(), meaning: text, reads }
}
