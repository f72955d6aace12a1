//! A stem and a loop as rows of a table: which steps of a long one are shown, and what is drawn beside the loop.

/// A row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LassoRow {
    /// The step with this index in its part.
    Step(usize),
    /// So many steps that are not shown.
    LeftOut(usize),
}

/// Of a part that is shortened, how many steps are shown at its beginning and at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub first: usize,
    pub last: usize,
}

/// Lassos with more steps than this are shortened.
const MOST_ROWS: usize = 60;

/// The rows of a stem and of a loop with so many steps; where they are many, some are left out unless all are wanted. Some
/// steps, counted from the beginning of the stem, are shown in any case, with their neighbours.
pub(crate) fn rows(stem: usize, cycle: usize, all: bool, ends: Ends, kept: &[usize]) -> [Vec<LassoRow>; 2] {
    let all = all || stem + cycle <= MOST_ROWS;
    [(0, stem), (stem, cycle)].map(|(begin, length)| {
        let is_shown = |index: usize| {
            let is_at_end = index < ends.first || index + ends.last >= length;
            all || is_at_end || kept.iter().any(|&step| step.abs_diff(begin + index) <= 1)
        };
        let mut rows = Vec::new();
        let mut index = 0;
        while index < length {
            let hidden = (index..length).take_while(|&index| !is_shown(index)).count();
            // A row that says that one step is left out would take as much room as the step.
            if hidden > 1 {
                rows.push(LassoRow::LeftOut(hidden));
                index += hidden;
            } else {
                rows.push(LassoRow::Step(index));
                index += 1;
            }
        }
        rows
    })
}

/// What is drawn beside the rows of a loop.
pub(crate) fn bracket(rows: usize) -> impl Iterator<Item = &'static str> {
    (0..rows).map(move |row| match row {
        _ if rows == 1 => "○",
        0 => "╭",
        _ if row + 1 == rows => "╰",
        _ => "│",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every step is shown or counted, in its place; nothing is left out of what is short, and never a single step.
    #[test]
    fn rows_account_for_all_steps() {
        let ends = Ends { first: 12, last: 16 };
        for (stem, cycle) in (0..100).flat_map(|stem| (1..100).map(move |cycle| (stem, cycle))) {
            for all in [false, true] {
                for (rows, length) in rows(stem, cycle, all, ends, &[stem / 2]).into_iter().zip([stem, cycle]) {
                    let mut next = 0;
                    for row in rows {
                        match row {
                            LassoRow::Step(index) => assert_eq!(index, next),
                            LassoRow::LeftOut(count) => assert!(!all && stem + cycle > MOST_ROWS && count > 1),
                        }
                        next += if let LassoRow::LeftOut(count) = row { count } else { 1 };
                    }
                    assert_eq!(next, length, "{stem} and {cycle}");
                }
            }
        }
    }
}
