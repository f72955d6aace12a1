//! The page on the format names every rule, and its examples are witnesses in canonical form.

use foundation::SourceMap;
use witness::{RULES, read, sha256, write};

const PAGE: &str = include_str!("../../../../docs/witness-format.md");

#[test]
fn every_rule_is_documented() {
    let missing: Vec<&str> =
        RULES.iter().map(|rule| rule.code).filter(|code| !PAGE.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "docs/witness-format.md does not name {missing:?}");
    let named = PAGE.split('`').filter(|word| word.starts_with("witness-") && !word.contains(['.', ' ']));
    for code in named {
        assert!(RULES.iter().any(|rule| rule.code == code), "{code} is no rule");
    }
}

#[test]
fn examples_are_canonical() {
    let examples: Vec<&str> = PAGE.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 2);
    for text in examples {
        let mut sources = SourceMap::new();
        let source = sources.add("w.yml", text);
        let reading = read(&sources, source).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
        assert_eq!(write(&reading.witness), text);
        for entry in reading.witness.entries {
            assert_eq!(entry.clone().identified(), entry);
            for (file, hash) in &entry.metadata.task.input_file_hashes {
                assert_eq!(*hash, sha256(blocks(&format!("```c {file}\n"))[0].as_bytes()), "{file}");
            }
        }
    }
}

/// The texts of the page that stand between such a line and the next three backquotes.
fn blocks(start: &str) -> Vec<&'static str> {
    PAGE.split(start).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}
