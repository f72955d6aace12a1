//! The functions that a compiled program calls and that no file of it defines: they give what was recorded, and write it
//! to where their arguments point.
//!
//! They are defined in a text of their own, where the user's declarations are not seen: a function that takes any
//! arguments and returns a scalar is called alike under every prototype.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use program::semantics::layout::{Leaf, leaves};
use program::{Callee, FloatType, InputSource, IntType, Op, Operand, Program, Root, Scalar, TypeId};

use crate::driver::FollowedNames;
use crate::queues::Queues;

/// Functions that the driver stands for, with what they do there. They get names of their own, because prototypes of one
/// name must agree.
pub(crate) const REPLACED: &[(&str, &str)] = &[
    ("exit", ENDS),
    ("_exit", ENDS),
    ("_Exit", ENDS),
    ("quick_exit", ENDS),
    ("abort", ENDS),
    ("__assert_fail", ENDS),
    ("__assert_perror_fail", ENDS),
    ("__assert", ENDS),
    ("__VERIFIER_error", ENDS),
    ("assert", ASSERTS),
    ("__VERIFIER_assert", ASSERTS),
    ("__ESBMC_assert", ASSERTS),
    ("__CPROVER_assert", ASSERTS),
    ("assume", ASSUMES),
    ("__VERIFIER_assume", ASSUMES),
    ("__ESBMC_assume", ASSUMES),
    ("__CPROVER_assume", ASSUMES),
    ("__VERIFIER_ltl_step", NOTHING),
    ("__VERIFIER_atomic_begin", NOTHING),
    ("__VERIFIER_atomic_end", NOTHING),
    ("__ESBMC_atomic_begin", NOTHING),
    ("__ESBMC_atomic_end", NOTHING),
];

const ENDS: &str = "() { CALLED semper_finish(); }";
const ASSERTS: &str = "(int holds) { CALLED semper_assertion(holds); }";
const ASSUMES: &str = "(int holds) { CALLED semper_assumption(holds); }";
const NOTHING: &str = "() { CALLED }";

/// Functions that the runtime itself calls: what the program means by these names gets other ones.
pub(crate) const NEEDED: &[&str] =
    &["open", "write", "_exit", "sigaction", "sigaltstack", "siglongjmp", "memcpy", "__errno_location"];

/// The functions without a body: they give what was recorded.
pub(crate) fn stubs(program: &Program, names: &FollowedNames, queues: &Queues) -> Result<String, String> {
    let mut wanted: BTreeMap<String, Option<Scalar>> = BTreeMap::new();
    for edge in program.edges.values() {
        match &edge.op {
            Op::Input { target, source: InputSource::Nondet(name) | InputSource::External(name) } => {
                let ty = program.types.as_scalar(target.ty);
                wanted.insert(name.clone(), Some(ty.ok_or_else(|| format!("`{name}` returns a structure"))?));
            }
            Op::Call { callee: Callee::Function(function), .. } => {
                let function = &program.functions[*function];
                if function.entry.is_none() {
                    let result = match function.result {
                        None => None,
                        Some(ty) => Some(
                            program
                                .types
                                .as_scalar(ty)
                                .ok_or_else(|| format!("`{}` returns a structure", function.name))?,
                        ),
                    };
                    wanted.insert(function.name.clone(), result);
                }
            }
            _ => {}
        }
    }
    let mut text = String::from(
        "unsigned long long semper_input(int); void semper_called(int); void semper_finish(void); \
         void semper_assertion(int); void semper_assumption(int); \
         void *memcpy(void *, const void *, __SIZE_TYPE__);\n",
    );
    let called = |name: &str| {
        let frame = program.function_named(name).and_then(|function| names.frame(function));
        frame.map(|frame| format!("semper_called({frame});")).unwrap_or_default()
    };
    for (name, body) in REPLACED {
        let _ = writeln!(text, "void semper_r_{name}{}", body.replace("CALLED", &called(name)));
    }
    for (name, result) in &wanted {
        let is_replaced = REPLACED.iter().any(|(known, _)| known == name);
        if is_replaced || name.starts_with("__builtin_") {
            continue;
        }
        let called = called(name) + &writes(program, name, queues)?;
        let parameters = parameters(program, name);
        let queue = queues.input(name);
        let value = queue.map_or_else(|| "0".to_owned(), |queue| format!("semper_input({queue})"));
        let own_name = format!("semper_u_{name}");
        let name = if NEEDED.contains(&name.as_str()) { &own_name } else { name };
        // A name that no recorded value belongs to is not called, or nobody looks at what it returns.
        let _ = match (name.as_str(), result) {
            (_, None) => writeln!(text, "void {name}({parameters}) {{ {called} }}"),
            ("rand" | "random", Some(Scalar::Int(ty))) => {
                let ty = integer(*ty)?;
                writeln!(text, "{ty} {name}() {{ {ty} v = {value}; return v < 0 ? ~v : v; }}")
            }
            ("getchar", _) => writeln!(text, "int getchar() {{ int v = {value}; return v < 0 ? -1 : v & 255; }}"),
            (_, Some(Scalar::Bool)) => writeln!(text, "_Bool {name}({parameters}) {{ {called} return {value}; }}"),
            (_, Some(Scalar::Int(ty))) => {
                writeln!(text, "{} {name}({parameters}) {{ {called} return {value}; }}", integer(*ty)?)
            }
            (_, Some(Scalar::Pointer)) => {
                writeln!(text, "void *{name}({parameters}) {{ {called} return (void *)(__UINTPTR_TYPE__){value}; }}")
            }
            (_, Some(Scalar::Float(ty))) => {
                let ty = if *ty == FloatType::F32 { "float" } else { "double" };
                let body = "double d; memcpy(&d, &bits, sizeof d); return d;";
                writeln!(text, "{ty} {name}({parameters}) {{ {called} unsigned long long bits = {value}; {body} }}")
            }
        };
    }
    Ok(text)
}

