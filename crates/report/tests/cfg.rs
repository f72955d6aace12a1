//! The three forms of a program hold the same automata.

use analysis::reachable::reachable_functions;
use foundation::{SourceMap, Span};
use program::{
    Callee, DataModel, EndKind, Function, Initial, InputSource, IntType, Observe, Op, Place, Program, Root, Scalar,
    Variable, VariableKind,
};
use semper_report::cfg;

/// A program with an awkward input name, a branch, a step, and a function without a body.
fn example(sources: &mut SourceMap) -> Program {
    let source = sources.add("a\"b.c", "int x;\nint main(void) { x = in(); }\n");
    let span = Span { source, start: 7, end: 10 };
    let mut program = Program::new(DataModel::Ilp32);
    let ty = program.types.scalar(Scalar::Int(IntType::signed(32)));
    let kind = VariableKind::Global { initial: Initial::Values(Vec::new()), declared_in: None };
    let x = program.variables.push(Variable { name: "x".into(), kind, ty, address_taken: false, span });
    let main = program.functions.push(Function::new("main", span));
    let outside = program.functions.push(Function::new("outside", span));
    program.functions.push(Function::new("never_called", span));
    let [start, middle, end] = [(); 3].map(|()| program.add_location(main));
    program.functions[main].entry = Some(start);
    program.functions[main].result = Some(ty);
    program.entry = Some(main);
    let target = Place { root: Root::Variable(x), path: Vec::new(), ty };
    let source = InputSource::Nondet("quoted\"and\\back\nslashed".into());
    program.add_edge(start, middle, Op::Input { target, source }, span, Observe::Statement);
    let truth = program.exprs.bool(true);
    program.add_edge(middle, start, Op::Assume(truth), span, Observe::No);
    let call = Op::Call { callee: Callee::Function(outside), arguments: Vec::new(), result: None };
    program.add_edge(middle, end, call, span, Observe::No);
    program.add_edge(middle, end, Op::End(EndKind::Return), span, Observe::Step);
    program
}

#[test]
fn json_names_every_location_and_edge_once() {
    let mut sources = SourceMap::new();
    let program = example(&mut sources);
    let json = serde_json::to_value(cfg::to_json(&program, &reachable_functions(&program), &sources)).unwrap();
    assert_eq!(json["data_model"], "ILP32");
    assert_eq!(json["entry"], "main");
    assert_eq!(json["globals"], serde_json::json!([{"name": "x", "type": "int32_t"}]));
    let [main, outside] = json["functions"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!(main["locations"], serde_json::json!([0, 1, 2]));
    let edges = main["edges"].as_array().unwrap();
    let ends: Vec<_> =
        edges.iter().map(|edge| (edge["from"].as_u64().unwrap(), edge["to"].as_u64().unwrap())).collect();
    assert_eq!(ends, [(0, 1), (1, 0), (1, 2), (1, 2)]);
    let observed: Vec<_> = edges.iter().map(|edge| edge["observe"].as_str().unwrap()).collect();
    assert_eq!(observed, ["statement", "no", "no", "step"]);
    assert!(edges.iter().all(|edge| edge["line"] == 2));
    assert_eq!(outside.get("entry"), None);
}

#[test]
fn dot_is_quoted_correctly() {
    let mut sources = SourceMap::new();
    let program = example(&mut sources);
    let dot = cfg::to_dot(&program, &sources);
    for line in dot.lines() {
        // Outside quotes there are no quotes: after removing escaped characters their number is even.
        let plain = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(plain.matches('"').count() % 2, 0, "{line}");
    }
    assert_eq!(dot.matches(" -> n").count(), 4);
    assert_eq!(dot.matches("style=bold").count(), 2);
    assert_eq!(dot.matches("doublecircle").count(), 1);
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert_eq!(dot.matches("subgraph").count(), 1, "a function without a body has no automaton");
}

#[test]
fn text_names_globals_and_functions() {
    let mut sources = SourceMap::new();
    let program = example(&mut sources);
    let text = cfg::to_text(&program, &reachable_functions(&program));
    assert!(text.starts_with("global x: int32_t\n\nfunction main(): int32_t\n"), "{text}");
    assert!(text.contains("function outside()\n    no body\n"), "{text}");
    assert!(!text.contains("never_called"), "{text}");
}
