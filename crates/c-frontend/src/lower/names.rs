//! The names that atomic propositions use, and what they stand for.
//!
//! A global is named as it is declared, a local with its function. A name that several variables share is qualified further,
//! as [`telling`](super::telling) writes it; without that it is ambiguous, and the error shows how each of them is written.

use foundation::collections::HashMap;
use foundation::{Diagnostic, SourceId, Span};
use num_bigint::BigInt;
use program::{FunctionId, Program, VariableId};

use super::expressions::nearest_name;
use super::scope::{Binding, BindingKind};
use super::{FunctionInfo, Linked};
use crate::Translation;
use crate::syntax::symbols::{Symbol, Symbols};
use crate::types::Qual;

/// What a name in an atom stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Referent {
    /// A variable with its type.
    Variable(VariableId, Qual),
    /// A constant.
    Constant(BigInt, Qual),
    /// A type.
    Type(Qual),
    /// A function, whose address may be compared.
    Function(FunctionId),
    /// More than one thing: where each of them is declared, and how it is written.
    Ambiguous(Vec<(Span, String)>),
    /// Nothing, with a name that is like it.
    Nothing(Option<String>),
    /// The function that a local is asked of does not exist, with a name that is like it.
    NoFunction(Option<String>),
}

/// The names of a translated program.
#[derive(Clone, Debug)]
pub struct ProgramScope {
    pub(super) file_scope: HashMap<Symbol, Vec<Binding>>,
    locals: HashMap<(FunctionId, Symbol), Vec<VariableId>>,
    /// What the files of the program are called in qualified names.
    units: HashMap<SourceId, String>,
}

impl ProgramScope {
    pub(crate) fn new(
        file_scope: HashMap<Symbol, Vec<Binding>>,
        locals: HashMap<(FunctionId, Symbol), Vec<VariableId>>,
        units: HashMap<SourceId, String>,
    ) -> Self {
        Self { file_scope, locals, units }
    }
}

/// A program's names together with what they refer to.
pub(super) struct NamesView<'t> {
    scope: &'t ProgramScope,
    program: &'t Program,
    symbols: &'t Symbols,
    linked: &'t HashMap<Symbol, Linked>,
    variable_types: &'t HashMap<VariableId, Qual>,
    functions: &'t HashMap<FunctionId, FunctionInfo>,
}

/// A name as it is written in an atom: `calls`, `ring.c::calls`, `main::i`, `main::2::i`, `ring.c::push::2::i`.
#[derive(Clone, Copy)]
pub(super) struct WrittenName<'a> {
    unit: Option<&'a str>,
    function: Option<&'a str>,
    /// Which of the variables of this name in the function, from 1 on.
    number: Option<usize>,
    name: &'a str,
}

