//! Damaged witnesses never panic, and yield diagnostics or a witness that reads back.

use foundation::SplitMix64;
use witness::robustness::check;

use crate::samples::{CYCLE, INVARIANTS, SAFETY};

/// A text is cut off at every character: no proper beginning of a witness up to its last lines is one.
#[test]
fn every_beginning_of_a_witness_is_read_or_refused() {
    for text in [SAFETY, CYCLE, INVARIANTS] {
        for end in 0..text.len() {
            check(&text.as_bytes()[..end]);
        }
        assert!(!check(&text.as_bytes()[..text.len() / 2]));
        assert!(check(text.as_bytes()));
    }
}

/// Each line is left out, doubled, moved in or out, or swapped with its neighbour.
#[test]
fn every_damaged_line_is_read_or_refused() {
    let (mut refused, mut mutants) = (0, 0);
    for text in [SAFETY, CYCLE, INVARIANTS] {
        let lines: Vec<&str> = text.lines().collect();
        for place in 0..lines.len() {
            let line = lines[place];
            let neighbour = (place + 1) % lines.len();
            let variants = [
                vec![],
                vec![line.to_owned(), line.to_owned()],
                vec![format!("  {line}")],
                vec![format!(" {line}")],
                vec![line.strip_prefix("  ").unwrap_or("x").to_owned()],
                vec![line.replacen(':', "", 1)],
                vec![line.replacen('"', "", 1)],
                vec![format!("{} null", line.trim_end_matches(|each| each != ':'))],
                vec![lines[neighbour].to_owned()],
            ];
            for variant in variants {
                let mut changed: Vec<String> = lines.iter().map(|&each| each.to_owned()).collect();
                changed.splice(place..=place, variant);
                mutants += 1;
                refused += usize::from(!check(changed.join("\n").as_bytes()));
            }
        }
    }
    assert!(mutants > 1000 && refused * 4 > mutants * 3, "{refused} of {mutants}");
}

/// Pieces are deleted, doubled, swapped and brought in from elsewhere.
#[test]
fn random_damage_is_read_or_refused() {
    let pieces: &[&[u8]] = &[
        b"\"",
        b"'",
        b"\\",
        b"- ",
        b"? ",
        b": ",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"&a ",
        b"*a",
        b"!!x ",
        b"|\n",
        b">\n",
        b"#",
        b"%YAML 1.2\n",
        b"---\n",
        b"...\n",
        b"\t",
        b"\r",
        b"\n",
        b"\0",
        b"\xff",
        "ä".as_bytes(),
        "\u{2028}".as_bytes(),
        "\u{feff}".as_bytes(),
        b"cycle",
        b"follow",
        b"target",
        b"2.1",
        b"99999999999",
        b"-1",
        b"null",
        b"labels: [a]",
    ];
    let samples = [SAFETY, CYCLE, INVARIANTS].map(str::as_bytes);
    let mut random = SplitMix64::new(0x5eed);
    let mut refused = 0;
    for _ in 0..3000 {
        let mut bytes = samples[random.below(3)].to_vec();
        for _ in 0..=random.below(4) {
            let (start, length) = (random.below(bytes.len()), random.below(30));
            let end = (start + length).min(bytes.len());
            match random.below(4) {
                0 => drop(bytes.drain(start..end)),
                1 => {
                    let part = bytes[start..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, part);
                }
                2 => drop(bytes.splice(start..start, pieces[random.below(pieces.len())].iter().copied())),
                _ => {
                    let other = samples[random.below(3)];
                    let from = random.below(other.len());
                    let part = &other[from..(from + length).min(other.len())];
                    bytes.splice(start..end, part.iter().copied());
                }
            }
        }
        refused += usize::from(!check(&bytes));
    }
    assert!(refused > 1500, "{refused}");
}

/// Long texts of one kind take no time out of proportion.
#[test]
fn monotonous_texts_are_read_or_refused() {
    for piece in
        ["a", "a ", "- a\n", "a: b\n", "\"", "'a' ", "a\n", "|\n a", "# \n", "a,", "&a ", "? a\n", "{a: b}, ", "\\"]
    {
        for start in ["", "[", "{", "\"", "- |\n", "a: "] {
            check(format!("{start}{}", piece.repeat((1 << 15) / piece.len())).as_bytes());
        }
    }
}
