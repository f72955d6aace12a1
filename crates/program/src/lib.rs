//! The program model of Semper, and the one concrete semantics that every engine is judged by.
//!
//! A [`Program`] is what all front ends produce and all engines consume: typed, side-effect-free expressions; one
//! control-flow automaton per function; memory made of objects; threads as operations on edges. Nothing here knows the
//! syntax of C, temporal logic, or solvers.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`types`] | scalar types with width and signedness, arrays, records with their layout, data models |
//! | [`expr`] | expressions and places |
//! | [`cfa`] | locations, edges, operations, functions |
//! | [`model`] | the program as a whole, and how to build one |
//! | [`visit`] | what operations and expressions are made of: who only enumerates operands asks here |
//! | [`atom`] | what a property may look at |
//! | [`front_end`] | what turns texts into programs |
//! | [`passes`] | changes to programs, each with its way back |
//! | [`relevance`], [`lifetimes`] | what decides what a program does, and when local variables live: for the checks of evidence alone |
//! | [`telling`] | what people call its variables and values |
//! | [`print`](mod@print) | text for people |
//! | [`canonical`] | the whole of a program as text, for fingerprints |
//! | [`semantics`] | the interpreter: what a program does |

pub mod atom;
pub mod canonical;
pub mod cfa;
pub mod expr;
pub mod front_end;
pub mod lifetimes;
pub mod model;
pub mod passes;
pub mod print;
pub mod reach;
pub mod relevance;
pub mod semantics;
pub mod telling;
pub mod types;
pub mod visit;

pub use atom::Atom;
pub use cfa::{
    Allocation, Callee, Edge, EdgeId, EndKind, Function, FunctionId, InputSource, Location, LocationId, Observe, Op,
    Operand, Reach,
};
pub use expr::{BinaryOp, CompareOp, Constant, Expr, ExprId, ExprKind, Exprs, OpenEnd, Place, Root, Selector, UnaryOp};
pub use model::{Assumption, Initial, InitialItem, Program, Variable, VariableId, VariableKind};
pub use types::{DataModel, Field, FloatType, IntType, Record, Scalar, Type, TypeId, Types};
pub use visit::{Access, OpPart, OpPartMut, OpPartRef, Rewrite};
