//! Statements: blocks, loops, jumps and labels in every place where C allows them, and in some where it does not.

use super::{Generator, Kind};

impl Generator<'_> {
    /// A statement of a function that returns a kind.
    pub(super) fn statement(&mut self, result: Kind) -> String {
        if !self.opens() {
            let kind = self.any_kind();
            return format!("{}; ", self.lvalue(kind));
        }
        match self.random.below(20) {
            0 | 1 => self.local(),
            2..=4 => {
                let kind = self.any_kind();
                format!("{}; ", self.expr(kind))
            }
            5 => {
                let kind = self.random.pick(&[
                    Kind::Int,
                    Kind::Float,
                    Kind::Record,
                    Kind::IntPointer,
                    Kind::Union,
                    Kind::Bits,
                ]);
                format!("{} = {}; ", self.lvalue(kind), self.expr(kind))
            }
            6 => format!("if ({}) {}", self.condition(), self.block(result)),
            7 => format!("if ({}) {} else {}", self.condition(), self.block(result), self.block(result)),
            8 => {
                let head = format!("while ({})", self.condition());
                self.loop_around(&head, "", result)
            }
            9 => {
                let tail = format!(" while ({});", self.condition());
                self.loop_around("do", &tail, result)
            }
            10 => {
                let scope = self.locals.len();
                let init = if self.random.one_in(2) { self.local() } else { format!("{}; ", self.expr(Kind::Int)) };
                let head = format!("for ({init}{}; {})", self.condition(), self.expr(Kind::Int));
                let text = self.loop_around(&head, "", result);
                self.locals.truncate(scope);
                text
            }
            11 => {
                self.switches += 1;
                let text = format!("switch ({}) {}", self.expr(Kind::Int), self.block(result));
                self.switches -= 1;
                text
            }
            12 if self.switches > 0 || self.is_fault() => match self.random.below(3) {
                0 => format!("case {}: {}", self.random.below(40), self.statement(result)),
                1 => {
                    let low = self.random.below(1000);
                    format!("case {low} ... {}: {}", low + self.random.below(9), self.statement(result))
                }
                _ => {
                    let label =
                        if self.is_fault() { format!("case {}:", self.constant()) } else { "default:".to_owned() };
                    format!("{label} {}", self.statement(result))
                }
            },
            13 if self.loops > 0 || self.is_fault() => self.random.pick(&["break; ", "continue; "]).to_owned(),
            14 => {
                // Labels that no statement has by the end of the function are put there.
                let label = format!("l{}", self.random.below(3));
                if self.labels.contains(&label) || self.random.one_in(2) {
                    return format!("if (gi++ > 2) goto {label}; ");
                }
                self.labels.push(label.clone());
                format!("{label}: {}", self.statement(result))
            }
            15 => match result {
                Kind::Void => "return; ".to_owned(),
                Kind::Odd => "; ".to_owned(),
                kind => format!("if ({}) return {}; ", self.condition(), self.expr(kind)),
            },
            16 => {
                let kind = self.any_kind();
                format!("asm volatile(\"\" : \"=r\"({}) : \"r\"({})); ", self.lvalue(Kind::Int), self.expr(kind))
            }
            17 => self.block(result),
            18 => format!(
                "_Static_assert({}, \"never\"); ",
                if self.is_fault() { self.constant() } else { "1".to_owned() }
            ),
            _ => "; ".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let kind =
            self.random.pick(&[Kind::Int, Kind::Int, Kind::Int, Kind::Float, Kind::IntPointer, Kind::VoidPointer]);
        self.expr(kind)
    }

    fn loop_around(&mut self, head: &str, tail: &str, result: Kind) -> String {
        self.loops += 1;
        let text = format!("{head} {}{tail} ", self.block(result));
        self.loops -= 1;
        text
    }

    fn block(&mut self, result: Kind) -> String {
        let scope = self.locals.len();
        let mut text = "{ ".to_owned();
        for _ in 0..self.random.below(4) {
            text += &self.statement(result);
        }
        self.locals.truncate(scope);
        text + "} "
    }
}
