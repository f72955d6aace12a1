//! The command line `semper`: reads options, calls the library, prints, and sets the exit status.
//!
//! Exit status: 0 the property holds (on the trace, for `run`) or there was nothing to decide, 1 it is violated, 2 bad
//! input or usage, 3 anything less than definite, and internal errors.

mod command_line;

use std::process::ExitCode;

use command_line::Status;

/// The work runs on a stack of this size. Nothing should need it: deep inputs are walked without recursion or on stacks
/// that grow. It is a second line of defence.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
        command_line::output::complain(&format!(
            "semper: internal error: {message}{place}\n\
             This is a fault in Semper, not in your program, and no verdict is given.\n\
             Please report it together with the command and its files.\n"
        ));
    }));
    ExitCode::from(guarded(command_line::run) as u8)
}

/// Does the work on a large stack. A panic, which the hook has told the user of, is less than a definite answer.
fn guarded(work: impl FnOnce() -> Status + Send + 'static) -> Status {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    worker.map_or(Status::Indefinite, |worker| worker.join().unwrap_or(Status::Indefinite))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_no_verdict() {
        assert_eq!(guarded(|| Status::Violated), Status::Violated);
        assert_eq!(guarded(|| panic!("on purpose")), Status::Indefinite);
    }

    #[test]
    fn the_stack_is_large() {
        fn depth(left: u32) -> u32 {
            let page = std::hint::black_box([left; 256]);
            if left == 0 { 0 } else { page[0] - left + 1 + depth(left - 1) }
        }
        assert_eq!(guarded(|| if depth(50_000) == 50_000 { Status::Holds } else { Status::Violated }), Status::Holds);
    }
}