impl NamesView<'_> {
    /// Takes a name apart. A word before the last one is a file's name where there is such a file, else a function's.
    pub(super) fn written<'a>(&self, text: &'a str) -> WrittenName<'a> {
        let mut words: Vec<&str> = text.split("::").collect();
        let name = words.pop().unwrap_or(text);
        let number = words.pop_if(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::parse);
        let unit = words.first().copied().filter(|word| self.scope.units.values().any(|unit| unit == word));
        let function = match &words[usize::from(unit.is_some())..] {
            [] => None,
            [function] => Some(*function),
            // No function has such a name.
            _ => text.rsplit_once("::").map(|(words, _)| words),
        };
        WrittenName {
            unit,
            function,
            // A number that is none is that of no variable.
            number: number.map(|number| number.unwrap_or(0)),
            name,
        }
    }

    pub(super) fn find(&self, text: &str) -> Referent {
        let written = self.written(text);
        match written.function {
            Some(function) => self.find_local(function, written),
            // Globals have no numbers.
            None if written.number.is_some() => Referent::Nothing(None),
            None => self.find_global(written),
        }
    }

    fn unit_of(&self, span: Span) -> &str {
        self.scope.units.get(&span.source).map_or("", String::as_str)
    }

    fn find_global(&self, written: WrittenName<'_>) -> Referent {
        let WrittenName { unit, name, .. } = written;
        let bindings = self.symbols.get(name).and_then(|symbol| self.scope.file_scope.get(&symbol));
        let bindings = bindings.into_iter().flatten();
        let mut found: Vec<(Referent, Span)> = Vec::new();
        for binding in bindings.filter(|binding| unit.is_none_or(|unit| unit == self.unit_of(binding.span))) {
            let meaning = match &binding.kind {
                BindingKind::Variable(variable) => self.variable(*variable),
                BindingKind::External(symbol) => match self.linked.get(symbol) {
                    Some(Linked::Variable(variable)) => self.variable(*variable),
                    _ => continue,
                },
                BindingKind::Constant(value, ty) => Referent::Constant(value.clone(), *ty),
                BindingKind::Typedef(ty) => Referent::Type(*ty),
                BindingKind::Function(function) => Referent::Function(*function),
                BindingKind::Faulty(_) => continue,
            };
            if !found.iter().any(|(other, _)| *other == meaning) {
                found.push((meaning, binding.span));
            }
        }
        match found.len() {
            0 => {
                let names = self.scope.file_scope.iter().filter(|(_, bindings)| {
                    bindings.iter().any(|binding| matches!(binding.kind, BindingKind::Variable(_)))
                });
                Referent::Nothing(nearest_name(name, names.map(|(symbol, _)| self.symbols.text(*symbol))))
            }
            1 => found.remove(0).0,
            _ => {
                let form = |(_, span): (Referent, Span)| (span, format!("{}::{name}", self.unit_of(span)));
                Referent::Ambiguous(found.into_iter().map(form).collect())
            }
        }
    }

    fn variable(&self, variable: VariableId) -> Referent {
        Referent::Variable(variable, self.variable_types[&variable])
    }

    /// The functions of this name: those that the program defines, else those of the library, else those without a body.
    fn functions_named(&self, unit: Option<&str>, name: &str) -> Vec<FunctionId> {
        let Some(symbol) = self.symbols.get(name) else { return Vec::new() };
        let is_named = |id: &FunctionId| {
            let is_here = |unit: &str| unit == self.unit_of(self.program.functions[*id].span);
            self.functions.get(id).is_some_and(|info| info.name == symbol) && unit.is_none_or(is_here)
        };
        let all: Vec<FunctionId> = self.program.functions.ids().filter(is_named).collect();
        let is_defined = |id: &FunctionId| self.program.functions[*id].entry.is_some();
        let is_own = |id: &FunctionId| is_defined(id) && !self.program.functions[*id].library;
        let kept = |is_kept: &dyn Fn(&FunctionId) -> bool| -> Vec<FunctionId> {
            all.iter().copied().filter(|id| is_kept(id)).collect()
        };
        [kept(&is_own), kept(&is_defined)].into_iter().find(|kept| !kept.is_empty()).unwrap_or(all)
    }

    fn find_local(&self, function: &str, written: WrittenName<'_>) -> Referent {
        let WrittenName { unit, number, name, .. } = written;
        let owners = self.functions_named(unit, function);
        if owners.is_empty() {
            let names = self.program.functions.values().filter(|function| function.entry.is_some());
            return Referent::NoFunction(nearest_name(function, names.map(|function| function.name.as_str())));
        }
        let locals = |owner: &FunctionId| {
            let variables = self.symbols.get(name).and_then(|symbol| self.scope.locals.get(&(*owner, symbol)));
            variables.map_or(&[][..], Vec::as_slice)
        };
        let mut found: Vec<(FunctionId, usize, VariableId)> = Vec::new();
        for owner in &owners {
            let numbered = locals(owner).iter().enumerate().map(|(index, &variable)| (*owner, index + 1, variable));
            found.extend(numbered.filter(|(_, index, _)| number.is_none_or(|number| number == *index)));
        }
        match found.as_slice() {
            [] => {
                let names = self.scope.locals.keys().filter(|(owner, _)| owners.contains(owner));
                Referent::Nothing(nearest_name(name, names.map(|(_, symbol)| self.symbols.text(*symbol))))
            }
            [(_, _, variable)] => self.variable(*variable),
            several => {
                let form = |&(owner, index, variable): &(FunctionId, usize, VariableId)| {
                    let function = self.program.told_function(owner);
                    let form = match locals(&owner).len() {
                        1 => format!("{function}::{name}"),
                        _ => format!("{function}::{index}::{name}"),
                    };
                    (self.program.variables[variable].span, form)
                };
                Referent::Ambiguous(several.iter().map(form).collect())
            }
        }
    }
}

