//! What must be true of any bytes given as a certificate: no panic, and what is accepted reads back from its own text. A fuzz
//! target and a test call the same check.

use foundation::SourceMap;
use foundation::robustness::check_fault;

use super::{ReadCertificate, read, write};

/// Reads the bytes as a certificate; what was accepted is returned.
///
/// # Panics
///
/// Where the reader breaks its promises.
pub fn check(bytes: &[u8]) -> Option<ReadCertificate> {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let source = sources.add("input.cert", text.as_ref());
    match read(&sources, source) {
        Ok(found) => {
            let again = |read: &ReadCertificate| write(&read.question, &read.fingerprint, &read.certificate);
            let written = again(&found).expect("what is read can be written");
            let source = sources.add("written.cert", written.as_str());
            match read(&sources, source) {
                Ok(reread) => assert_eq!(again(&reread).as_ref(), Some(&written)),
                Err(fault) => panic!("{written} does not read back: {fault:?}"),
            }
            Some(found)
        }
        Err(fault) => {
            check_fault(&fault, &text);
            None
        }
    }
}
