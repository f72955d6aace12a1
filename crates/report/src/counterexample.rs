//! Executions that violate a property: a stem and a loop, as a table and as JSON.
//!
//! The table is that of [`trace`], with the loop drawn beside it. Of long executions it shows the first and
//! last steps of both parts, unless all are wanted; the JSON form is always complete.

use serde::Serialize;

use crate::lasso::{self, Ends, LassoRow};
use crate::table::wrapped;
use crate::trace::{self, AtomHeadings, End, Row, TraceStep};

/// An execution that violates a property. This is also its JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct Counterexample {
    /// The atoms of the property, as they are written in a formula.
    pub atoms: Vec<String>,
    /// The values that the program asked for.
    pub inputs: Vec<ShownInput>,
    /// The observed states before the loop.
    pub stem: Vec<CounterexampleStep>,
    /// The observed states that are repeated for ever.
    #[serde(rename = "loop")]
    pub cycle: Vec<CounterexampleStep>,
    /// How the execution ends, or that it does not.
    pub end: End,
    /// How numbers grow from iteration to iteration of the loop, where it does not come back to a state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<ShownGrowth>,
    /// What holds whenever an iteration begins, where it need not come back to a state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recurrent_set: Vec<String>,
    /// Whether later iterations of the loop may take other paths than the one that is shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub several_paths: bool,
    /// The steps at which the property breaks, which are shown however long the execution is.
    #[serde(skip)]
    pub violating: Vec<usize>,
}

/// How a number grows from iteration to iteration of a loop.
#[derive(Serialize, Clone, Debug)]
pub struct ShownGrowth {
    /// The part of memory that holds it.
    pub name: String,
    /// What it is before the first iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// By how much it grows in the first iteration, by how much more in the second one than in the first, and so on;
    /// one number where it grows by the same in each iteration.
    pub differences: Vec<String>,
    /// How many times as much it grows in each iteration as in the one before, where it grows by powers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<String>,
}

/// An observed state.
#[derive(Serialize, Clone, Debug)]
pub struct CounterexampleStep {
    /// What a trace shows of it.
    #[serde(flatten)]
    pub step: TraceStep,
    /// What the variables hold that the property names, by their parts' names.
    #[serde(serialize_with = "in_order")]
    pub values: Vec<(String, String)>,
}

/// A value that the program asked for.
#[derive(Serialize, Clone, Debug)]
pub struct ShownInput {
    /// Where it comes from: the name of a function, a register's address, or a part of memory that is not initialised.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether it is what a part of memory held that was not initialised.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uninitialised: bool,
    /// Whether it is asked for again in every round of the loop.
    pub in_loop: bool,
    /// The first step that is observed after it was asked for; absent where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
}

/// Pairs as the members of an object, in their order.
fn in_order<S: serde::Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// The execution as text. Where it is long, some steps are left out unless all are wanted.
pub fn render(counterexample: &Counterexample, all: bool, width: usize) -> String {
    let Counterexample { atoms, inputs, stem, cycle, end, growth, recurrent_set, several_paths, violating } =
        counterexample;
    let headings = AtomHeadings::choose(atoms, width);
    let mut text = String::new();
    for line in &headings.legend {
        text.push_str(&format!("{line}\n"));
    }
    if !headings.legend.is_empty() {
        text.push('\n');
    }
    let [before, inside] = lasso::rows(stem.len(), cycle.len(), all, ENDS, violating);
    let marks: Vec<&str> = before.iter().map(|_| "").chain(lasso::bracket(inside.len())).collect();
    let rows: Vec<Row<'_>> = shown(stem, &before).chain(shown(cycle, &inside)).collect();
    text.push_str(&trace::rows_table(&rows, Some(&marks), &headings.texts, width));
    text.push_str(&trace::end_line(end, stem.len() + cycle.len()));
    for growth in growth {
        text.push_str(&wrapped(&growth_line(growth), 2, width));
    }
    if !recurrent_set.is_empty() {
        let line = format!("whenever an iteration begins: {}", recurrent_set.join(", "));
        text.push_str(&wrapped(&line, 2, width));
    }
    if *several_paths {
        text.push_str(&wrapped(
            "later iterations of the loop may take other paths; all of them show the same",
            2,
            width,
        ));
    }
    text.push_str(&inputs_lines(inputs, all, width));
    text
}