impl Translation {
    pub(super) fn view(&self) -> NamesView<'_> {
        NamesView {
            scope: &self.scope,
            program: &self.program,
            symbols: &self.symbols,
            linked: &self.linked,
            variable_types: &self.variable_types,
            functions: &self.functions,
        }
    }

    /// The function that `call(f())` names, as `f` or `ring.c::f`.
    pub fn function(&self, text: &str, span: Option<Span>) -> Result<FunctionId, Box<Diagnostic>> {
        let (unit, name) = match text.rsplit_once("::") {
            Some((unit, name)) => (Some(unit), name),
            None => (None, text),
        };
        let at = |diagnostic: Diagnostic| match span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        };
        match self.view().functions_named(unit, name).as_slice() {
            [] => Err(Box::new(at(Diagnostic::error(
                "unknown-function",
                format!("the program has no function `{text}`"),
            )))),
            [function] => Ok(*function),
            several => {
                let form =
                    |id: &FunctionId| (self.program.functions[*id].span, self.program.told_function(*id).to_owned());
                let forms: Vec<(Span, String)> = several.iter().map(form).collect();
                let text = format!("`{text}` is ambiguous: the program has several functions of this name");
                Err(Box::new(with_forms(at(Diagnostic::error("ambiguous-name", text)), &forms)))
            }
        }
    }

    pub(super) fn name_fault(&self, written: WrittenName<'_>, fault: Referent, span: Span) -> Diagnostic {
        let WrittenName { unit, function, name, .. } = written;
        match fault {
            Referent::Ambiguous(forms) => {
                let text = format!("`{name}` is ambiguous: the program declares it more than once");
                with_forms(Diagnostic::error("ambiguous-name", text).at(span), &forms)
            }
            Referent::NoFunction(near) => {
                let function = function.unwrap_or_default();
                let diagnostic =
                    Diagnostic::error("unknown-function", format!("the program has no function `{function}`")).at(span);
                match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}::{name}`?")),
                    None => diagnostic,
                }
            }
            Referent::Nothing(near) => {
                let text = match (function, unit, written.number) {
                    (Some(function), _, Some(number)) => {
                        format!("the function `{function}` has no variable `{name}` with the number {number}")
                    }
                    (Some(function), _, None) => format!("the function `{function}` has no variable `{name}`"),
                    (None, Some(unit), _) => format!("the file `{unit}` has no global variable `{name}`"),
                    (None, None, _) => format!("the program has no global variable `{name}`"),
                };
                let diagnostic = Diagnostic::error("unknown-name", text).at(span);
                let owner = self.owners_of(name);
                match (near, owner) {
                    (_, Some(owner)) if function.is_none() && unit.is_none() => {
                        diagnostic.help(format!("a local variable is written with its function: `{owner}::{name}`"))
                    }
                    (Some(near), _) => diagnostic.help(format!("did you mean `{near}`?")),
                    _ => diagnostic,
                }
            }
            _ => Diagnostic::error("unknown-name", format!("`{name}` cannot be used here")).at(span),
        }
    }

    /// A function that has a local variable of this name.
    fn owners_of(&self, name: &str) -> Option<String> {
        let symbol = self.symbols.get(name)?;
        let mut owners: Vec<&str> = self
            .scope
            .locals
            .keys()
            .filter(|(_, local)| *local == symbol)
            .map(|(owner, _)| self.program.told_function(*owner))
            .collect();
        owners.sort_unstable();
        owners.first().map(|owner| (*owner).to_owned())
    }
}

/// Shows how each of several things of the same name is written.
fn with_forms(diagnostic: Diagnostic, forms: &[(Span, String)]) -> Diagnostic {
    let quoted: Vec<String> = forms.iter().map(|(_, form)| format!("`{form}`")).collect();
    let labelled = forms
        .iter()
        .zip(&quoted)
        .fold(diagnostic, |diagnostic, ((span, _), form)| diagnostic.also(*span, form.clone()));
    labelled.help(format!("write {}", quoted.join(" or ")))
}
