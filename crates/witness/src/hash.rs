//! Fingerprints: of the files that a witness speaks of, and of its own entries.

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes in lower-case hexadecimal, as `input_file_hashes` wants it.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// A uuid that follows from some bytes. It is laid out like a name-based one (RFC 4122, version 5) but made with SHA-256,
/// so that it is the same on every run.
pub(crate) fn uuid_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&digest[..16]);
    uuid[6] = uuid[6] & 0x0f | 0x50;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    let text = hexadecimal(&uuid);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-4 (one block, two blocks) and the empty message.
    #[test]
    fn hashes_are_those_of_the_standard() {
        for (text, expected) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), expected);
        }
    }

    #[test]
    fn uuids_have_the_form_of_the_standard() {
        for seed in 0..1000_u32 {
            let uuid = uuid_of(&seed.to_le_bytes());
            assert!(crate::forms::is_uuid(&uuid), "{uuid}");
            assert_eq!(uuid.as_bytes()[14], b'5');
            assert!(b"89ab".contains(&uuid.as_bytes()[19]));
        }
    }
}
