//! A stem and a loop as rows of a table: which steps of a long one are shown, and what is drawn beside the loop.

/// A row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
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

/// The rows of a stem and of a loop with so many steps; where they are many, some are left out unless all are wanted.
pub(crate) fn rows(stem: usize, cycle: usize, all: bool, ends: Ends) -> [Vec<Shown>; 2] {
    let all = all || stem + cycle <= MOST_ROWS;
    [stem, cycle].map(|length| {
        let left_out = length.saturating_sub(ends.first + ends.last);
        if all || left_out < 2 {
            return (0..length).map(Shown::Step).collect();
        }
        let (first, last) = (0..ends.first, length - ends.last..length);
        first.map(Shown::Step).chain([Shown::LeftOut(left_out)]).chain(last.map(Shown::Step)).collect()
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
                for (rows, length) in rows(stem, cycle, all, ends).into_iter().zip([stem, cycle]) {
                    let mut next = 0;
                    for row in rows {
                        match row {
                            Shown::Step(index) => assert_eq!(index, next),
                            Shown::LeftOut(count) => assert!(!all && stem + cycle > MOST_ROWS && count > 1),
                        }
                        next += if let Shown::LeftOut(count) = row { count } else { 1 };
                    }
                    assert_eq!(next, length, "{stem} and {cycle}");
                }
            }
        }
    }
}
