//! The options of `semper check` that hold for every task of a suite, in the words in which they are given.
//!
//! They are taken from the definition of `semper check` itself, so that an option is defined once: what is added there
//! is there for suites too. What belongs to a single task (its property, its data model), what the suite decides itself
//! (limits) and what concerns output is left out.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::command_line::options::CheckOptions;

/// The words of the options that were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassedOn {
    pub words: Vec<OsString>,
}

/// The options that are passed on.
fn passed_on() -> Vec<Arg> {
    const OF_A_TASK: [&str; 3] = ["ltl", "spec", "data_model"];
    const NOT_PASSED_ON: [&str; 2] = ["Limits", "Output"];
    let check = CheckOptions::augment_args(Command::new("check"));
    let is_passed_on = |option: &&Arg| {
        let other = option.get_help_heading().is_some_and(|heading| NOT_PASSED_ON.contains(&heading));
        !option.is_positional() && !other && !OF_A_TASK.contains(&option.get_id().as_str())
    };
    check.get_arguments().filter(is_passed_on).cloned().collect()
}

impl Args for PassedOn {
    fn augment_args(command: Command) -> Command {
        command.args(passed_on())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PassedOn {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = |option: &Arg| matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
        let given = passed_on().into_iter().filter(is_given);
        Ok(Self { words: given.flat_map(|option| words(&option, matches)).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The words that give an option once more: `--name=value` for each of its values, `-Nvalue` where it has no long name.
fn words(option: &Arg, matches: &ArgMatches) -> Vec<OsString> {
    let (name, between) = match (option.get_long(), option.get_short()) {
        (Some(long), _) => (format!("--{long}"), "="),
        (None, short) => (format!("-{}", short.unwrap_or_default()), ""),
    };
    let takes_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
    if !takes_value {
        return vec![name.into()];
    }
    let values = matches.get_raw(option.get_id().as_str()).into_iter().flatten();
    let word = |value: &std::ffi::OsStr| {
        let mut word = OsString::from(format!("{name}{between}"));
        word.push(value);
        word
    };
    values.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[&str]) -> Vec<String> {
        let command = PassedOn::augment_args(Command::new("suite").no_binary_name(true));
        let matches = command.try_get_matches_from(words).unwrap();
        let passed_on = PassedOn::from_arg_matches(&matches).unwrap();
        passed_on.words.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn options_come_out_as_they_went_in() {
        assert_eq!(given(&[]), [""; 0]);
        let words =
            ["-Ifolder", "-DX=1", "-DY", "--assume=G F x", "--assume=-x", "--integers=ideal", "--malloc-may-fail"];
        let mut out = given(&words);
        out.sort();
        let mut words = words.map(str::to_owned);
        words.sort();
        assert_eq!(out, words);
        // What is passed on means the same to `semper check`.
        let check = CheckOptions::augment_args(Command::new("check").no_binary_name(true));
        assert!(check.try_get_matches_from(words.iter().map(String::as_str).chain(["a.c"])).is_ok());
    }

    #[test]
    fn what_belongs_to_a_task_or_to_the_suite_is_not_passed_on() {
        let ids: Vec<String> = passed_on().iter().map(|option| option.get_id().to_string()).collect();
        for kept_back in ["files", "ltl", "spec", "data_model", "timeout", "memory", "format", "verbose"] {
            assert!(!ids.iter().any(|id| id == kept_back), "{kept_back}");
        }
        for passed_on in ["include", "define", "assume", "engine", "integers", "observe", "ub", "atomic"] {
            assert!(ids.iter().any(|id| id == passed_on), "{passed_on}");
        }
    }
}
