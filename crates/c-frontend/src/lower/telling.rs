//! What people call variables and functions that share their names, and which parts of variables are enumerated.
//!
//! A file's name qualifies what has internal linkage (`ring.c::calls`), a function's name its locals (`main::i`), and a
//! number tells those of one function apart, in the order of their declarations (`main::2::i`). Only what is ambiguous
//! without is qualified. Characters of a file's name that cannot stand in a name are `_`.

use std::sync::Arc;

use foundation::collections::HashMap;
use foundation::{SourceId, SourceMap};
use program::telling::{Enumerated, Telling};
use program::{FunctionId, Program, VariableId, VariableKind};

use super::FunctionInfo;
use crate::syntax::symbols::{Symbol, Symbols};
use crate::types::{CType, CTypeId, CTypes, Qual};

/// What files are called in qualified names: by their own names where those differ, else with their folders.
pub(crate) fn unit_names(units: &[SourceId], sources: &SourceMap) -> HashMap<SourceId, String> {
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let spelled = |name: &str| -> String { name.chars().map(|c| if is_part(c) { c } else { '_' }).collect() };
    let named = |&unit: &SourceId| {
        let path = sources.name(unit);
        let is_alone = units.iter().filter(|other| file(sources.name(**other)) == file(path)).count() == 1;
        let name = spelled(&if is_alone { file(path) } else { path.to_owned() });
        // What begins with a digit would be read as a number.
        (unit, if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name })
    };
    units.iter().map(named).collect()
}

/// What is told of a program beyond its own names.
pub(super) fn telling(
    program: &Program,
    functions: &HashMap<FunctionId, FunctionInfo>,
    locals: &HashMap<(FunctionId, Symbol), Vec<VariableId>>,
    units: &HashMap<SourceId, String>,
    (types, variable_types, symbols): (&CTypes, &HashMap<VariableId, Qual>, &Symbols),
) -> Telling {
    let functions = told_functions(program, functions, units, symbols);
    let variables = told_variables(program, &functions, locals, units);
    let mut known = HashMap::default();
    let mut enumerated = HashMap::default();
    for (&variable, ty) in variable_types {
        let parts = parts(types, ty.ty, &mut known);
        if *parts != Enumerated::Nothing {
            enumerated.insert(variable, parts);
        }
    }
    Telling { variables, functions, enumerated }
}

/// The functions of several files that have the same name.
fn told_functions(
    program: &Program,
    infos: &HashMap<FunctionId, FunctionInfo>,
    units: &HashMap<SourceId, String>,
    symbols: &Symbols,
) -> HashMap<FunctionId, String> {
    let mut by_name: HashMap<Symbol, Vec<FunctionId>> = HashMap::default();
    for (id, function) in program.functions.iter().filter(|(_, function)| !function.library) {
        if let Some(info) = infos.get(&id).filter(|_| function.entry.is_some()) {
            by_name.entry(info.name).or_default().push(id);
        }
    }
    let several = by_name.into_iter().filter(|(_, functions)| functions.len() > 1);
    let told = |(name, functions): (Symbol, Vec<FunctionId>)| {
        let told = |function: FunctionId| {
            let unit = units.get(&program.functions[function].span.source)?;
            Some((function, format!("{unit}::{}", symbols.text(name))))
        };
        functions.into_iter().filter_map(told).collect::<Vec<_>>()
    };
    several.flat_map(told).collect()
}

fn told_variables(
    program: &Program,
    functions: &HashMap<FunctionId, String>,
    locals: &HashMap<(FunctionId, Symbol), Vec<VariableId>>,
    units: &HashMap<SourceId, String>,
) -> HashMap<VariableId, String> {
    let place = |variable: VariableId| match program.variables[variable].kind {
        VariableKind::Global { declared_in: None, .. } => Some(None),
        VariableKind::Global { declared_in: Some(function), .. }
        | VariableKind::Parameter(function)
        | VariableKind::Local(function) => Some(Some(function)).filter(|_| !program.functions[function].library),
        VariableKind::Literal { .. } | VariableKind::Temporary(_) => None,
    };
    let mut by_name: HashMap<&str, Vec<(VariableId, Option<FunctionId>)>> = HashMap::default();
    for (id, variable) in program.variables.iter() {
        // What has no name in the program, such as a literal, cannot be written in a qualified way either.
        if !variable.name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
            continue;
        }
        let is_user = place(id).is_some_and(|owner| owner.is_some() || units.contains_key(&variable.span.source));
        if let Some(owner) = place(id).filter(|_| is_user) {
            by_name.entry(&variable.name).or_default().push((id, owner));
        }
    }
    let numbers: HashMap<VariableId, (usize, usize)> = locals
        .values()
        .flat_map(|all| all.iter().enumerate().map(|(index, &variable)| (variable, (index + 1, all.len()))))
        .collect();
    let mut told = HashMap::default();
    for (name, variables) in by_name.into_iter().filter(|(_, variables)| variables.len() > 1) {
        let globals = variables.iter().filter(|(_, owner)| owner.is_none()).count();
        for (variable, owner) in variables {
            let qualified = match (owner, numbers.get(&variable)) {
                (None, _) if globals == 1 => continue,
                (None, _) => units.get(&program.variables[variable].span.source).map(|unit| format!("{unit}::{name}")),
                (Some(function), number) => {
                    let function = functions.get(&function).unwrap_or(&program.functions[function].name);
                    Some(match number {
                        Some((number, all)) if *all > 1 => format!("{function}::{number}::{name}"),
                        _ => format!("{function}::{name}"),
                    })
                }
            };
            told.extend(qualified.map(|qualified| (variable, qualified)));
        }
    }
    told
}

/// The parts of a type that are enumerated. What a pointer leads to is no part.
fn parts(types: &CTypes, ty: CTypeId, known: &mut HashMap<CTypeId, Arc<Enumerated>>) -> Arc<Enumerated> {
    if let Some(parts) = known.get(&ty) {
        return parts.clone();
    }
    let parts = match types.get(ty) {
        CType::Enum(enumeration) => {
            Enumerated::Enumerators(types.enums[*enumeration].enumerators.iter().cloned().collect())
        }
        CType::Array { element, .. } => match parts(types, element.ty, known) {
            element if *element == Enumerated::Nothing => Enumerated::Nothing,
            element => Enumerated::Elements(element),
        },
        CType::Record(record) => {
            let members = types.records[*record].body.iter().flat_map(|body| &body.members);
            let mut fields = Vec::new();
            for member in members {
                fields.push(parts(types, member.ty.ty, known));
            }
            match fields.iter().all(|field| **field == Enumerated::Nothing) {
                true => Enumerated::Nothing,
                false => Enumerated::Fields(fields),
            }
        }
        _ => Enumerated::Nothing,
    };
    let parts = Arc::new(parts);
    known.insert(ty, parts.clone());
    parts
}
