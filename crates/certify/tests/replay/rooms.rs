//! What this crate must not use, in its own source: an error in the translation of formulas, or in an engine, must not
//! hide itself here. (That it depends on no engine at all is what the table of rooms says.)

use std::fs;
use std::path::Path;

#[test]
fn the_translation_of_formulas_is_not_used() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for entry in fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            for word in ["translate", "buchi", "algorithms", "Negation", "WordReader", "engines"] {
                assert!(!line.contains(word), "{}: {line}", path.display());
            }
        }
        files += 1;
    }
    assert!(files >= 6);
}
