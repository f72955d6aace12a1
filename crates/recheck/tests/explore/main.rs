//! State spaces are accepted exactly if no execution is accepted by the automaton.

mod bits;
mod both;
#[path = "../../../replay/tests/replay/chance.rs"]
#[allow(dead_code)]
mod chance;
mod compared;
mod irrelevant;
#[path = "../../../replay/tests/replay/oracle.rs"]
#[allow(dead_code)]
mod oracle;
mod plain;
mod random;
mod small;
mod unnoticed;
#[path = "../../../replay/tests/replay/worlds.rs"]
#[allow(dead_code)]
mod worlds;