/// The parameters of a function without a body that writes through some of them, as its calls pass them.
fn parameters(program: &Program, name: &str) -> String {
    let writes = |source: &InputSource| matches!(source, InputSource::Argument { function, .. } if function == name);
    let is_written = |op: &Op| matches!(op, Op::Input { source, .. } if writes(source));
    if !program.edges.values().any(|edge| is_written(&edge.op)) {
        return String::new();
    }
    let arguments = |op: &Op| match op {
        Op::Call { callee: Callee::Function(function), arguments, .. } if program.functions[*function].name == name => {
            Some(arguments.clone())
        }
        _ => None,
    };
    let Some(arguments) = program.edges.values().find_map(|edge| arguments(&edge.op)) else { return String::new() };
    let parameter = |(number, argument): (usize, &Operand)| {
        let ty = match argument {
            Operand::Scalar(value) => match program.exprs.ty(*value) {
                Scalar::Float(FloatType::F32) => "float",
                Scalar::Float(FloatType::F64) => "double",
                Scalar::Int(int) if int.bits > 32 => "long long",
                Scalar::Int(_) | Scalar::Bool => "int",
                Scalar::Pointer => "void *",
            },
            Operand::Aggregate(_) => "int",
        };
        format!("{ty} a{}", number + 1)
    };
    arguments.iter().enumerate().map(parameter).collect::<Vec<_>>().join(", ")
}

/// What a function without a body does with the values that were recorded for its arguments.
fn writes(program: &Program, name: &str, queues: &Queues) -> Result<String, String> {
    let mut text = String::new();
    for argument in 1..=MOST_ARGUMENTS {
        let Some(queue) = queues.input(&format!("{name}.{argument}")) else { continue };
        let _ = write!(text, "if (a{argument}) {{ unsigned long long v; ");
        for leaf in written(program, name, argument)? {
            let (offset, bytes) = (leaf.offset_bits / 8, leaf.width_bits / 8);
            let value = match leaf.scalar {
                // A recorded number has the bits of a double.
                Scalar::Float(FloatType::F32) => {
                    format!(
                        "double d; memcpy(&d, &v, sizeof d); float f = d; memcpy((char *)a{argument} + {offset}, &f, 4);"
                    )
                }
                _ => format!("memcpy((char *)a{argument} + {offset}, &v, {bytes});"),
            };
            let _ = write!(text, "v = semper_input({queue}); {{ {value} }} ");
        }
        text.push_str("} ");
    }
    Ok(text)
}

/// More arguments of one call than this are not looked at.
const MOST_ARGUMENTS: u32 = 64;

/// The scalars that a function without a body writes where an argument points, if they are the same in all calls.
pub(crate) fn written(program: &Program, name: &str, argument: u32) -> Result<Vec<Leaf>, String> {
    let refused = |why: &str| Err(format!("`{name}`, which has no body, writes through argument {argument} {why}"));
    let is_meant = |source: &InputSource| matches!(source, InputSource::Argument { function, argument: number } if function == name && *number == argument);
    let mut found: Option<TypeId> = None;
    for edge in program.edges.values() {
        match &edge.op {
            Op::Havoc { source, .. } if is_meant(source) => return refused("to wherever that points"),
            Op::Input { target, source } if is_meant(source) => {
                if found.is_some_and(|ty| ty != target.ty) || !matches!(target.root, Root::Variable(_)) {
                    return refused("to objects of several kinds");
                }
                found = Some(target.ty);
            }
            Op::Call { callee: Callee::Function(function), arguments, .. }
                if program.functions[*function].name == name
                    && arguments.iter().any(|argument| matches!(argument, Operand::Aggregate(_))) =>
            {
                return refused("and is given a structure");
            }
            _ => {}
        }
    }
    let Some(ty) = found else { return refused("in a way that is not known") };
    let Ok(leaves) = leaves(&program.types, ty) else { return refused("to a large object") };
    let mut end = 0;
    for leaf in &leaves {
        if leaf.offset_bits < end || leaf.offset_bits % 8 != 0 || leaf.width_bits % 8 != 0 || leaf.width_bits > 64 {
            return refused("to bit-fields, a union, or numbers of more than 64 bits");
        }
        end = leaf.offset_bits + leaf.width_bits;
    }
    Ok(leaves)
}

fn integer(ty: IntType) -> Result<String, String> {
    let sign = if ty.signed { "INT" } else { "UINT" };
    match ty.bits {
        8 | 16 | 32 | 64 => Ok(format!("__{sign}{}_TYPE__", ty.bits)),
        bits => Err(format!("an input has {bits} bits")),
    }
}
