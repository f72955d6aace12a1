//! Lassos are accepted exactly if they show a violation.

mod chance;
mod dependence;
mod ends;
mod fairness;
mod growth;
mod oracle;
mod prefix;
mod random;
mod rooms;
mod worlds;
