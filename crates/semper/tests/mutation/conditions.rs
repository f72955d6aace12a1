//! Conditions and numbers, changed a little: each result differs from the original in one place.

use semper::task::certificate::sexp::Sexp;

/// Operators that are easily mistaken for each other.
const SWAPS: [(&str, &str); 8] =
    [("<=", "<"), ("<", "<="), (">=", ">"), (">", ">="), ("=", "<="), ("and", "or"), ("or", "and"), ("+", "-")];

/// All ways to change an expression in one place.
pub fn changed(expression: &Sexp) -> Vec<Sexp> {
    let mut found = here(expression);
    if let Some(items) = expression.as_list() {
        for (index, item) in items.iter().enumerate().skip(1) {
            for other in changed(item) {
                let mut items = items.to_vec();
                items[index] = other;
                found.push(Sexp::List(items));
            }
        }
    }
    found
}

/// The same of a condition, and its opposite.
pub fn changed_condition(condition: &Sexp) -> Vec<Sexp> {
    let mut found = changed(condition);
    found.push(Sexp::tagged("not", [condition.clone()]));
    found
}

fn here(expression: &Sexp) -> Vec<Sexp> {
    let mut found = Vec::new();
    match expression {
        Sexp::Word(word) => {
            if let Ok(number) = word.parse::<u128>() {
                found.push(Sexp::word(number + 1));
                found.extend(number.checked_sub(1).map(Sexp::word));
            }
        }
        Sexp::List(items) => {
            let Some(name) = items.first().and_then(Sexp::as_word) else { return found };
            let swaps = SWAPS.iter().filter(|(from, _)| *from == name);
            found.extend(swaps.map(|(_, to)| Sexp::tagged(to, items[1..].iter().cloned())));
            if matches!(name, "and" | "or" | "+") && items.len() > 2 {
                found.extend((1..items.len()).map(|index| {
                    let mut items = items.clone();
                    items.remove(index);
                    Sexp::List(items)
                }));
            }
            if name == "-" && items.len() == 2 {
                found.push(items[1].clone());
            }
        }
        Sexp::Text(_) => {}
    }
    found
}
