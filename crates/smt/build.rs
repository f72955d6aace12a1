//! Sees to it that libz3 is there, and that programs find it.
//!
//! The library comes from the official wheel, pinned by version and hash in `z3.requirements.txt`. It is downloaded once,
//! by pip, into `.deps` at the root of the workspace, and from there put beside every binary that cargo builds: the
//! `rpath` in `.cargo/config.toml` is relative to the binary, so that a build folder can be anywhere. The decision and
//! what was tried instead are in `docs/decisions/0005-z3-from-the-wheel.md`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = "z3.requirements.txt";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={REQUIREMENTS}");
    if let Err(message) = provide() {
        println!("cargo::error={}", message.trim_end().replace('\n', "; "));
        std::process::exit(1);
    }
}

fn provide() -> Result<(), String> {
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let requirements = package.join(REQUIREMENTS);
    let version = pinned_version(&requirements)?;
    let dependencies = package.join("../../.deps");
    let folder = dependencies.join(format!("z3-{version}"));
    if !folder.join("lib").is_dir() {
        fetch(&requirements, &dependencies, &folder)?;
    }
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let libraries = libraries(&folder.join("lib"))?;
    let out = PathBuf::from(variable("OUT_DIR")?);
    // Cargo lets tests and `cargo run` find libraries in search paths inside the build folder.
    let mut places = vec![out.join("lib")];
    // .../target/<profile>/build/<package>/out: binaries are in <profile>, tests in <profile>/deps.
    places.extend(out.ancestors().nth(3).map(Path::to_owned));
    for place in &places {
        fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
        for library in &libraries {
            provide_copy(library, place)?;
            println!("cargo:rerun-if-changed={}", library.display());
        }
    }
    println!("cargo:rustc-link-search=native={}", places[0].display());
    println!("cargo:rustc-env=SEMPER_Z3_BINARY={}", folder.join("bin/z3").display());
    println!("cargo:rustc-env=SEMPER_Z3_VERSION={version}");
    Ok(())
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("cargo did not set {name}"))
}

/// The version in `z3-solver==VERSION`.
fn pinned_version(requirements: &Path) -> Result<String, String> {
    let text = fs::read_to_string(requirements).map_err(|error| format!("{}: {error}", requirements.display()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("z3-solver=="));
    let version = line.and_then(|line| line.split_whitespace().next());
    version.map(str::to_owned).ok_or_else(|| format!("{} names no version of z3-solver", requirements.display()))
}

/// Downloads and unpacks the wheel. It is renamed into place as a whole: two builds may do this at the same time.
fn fetch(requirements: &Path, dependencies: &Path, folder: &Path) -> Result<(), String> {
    let work = dependencies.join(format!("unpacking-{}", std::process::id()));
    let result = unpack(requirements, &work).and_then(|unpacked| match fs::rename(unpacked, folder) {
        Err(error) if !folder.join("lib").is_dir() => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    });
    let _ = fs::remove_dir_all(&work);
    result
}

fn unpack(requirements: &Path, work: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(work).map_err(|error| format!("{}: {error}", work.display()))?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]);
    pip.args(["--require-hashes", "--dest"]).arg(work).arg("--requirement").arg(requirements);
    run(
        pip,
        "the Z3 library could not be downloaded. It comes from the Python package `z3-solver`; this needs Python 3 with pip \
         and a network (or a folder of packages, PIP_FIND_LINKS), once. On Debian: apt install python3-pip",
    )?;
    let entries = fs::read_dir(work).map_err(|error| format!("{}: {error}", work.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path());
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let wheel = files.find(is_wheel).ok_or("pip downloaded no wheel of z3-solver")?;
    let tree = work.join("tree");
    let mut unzip = Command::new("python3");
    unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&tree);
    run(unzip, "the wheel of z3-solver could not be unpacked")?;
    let unpacked = work.join("unpacked");
    let binary = unpacked.join("bin/z3");
    let moves = || -> std::io::Result<()> {
        fs::create_dir_all(unpacked.join("bin"))?;
        fs::rename(tree.join("z3/lib"), unpacked.join("lib"))?;
        for entry in fs::read_dir(&tree)?.flatten() {
            let candidate = entry.path().join("data/bin/z3");
            if candidate.is_file() {
                fs::rename(candidate, &binary)?;
                make_executable(&binary)?;
            }
        }
        Ok(())
    };
    moves().map_err(|error| format!("the wheel of z3-solver does not have the files it should have: {error}"))?;
    Ok(unpacked)
}

#[cfg(unix)]
fn make_executable(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn run(mut command: Command, advice: &str) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{advice}\npython3: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{advice}\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn libraries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_library = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("libz3") && (name.contains(".so") || name.ends_with(".dylib"))
    };
    let found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_library).collect();
    if found.is_empty() { Err(format!("no libz3 in {}", folder.display())) } else { Ok(found) }
}

/// The same file under a second name where the file system can do that, else a copy.
fn provide_copy(library: &Path, folder: &Path) -> Result<(), String> {
    let copy = folder.join(library.file_name().expect("it was found by its name"));
    let size = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    if size(&copy).is_some() && size(&copy) == size(library) {
        return Ok(());
    }
    let _ = fs::remove_file(&copy);
    match fs::hard_link(library, &copy).or_else(|_| fs::copy(library, &copy).map(|_| ())) {
        Ok(()) => Ok(()),
        // Another build was faster.
        Err(_) if size(&copy) == size(library) => Ok(()),
        Err(error) => Err(format!("{}: {error}", copy.display())),
    }
}
