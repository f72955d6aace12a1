//! Another program under watch: how long it takes, what it uses, and its end by force where it goes beyond what it may.
//!
//! What a process uses is read from `/proc`, as Linux has it: the processor time of all its threads and of the processes
//! it waited for (in ticks of 10 ms), and the high-water mark of its own memory (`VmHWM`). The `ru_maxrss` of wait4(2)
//! would be exact to the last moment, but it counts in what the process held before `execve`, which is a copy of its
//! parent: small children of a large parent look large. Looking again and again costs little and errs by what grew since
//! the last look, at most 20 ms or a twentieth of the running time ago. Elsewhere than on Linux there are no figures.
//!
//! The process stays in the group of its parent, so that Ctrl-C at a terminal reaches both.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use foundation::{Budget, Exhausted};

use crate::leftovers::{Started, signal};

/// What a program may use before it is ended by force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Time from its start.
    pub time: Option<Duration>,
    /// Bytes of memory that it holds at once.
    pub memory: Option<u64>,
    /// Bytes of output, on standard output and standard error each.
    pub output: usize,
}

/// What a program did under watch.
#[derive(Clone, Debug)]
pub struct Watched {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error; bytes that are no UTF-8 are replaced.
    pub stderr: String,
    /// What it used.
    pub usage: Usage,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By itself, with this exit status.
    Exited(i32),
    /// By this signal, which was not ours.
    Signalled(i32),
    /// By force: it used up its time or memory, or the budget ended.
    Stopped(Exhausted),
    /// By force: it wrote more than it may.
    TooMuchOutput,
}

/// What a program used.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Usage {
    /// Time from its start to its end.
    pub wall: Duration,
    /// Time on processors, its threads and finished children included; where the system tells.
    pub processor: Option<Duration>,
    /// The most bytes of memory that it held at once; where the system tells.
    pub peak_memory: Option<u64>,
}

/// Runs a program to its end, whichever comes first: its own, that of its allowance or that of the budget. Its standard
/// input is empty. The error says that it could not be started.
pub fn watch(program: &Path, arguments: &[OsString], allowance: Allowance, budget: &Budget) -> io::Result<Watched> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let _noted = Started::note(&child);
    let mut output = ProcessOutput::of(&mut child, allowance.output);
    let mut usage = Usage::default();
    let mut stopping: Option<Stopping> = None;
    let status = loop {
        output.receive(interval(start.elapsed()));
        let held = observe(child.id(), &mut usage);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        match &mut stopping {
            Some(stopping) => stopping.insist(&mut child),
            None => {
                stopping = excess(allowance, start, held, &output, budget).map(|why| Stopping::begin(why, &mut child))
            }
        }
    };
    usage.wall = start.elapsed();
    output.finish();
    let ending = stopping.map_or_else(|| own_ending(status), |stopping| stopping.why);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Watched { ending, stdout: output.stdout, stderr, usage })
}

/// How long until the next look. The figures of a short run are as precise, in proportion, as those of a long one.
fn interval(running: Duration) -> Duration {
    (running / 20).clamp(Duration::from_millis(1), Duration::from_millis(20))
}

/// Why the process is to be ended, if it is.
fn excess(allowance: Allowance, start: Instant, held: u64, output: &ProcessOutput, budget: &Budget) -> Option<Ending> {
    if output.too_much {
        return Some(Ending::TooMuchOutput);
    }
    let over_memory = allowance.memory.is_some_and(|most| held > most);
    let over_time = allowance.time.is_some_and(|most| start.elapsed() > most);
    let exhausted = match (over_memory, over_time) {
        (true, _) => Some(Exhausted::Memory),
        (_, true) => Some(Exhausted::Time),
        _ => budget.check().err(),
    };
    exhausted.map(Ending::Stopped)
}

/// A process that is being ended.
struct Stopping {
    why: Ending,
    /// When it is no longer asked.
    patience: Instant,
}