/// The rule by which a number grows, in words.
fn growth_line(ShownGrowth { name, start, differences, factor }: &ShownGrowth) -> String {
    let by = |difference: &str, grows: &str, falls: &str| match difference.strip_prefix('-') {
        Some(amount) => format!("{falls} by {amount}"),
        None => format!("{grows} by {difference}"),
    };
    if let (Some(factor), [first]) = (factor, differences.as_slice()) {
        let first = by(first, "grows", "falls");
        return format!(
            "{name} {first} in the first iteration of the loop, and {factor} times as much in each iteration after it"
        );
    }
    match differences.as_slice() {
        [each] => format!("{name} {} in each iteration of the loop", by(each, "grows", "falls")),
        [first, more] => format!(
            "{name} {} in the first iteration of the loop, and its change {} each time",
            by(first, "grows", "falls"),
            by(more, "grows", "falls")
        ),
        _ => {
            let start = start.as_ref().map(|start| format!(" begins with {start};")).unwrap_or_default();
            format!("{name}{start} its differences from iteration to iteration are {}", differences.join(", "))
        }
    }
}

/// Of a part that is shortened, so many steps are shown.
const ENDS: Ends = Ends { first: 12, last: 16 };

fn shown<'t>(steps: &'t [CounterexampleStep], rows: &[LassoRow]) -> impl Iterator<Item = Row<'t>> {
    rows.iter().map(|row| match *row {
        LassoRow::Step(index) => Row::Step(&steps[index].step),
        LassoRow::LeftOut(count) => Row::LeftOut(count),
    })
}

/// The inputs before the loop and in it. Where all come from one source, its name is said once.
fn inputs_lines(inputs: &[ShownInput], all: bool, width: usize) -> String {
    let Some(first) = inputs.first() else { return String::new() };
    let is_one_source = inputs.iter().all(|input| input.name == first.name);
    let listed = |inputs: &[&ShownInput]| {
        const MOST: usize = 30;
        let texts = inputs.iter().map(|input| match is_one_source {
            true => input.value.clone(),
            false => format!("{} = {}", input.name, input.value),
        });
        let mut texts = counted_repetitions(texts);
        if !all && texts.len() > MOST {
            let left_out = format!("… {} more …", texts.len() - MOST);
            texts.splice(MOST / 2..texts.len() - MOST / 2, [left_out]);
        }
        texts.join(", ")
    };
    let (inside, before): (Vec<&ShownInput>, Vec<&ShownInput>) = inputs.iter().partition(|input| input.in_loop);
    let mut text = match is_one_source {
        true => format!("inputs of {}: ", first.name),
        false => "inputs: ".to_owned(),
    };
    text.push_str(&listed(&before));
    if !inside.is_empty() {
        text.push_str(if before.is_empty() { "in the loop " } else { "; in the loop " });
        text.push_str(&listed(&inside));
    }
    wrapped(&text, 2, width)
}

