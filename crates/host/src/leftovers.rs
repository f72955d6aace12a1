//! What must not stay behind when the process is ended by force: folders that it made, and processes that it started.
//!
//! Both are noted while they exist. Of a process that was started, those that it started itself are found through
//! `/proc`, where the system has it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use foundation::collections::HashMap;

use crate::watched::memory_line;

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static PROCESSES: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Whatever a thread was doing when it panicked, the lists are only ever added to and taken from.
fn locked<T>(list: &'static Mutex<T>) -> MutexGuard<'static, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder for temporary files. It disappears with the value, or with the process.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes a new folder whose name says what it is for.
    pub(crate) fn new(purpose: &str) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("semper-{purpose}-{}-{number}", std::process::id()));
        locked(&FOLDERS).push(path.clone());
        let folder = Self(path);
        fs::create_dir_all(&folder.0)?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that stays behind is no reason to fail.
        let _ = fs::remove_dir_all(&self.0);
        locked(&FOLDERS).retain(|folder| *folder != self.0);
    }
}

/// A process that was started and has not been waited for.
pub(crate) struct Started(u32);

impl Started {
    /// Notes a process until the value is dropped.
    pub(crate) fn note(child: &Child) -> Self {
        locked(&PROCESSES).push(child.id());
        Self(child.id())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        locked(&PROCESSES).retain(|process| *process != self.0);
    }
}

/// The processes that were started by this room and run.
pub(crate) fn started() -> Vec<u32> {
    locked(&PROCESSES).clone()
}

/// All processes that this process started, those that they started, and so on, as far as the system tells.
pub(crate) fn descendants() -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::default();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        if let Some(parent) = parent(process) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = started();
    found.extend(children.remove(&std::process::id()).unwrap_or_default());
    let mut next = 0;
    while let Some(&process) = found.get(next) {
        found.extend(children.remove(&process).unwrap_or_default());
        next += 1;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The process that has started another.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands between parentheses and may contain anything; state and parent follow it.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

/// How many bytes of memory another process holds. One that has not become another program yet holds ours.
pub(crate) fn held_by(process: u32) -> u64 {
    let program = |process: &str| fs::read_link(format!("/proc/{process}/exe")).ok();
    let name = process.to_string();
    if program(&name) == program("self") {
        return 0;
    }
    let status = fs::read_to_string(format!("/proc/{name}/status")).unwrap_or_default();
    memory_line(&status, "VmRSS:").unwrap_or(0)
}

/// Sends a signal to processes, or with a minus before their numbers to groups of them; says whether that was possible.
/// The command is the shell's own: not every machine has one by itself.
pub(crate) fn signal(name: &str, processes: &[String]) -> bool {
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill \"$@\"", "sh", "-s", name, "--"]).args(processes);
    kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    cfg!(unix) && kill.status().is_ok_and(|status| status.success())
}

/// Ends all processes that were started, and takes away all folders.
pub(crate) fn clear() {
    let processes: Vec<String> = descendants().iter().map(u32::to_string).collect();
    if !processes.is_empty() {
        // Those that cannot be sent a signal end when nobody reads what they write.
        signal("KILL", &processes);
    }
    let folders = locked(&FOLDERS).clone();
    for folder in folders {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_disappears_with_its_value() {
        let folder = TemporaryFolder::new("test").unwrap();
        let other = TemporaryFolder::new("test").unwrap();
        assert!(folder.path() != other.path() && folder.path().is_dir());
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists() && other.path().is_dir());
        assert!(!locked(&FOLDERS).contains(&path));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn children_and_their_children_are_found() {
        let mut shell = Command::new("sh").args(["-c", "sleep 30 & wait"]).spawn().unwrap();
        let noted = Started::note(&shell);
        let child_of_shell = loop {
            let found = descendants();
            assert!(found.contains(&shell.id()));
            if let Some(&process) = found.iter().find(|&&process| parent(process) == Some(shell.id())) {
                break process;
            }
            std::thread::yield_now();
        };
        assert!(signal("TERM", &[child_of_shell.to_string()]) && shell.wait().is_ok());
        drop(noted);
        assert!(!started().contains(&shell.id()));
    }
}