impl Stopping {
    /// Asks the process to end, so that it can end those that it started itself; one that eats memory is not asked.
    fn begin(why: Ending, child: &mut Child) -> Self {
        const PATIENCE: Duration = Duration::from_secs(2);
        let asked = why != Ending::Stopped(Exhausted::Memory) && ask_to_end(child);
        let patience = if asked { PATIENCE } else { Duration::ZERO };
        let mut stopping = Self { why, patience: Instant::now() + patience };
        stopping.insist(child);
        stopping
    }

    fn insist(&mut self, child: &mut Child) {
        if Instant::now() >= self.patience {
            // The only error is that it has ended already.
            let _ = child.kill();
        }
    }
}

/// Asks by a signal; says whether that was possible.
fn ask_to_end(child: &Child) -> bool {
    signal("TERM", &[child.id().to_string()])
}

fn own_ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signalled(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}

/// Notes what a process has used by now. Returns the bytes of memory that it holds, 0 where that is not known.
fn observe(process: u32, usage: &mut Usage) -> u64 {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
    if let Some(processor) = processor_time(&read("stat")) {
        usage.processor = Some(processor);
    }
    let status = read("status");
    if let Some(peak) = memory_line(&status, "VmHWM:") {
        usage.peak_memory = usage.peak_memory.max(Some(peak));
    }
    memory_line(&status, "VmRSS:").unwrap_or(0)
}

/// The time in `/proc/PID/stat`: of the process in user and in system mode, and of the children it waited for.
fn processor_time(stat: &str) -> Option<Duration> {
    /// Linux counts these times in hundredths of a second towards programs, whatever its own clock does.
    const TICK: Duration = Duration::from_millis(10);
    // The name of the program stands between parentheses and may contain anything; the third field follows it.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let times = fields.get(11..15)?.iter().map(|field| field.parse::<u32>().ok());
    times.sum::<Option<u32>>().map(|ticks| TICK * ticks)
}

/// A line such as `VmHWM:    1234 kB`, in bytes.
pub(crate) fn memory_line(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The output of a process, read by two threads of its own: a process whose output nobody reads does not go on.
struct ProcessOutput {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    most: usize,
    too_much: bool,
    pieces: Receiver<OutputPiece>,
}

/// Some bytes of output.
struct OutputPiece {
    is_error: bool,
    bytes: Vec<u8>,
}

impl ProcessOutput {
    fn of(child: &mut Child, most: usize) -> Self {
        let (sender, pieces) = mpsc::sync_channel(16);
        read_in_pieces(child.stdout.take().expect("standard output is piped"), false, sender.clone());
        read_in_pieces(child.stderr.take().expect("standard error is piped"), true, sender);
        Self { stdout: Vec::new(), stderr: Vec::new(), most, too_much: false, pieces }
    }

    /// Takes what comes within some time. A process that has closed its output has ended, or will in a moment.
    fn receive(&mut self, time: Duration) {
        const MOMENT: Duration = Duration::from_millis(1);
        let end = Instant::now() + time;
        loop {
            match self.pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(piece) => self.keep(piece),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => return thread::sleep(MOMENT),
            }
            if Instant::now() >= end {
                return;
            }
        }
    }

    /// Takes the rest after the process has ended. Processes that it started may keep its output open: they are not
    /// waited for.
    fn finish(&mut self) {
        const PATIENCE: Duration = Duration::from_millis(500);
        let end = Instant::now() + PATIENCE;
        while let Ok(piece) = self.pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.keep(piece);
        }
    }

    fn keep(&mut self, piece: OutputPiece) {
        let stream = if piece.is_error { &mut self.stderr } else { &mut self.stdout };
        let free = self.most - stream.len();
        self.too_much |= piece.bytes.len() > free;
        stream.extend(piece.bytes.into_iter().take(free));
    }
}