/// The texts, those that come several times in a row with their number.
fn counted_repetitions(texts: impl Iterator<Item = String>) -> Vec<String> {
    const FEW: usize = 3;
    let mut runs: Vec<(String, usize)> = Vec::new();
    for text in texts {
        match runs.last_mut() {
            Some((last, count)) if *last == text => *count += 1,
            _ => runs.push((text, 1)),
        }
    }
    let written = |(text, count): (String, usize)| match count {
        0..=FEW => vec![text; count],
        _ => vec![format!("{text} ({count} times)")],
    };
    runs.into_iter().flat_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns_of;

    fn step(number: usize) -> CounterexampleStep {
        let step = TraceStep {
            step: number,
            file: "a.c".into(),
            line: number as u32 + 1,
            function: "main".into(),
            thread: 0,
            occasion: "statement",
            statement: format!("s{number}"),
            changes: Vec::new(),
            events: Vec::new(),
            holds: vec![number.is_multiple_of(2)],
        };
        CounterexampleStep { step, values: vec![("x".into(), number.to_string()), ("a".into(), "0".into())] }
    }

    fn example(stem: usize, cycle: usize) -> Counterexample {
        let input = |step: usize| ShownInput {
            name: "in".into(),
            value: (step * 7).to_string(),
            uninitialised: false,
            in_loop: step >= stem,
            step: Some(step),
        };
        Counterexample {
            atoms: vec!["\"even\"".into()],
            inputs: (0..stem + cycle).map(input).collect(),
            stem: (0..stem).map(step).collect(),
            cycle: (stem..stem + cycle).map(step).collect(),
            end: End {
                complete: true,
                repeats_from: Some(stem),
                blocked: false,
                reason: "the program never ends".into(),
            },
            growth: Vec::new(),
            recurrent_set: Vec::new(),
            several_paths: false,
            violating: Vec::new(),
        }
    }

    #[test]
    fn the_loop_is_drawn_beside_the_steps() {
        let expected = "\
step     line  statement  what changed  \"even\"
────  ─  ────  ─────────  ────────────  ──────
   0        1  s0                         T
   1  ╭     2  s1                         ·
   2  │     3  s2                         T
   3  ╰     4  s3                         ·
the program never ends; steps 1 to 3 are repeated for ever
inputs of in: 0; in the loop 7, 14, 21
";
        assert_eq!(render(&example(1, 3), false, 100), expected);
        assert!(render(&example(2, 1), false, 100).contains("   2  ○     3  s2"));
    }

    #[test]
    fn growth_is_told_after_the_loop() {
        let mut growing = example(1, 3);
        let growth = |name: &str, differences: &[&str]| ShownGrowth {
            name: name.into(),
            start: Some("0".into()),
            differences: differences.iter().map(|&text| text.into()).collect(),
            factor: None,
        };
        growing.growth = vec![growth("time", &["1"]), growth("fuel", &["-12"]), growth("sum", &["3", "-1"])];
        let text = render(&growing, false, 100);
        let told = "\
the program never ends; steps 1 to 3 are repeated for ever
time grows by 1 in each iteration of the loop
fuel falls by 12 in each iteration of the loop
sum grows by 3 in the first iteration of the loop, and its change falls by 1 each time
inputs of in:";
        assert!(text.contains(told), "{text}");
        let json = serde_json::to_string(&growing).unwrap();
        assert!(json.contains(r#""growth":[{"name":"time","start":"0","differences":["1"]},"#), "{json}");
        growing.growth.clear();
        assert!(!serde_json::to_string(&growing).unwrap().contains("growth"));
    }

    #[test]
    fn long_executions_are_shortened_unless_all_is_wanted() {
        // The statements are `s0`, `s1`, and so on.
        let is_statement = |word: &str| word.strip_prefix('s').is_some_and(|rest| rest.parse::<usize>().is_ok());
        let is_step = |line: &&str| line.split_whitespace().any(is_statement);
        let count = |text: &str| text.lines().filter(is_step).count();
        for (stem, cycle) in [(0, 61), (61, 1), (100, 100), (29, 40), (30, 40), (1000, 2)] {
            let long = example(stem, cycle);
            assert_eq!(count(&render(&long, true, 100)), stem + cycle);
            let short = render(&long, false, 100);
            let left_out = |line: &str| line.split_once('(')?.1.split_once(" steps left out")?.0.parse::<usize>().ok();
            let left_out: usize = short.lines().filter_map(left_out).sum();
            assert_eq!(left_out + count(&short), stem + cycle, "{short}");
            assert!(count(&short) <= 2 * (ENDS.first + ENDS.last) + 1, "{short}");
            assert!(short.lines().all(|line| columns_of(line) <= 100));
        }
    }

    #[test]
    fn the_violating_step_is_never_left_out() {
        for violating in [0, 11, 12, 13, 50, 83, 84, 99, 100, 150, 199] {
            let mut long = example(100, 100);
            long.violating = vec![violating];
            let text = render(&long, false, 100);
            let number = violating.to_string();
            assert!(text.lines().any(|line| line.split_whitespace().next() == Some(&number)), "{violating}\n{text}");
        }
    }

    #[test]
    fn repeated_inputs_are_counted() {
        let listed = |texts: &[&str]| counted_repetitions(texts.iter().map(|text| (*text).to_owned())).join(", ");
        assert_eq!(listed(&["1", "0", "0", "0", "1", "1", "1", "1", "0"]), "1, 0, 0, 0, 1 (4 times), 0");
        assert_eq!(listed(&[]), "");
    }

    #[test]
    fn values_keep_their_order_in_json() {
        let json = serde_json::to_string(&step(3)).unwrap();
        assert!(json.contains(r#""values":{"x":"3","a":"0"}"#), "{json}");
        assert!(json.starts_with(r#"{"step":3,"file":"a.c","line":4,"function":"main","thread":0,"#), "{json}");
    }

    #[test]
    fn inputs_of_several_sources_have_names() {
        let mut several = example(2, 1);
        several.inputs[1].name = "main::x".into();
        let text = render(&several, false, 100);
        assert!(text.ends_with("inputs: in = 0, main::x = 7; in the loop in = 14\n"), "{text}");
    }
}
