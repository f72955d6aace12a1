//! `semper certify`: checks a certificate, with nothing but the program, the property and the file.

use anyhow::Result;
use foundation::{Diagnostic, Diagnostics, SourceMap};
use report::verdict::{Detail, Verdicts};
use semper::saved::Inquiry;
use semper::{Settings, certificates, replay};

use super::limits::{Limited, no_verdict};
use super::options::{CertifyOptions, Format};
use super::{Ready, Status, load, output, refuse, show_diagnostics, solver};

pub(super) fn run(options: &CertifyOptions) -> Result<Status> {
    let limited = Limited::new(&options.limits, no_verdict(options.output.format));
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let certificate = host::read_text(&options.file, &mut diagnostics).and_then(|text| {
        let source = sources.add(&options.file, text);
        certificates::read(&sources, source).map_err(|fault| diagnostics.push(*fault)).ok()
    });
    let loaded = certificate.and_then(|read| {
        let request = replay::request_for(&read.question, &options.file, &options.program, &mut diagnostics);
        request.map(|(request, scheduler)| (request, scheduler, read))
    });
    let Some((request, scheduler, certificates::ReadCertificate { question, fingerprint, certificate })) = loaded
    else {
        return refuse(&diagnostics, &sources, &options.output);
    };
    let Ready { mut subject, sources, diagnostics: read } = match load(&request, &limited, &options.output)? {
        Ok(ready) => ready,
        Err(status) => return Ok(status),
    };
    diagnostics.extend(read);
    let task = semper::check::task_of(&subject, 0, scheduler);
    if certificates::fingerprint(&task) != fingerprint {
        diagnostics.push(another_program(!options.program.is_empty()));
        if diagnostics.has_errors() {
            return refuse(&diagnostics, &sources, &options.output);
        }
    }
    if let Some(warning) = unusual(&question) {
        diagnostics.push(warning);
    }
    let property = &mut subject.properties[0];
    property.name.clone_from(&question.property.name);
    property.origin.clone_from(&options.file);
    let decider = match &options.solver {
        Some(solver) => solver::named(solver),
        None => solver::second(),
    };
    let outcome = semper::check::certify(&subject, 0, certificate, scheduler, &decider, &limited.budget);
    let settings = Settings { scheduler, ..Settings::default() };
    let verdict = semper::verdict(&subject, 0, &outcome, &settings, &sources, &mut diagnostics);
    let verdicts = Verdicts::new(vec![verdict]);
    match options.output.format {
        Format::Text => {
            show_diagnostics(&diagnostics, &sources);
            let (verbose, width) = (options.output.verbose, host::terminal::width());
            let detail = Detail { all_steps: verbose, trusted: true, width };
            output::print(&report::verdict::render(&verdicts, detail))?;
        }
        Format::Json => output::print_json(&verdicts.properties[0])?,
    }
    Ok(match verdicts.verdict.as_str() {
        "holds" => Status::Holds,
        _ => Status::Indefinite,
    })
}

/// The files may be the same, but not what is made of them: by other headers, or by another version of Semper. What the user names
/// instead of them is tried.
fn another_program(is_named: bool) -> Diagnostic {
    let message = "the certificate is about another program: its fingerprint differs from that of what was read";
    match is_named {
        true => Diagnostic::warning("another-program", message).help("its numbers may mean something else here"),
        false => Diagnostic::error("another-program", message).help(
            "check the program again: what it includes has changed, or this version of Semper reads it in another way",
        ),
    }
}

/// What the program is read with besides the files: nobody should take a proof of a part of the program, or of another
/// version of it, for a proof of the whole.
fn unusual(question: &Inquiry) -> Option<Diagnostic> {
    let program = &question.program;
    let mut options: Vec<String> = Vec::new();
    options.extend((program.entry != "main").then(|| format!("`--entry {}`", program.entry)));
    options.extend(program.define.iter().map(|define| format!("`-D {define}`")));
    options.extend(program.include.iter().map(|include| format!("`-I {include}`")));
    options.extend(program.volatile_input.then(|| "`--volatile input`".to_owned()));
    options.extend(program.pure_undefined_functions.then(|| "`--undefined-functions pure`".to_owned()));
    if options.is_empty() {
        return None;
    }
    let message = format!("the certificate speaks of the program with {}", options.join(", "));
    Some(Diagnostic::warning("certificate-options", message).help("of the program without that, nothing is said"))
}