fn read_in_pieces(mut stream: impl Read + Send + 'static, is_error: bool, pieces: SyncSender<OutputPiece>) {
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        // A stream that breaks off gives what came before, and a reader that has gone away wants nothing more.
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            if pieces.send(OutputPiece { is_error, bytes: bytes[..count].to_owned() }).is_err() {
                break;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Allowance = Allowance { time: None, memory: None, output: 1 << 20 };

    fn shell(script: &str, allowance: Allowance) -> Watched {
        let arguments = ["-c", script].map(OsString::from);
        watch(Path::new("sh"), &arguments, allowance, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn every_way_to_end_is_told_apart() {
        let little = Allowance { output: 1000, ..FREE };
        let short = Allowance { time: Some(Duration::from_millis(100)), ..FREE };
        for (script, allowance, ending) in [
            ("exit 0", FREE, Ending::Exited(0)),
            ("exit 3", FREE, Ending::Exited(3)),
            ("kill -9 $$", FREE, Ending::Signalled(9)),
            ("kill -SEGV $$", FREE, Ending::Signalled(11)),
            ("sleep 60", short, Ending::Stopped(Exhausted::Time)),
            ("yes", little, Ending::TooMuchOutput),
            ("yes >&2", little, Ending::TooMuchOutput),
        ] {
            let watched = shell(script, allowance);
            assert_eq!(watched.ending, ending, "{script}");
            assert!(watched.stdout.len() <= allowance.output);
        }
        assert!(watch(Path::new("/no/such/program"), &[], FREE, &Budget::unlimited()).is_err());
    }

    #[test]
    fn the_output_is_kept_whole_and_apart() {
        let watched = shell("echo out; echo err >&2; seq 1 20000; exec 1>&- 2>&-; sleep 0.1; exit 7", FREE);
        let numbers: String = (1..=20000).map(|number| format!("{number}\n")).collect();
        assert_eq!(String::from_utf8(watched.stdout).unwrap(), format!("out\n{numbers}"));
        assert_eq!((watched.stderr.as_str(), watched.ending), ("err\n", Ending::Exited(7)));
        assert!(watched.usage.wall >= Duration::from_millis(100));
    }

    #[test]
    fn a_cancelled_budget_asks_first_and_does_not_wait_for_grandchildren() {
        let budget = Budget::unlimited();
        budget.cancel();
        let arguments = ["-c", "trap 'echo asked; exit 5' TERM; sleep 3 & wait"].map(OsString::from);
        let watched = watch(Path::new("sh"), &arguments, FREE, &budget).unwrap();
        assert_eq!(watched.ending, Ending::Stopped(Exhausted::Cancelled));
        // The very first look may come before the shell has set its trap.
        assert!(matches!(watched.stdout.as_slice(), b"" | b"asked\n"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn time_and_memory_are_measured_and_memory_is_limited() {
        let busy = shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", FREE).usage;
        assert!(busy.processor.unwrap() >= Duration::from_millis(10), "{busy:?}");
        let idle = shell("sleep 0.3", FREE).usage;
        assert!(idle.wall >= Duration::from_millis(300) && idle.processor.unwrap() <= busy.processor.unwrap());
        // A shell that holds a text of 32 MB, and one that holds little.
        let holds = |seconds: &str| format!("x=$(head -c 32000000 /dev/zero | tr '\\0' x); sleep {seconds}");
        let large = shell(&holds("1"), FREE).usage.peak_memory.unwrap();
        assert!(large > 30 << 20 && idle.peak_memory.unwrap() < 16 << 20, "{large} {idle:?}");
        let limited = shell(&holds("60"), Allowance { memory: Some(16 << 20), ..FREE });
        assert_eq!(limited.ending, Ending::Stopped(Exhausted::Memory));
    }

    #[test]
    fn the_fields_of_stat_are_counted_after_the_name() {
        let stat = "12 (a ) b (c) R 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0 1";
        assert_eq!(processor_time(stat), Some(Duration::from_millis(1270)));
        for stat in ["", "12 (a) R 1", "12 (a) R 1 2 3 4 5 6 7 8 9 10 x 20 3 4"] {
            assert_eq!(processor_time(stat), None);
        }
        assert_eq!(memory_line("VmPeak: 9 kB\nVmHWM:\t  12 kB\n", "VmHWM:"), Some(12 << 10));
    }
}
