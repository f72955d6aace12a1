//! Why no finite list of values stands for all values of an input, in words for the user.

use foundation::{Diagnostic, Span};

use super::MOST_VALUES;

/// Why an input has no finite domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedInput {
    /// What yields the value: `the input` or `the uninitialised variable` with its name.
    pub subject: String,
    /// Where the value comes from.
    pub origin: Span,
    /// What is done with it.
    pub cause: Cause,
    /// Where that is done; none in an atom of the property.
    pub at: Option<Span>,
}

/// What is done with a value that finitely many values cannot stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is an operand of arithmetic.
    Arithmetic,
    /// It is converted to a type that cannot hold all its values.
    Conversion,
    /// It is compared with something that has no few known values.
    Comparison,
    /// It is an index, or part of an address.
    Index,
    /// It is stored where pointers can reach it.
    Stored,
    /// It is given to an operation on memory or threads.
    Operation,
    /// It is compared with more constants than there may be values.
    ManyConstants,
    /// It is a floating-point number or an address that is read.
    NoInteger,
    /// It is an array or structure whose parts need different values.
    Aggregate,
}

impl RefusedInput {
    /// The reason as one phrase, without the places.
    pub fn reason(&self) -> String {
        let subject = &self.subject;
        match self.cause {
            Cause::Arithmetic => format!("{subject} is used in arithmetic"),
            Cause::Conversion => format!("{subject} is converted to a type that cannot hold all its values"),
            Cause::Comparison => format!("{subject} is compared with a value that is not constant"),
            Cause::Index => format!("{subject} is used as an index or in an address"),
            Cause::Stored => format!("{subject} is stored where pointers can reach it"),
            Cause::Operation => format!("{subject} is used in an operation on memory or threads"),
            Cause::ManyConstants => format!("{subject} is compared with more than {MOST_VALUES} constants"),
            Cause::NoInteger => format!("{subject} is not an integer"),
            Cause::Aggregate => format!("{subject} is an array or structure whose parts need different values"),
        }
    }

    /// What the user can do.
    pub fn help(&self) -> String {
        match self.cause {
            Cause::NoInteger => {
                "use an integer instead, constrained with `__VERIFIER_assume` to a small range".to_owned()
            }
            Cause::Aggregate => "assign the parts one by one, from inputs of their own".to_owned(),
            _ => format!("constrain it with `__VERIFIER_assume` to a range of at most {MOST_VALUES} values"),
        }
    }

    /// The same as a warning.
    pub fn diagnostic(&self) -> Diagnostic {
        let warning = Diagnostic::warning("unbounded-input", self.reason()).help(self.help());
        match self.at {
            Some(at) if at != self.origin => warning.at(at).also(self.origin, "the value comes from here"),
            Some(at) => warning.at(at),
            None => warning.label(self.origin, "in an atom of the property"),
        }
    }
}
