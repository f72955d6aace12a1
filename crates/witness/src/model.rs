//! What a witness is made of. The names are those of the format; a type here can hold a witness that breaks a rule, and
//! [`crate::faults`] finds that out.

use std::fmt;

use crate::hash::uuid_of;
use crate::write::write_entry;

/// A witness: the entries of one file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Witness {
    /// The entries, in the order of the file.
    pub entries: Vec<WitnessEntry>,
}

/// One record of a witness.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WitnessEntry {
    /// Where it comes from and which task it belongs to.
    pub metadata: Metadata,
    /// What it says.
    pub content: Content,
}

impl WitnessEntry {
    /// The same entry with the uuid that follows from everything else in it: equal entries have equal uuids, and nothing
    /// is left to chance.
    #[must_use]
    pub fn identified(mut self) -> Self {
        self.metadata.uuid.clear();
        let mut text = String::new();
        write_entry(&mut text, &self);
        self.metadata.uuid = uuid_of(text.as_bytes());
        self
    }
}

/// What an entry says; which of them it is, is the `entry_type` of the format.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// `violation_sequence`: segments that a violating execution passes one after the other.
    ViolationSequence(Vec<Segment>),
    /// `invariant_set`: what holds whenever control is at some place.
    InvariantSet(Vec<Invariant>),
}

/// Where an entry comes from and which task it belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Metadata {
    /// The version of the format.
    pub format_version: Version,
    /// A name of the entry that no other entry has, in the form of RFC 4122.
    pub uuid: String,
    /// When the entry was made, in the form of ISO 8601.
    pub creation_time: String,
    /// The tool that made it.
    pub producer: Producer,
    /// The task it belongs to.
    pub task: WitnessTask,
}

/// The tool that made an entry.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The configuration in which it ran.
    pub configuration: Option<String>,
    /// The command line with which it ran.
    pub command_line: Option<String>,
    /// Anything else.
    pub description: Option<String>,
}

/// The verification task that an entry belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WitnessTask {
    /// The files of the program.
    pub input_files: Vec<String>,
    /// The SHA-256 of each of them, as pairs of file and hash.
    pub input_file_hashes: Vec<(String, String)>,
    /// The property, in the notation of the competition's property files.
    pub specification: String,
    /// The sizes of types.
    pub data_model: DataModel,
    /// The programming language.
    pub language: Language,
}

/// A part of a violation sequence: waypoints to keep away from, and one at the end to pass.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Segment {
    /// The waypoints, in the order of the file.
    pub waypoints: Vec<Waypoint>,
}

/// A condition on an execution at a place of the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Waypoint {
    /// What kind of condition it is.
    pub waypoint_type: WaypointType,
    /// Whether it has to be passed, kept away from, or passed for ever.
    pub action: Action,
    /// The condition itself, where the type needs one.
    pub constraint: Option<Constraint>,
    /// Where it is evaluated.
    pub location: SourcePlace,
}

/// The condition of a waypoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// An expression; of a branching `true`, `false`, `default` or an integer.
    pub value: String,
    /// The language of the expression. A branching needs none.
    pub format: Option<Format>,
}

/// A place in the program. Lines and columns count from 1, columns count characters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourcePlace {
    /// The file.
    pub file_name: String,
    /// The line.
    pub line: u32,
    /// The column. Without it, the leftmost place on the line that is suitable for what stands there is meant.
    pub column: Option<u32>,
    /// The function, for human readers.
    pub function: Option<String>,
}

/// Something that holds whenever control is at a place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Invariant {
    /// What kind of invariant it is.
    pub invariant_type: InvariantType,
    /// Where it holds.
    pub location: SourcePlace,
    /// The expression.
    pub value: String,
    /// The language of the expression.
    pub format: Format,
    /// Whether its producer claims that it is inductive (the label `inductive` of version 2.1).
    pub inductive: bool,
}

/// Declares an enumeration of words of the format.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum $name { $($(#[$case_doc])* $case,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$case,)*];

            /// The word that stands for it in a file.
            pub fn word(self) -> &'static str {
                match self { $(Self::$case => $word,)* }
            }

            /// What a word in a file stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|case| case.word() == word)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// A version of the format.
    Version {
        /// Safety only.
        V2_0 = "2.0",
        /// Adds cycles, transition invariants and labels.
        V2_1 = "2.1",
    }
}

words! {
    /// The kind of a waypoint.
    WaypointType {
        /// A condition on variables just before a statement or declaration.
        Assumption = "assumption",
        /// A branch is taken as told.
        Branching = "branching",
        /// A function is entered by the call at the place.
        FunctionEnter = "function_enter",
        /// The call at the place returns, with a value that satisfies the condition.
        FunctionReturn = "function_return",
        /// The property is violated.
        Target = "target",
    }
}

words! {
    /// What an execution does at a waypoint.
    Action {
        /// It passes it, once.
        Follow = "follow",
        /// It does not pass it before the segment ends.
        Avoid = "avoid",
        /// It passes it again and again for ever.
        Cycle = "cycle",
    }
}

words! {
    /// The language of an expression.
    Format {
        /// C without side effects.
        CExpression = "c_expression",
        /// The same with `\result` and `\at(x, …)`, from version 2.1 on.
        ExtCExpression = "ext_c_expression",
        /// A comparison of `\result`: the format of returned values in version 2.0.
        AcslExpression = "acsl_expression",
    }
}

impl Format {
    /// The format of conditions on returned values.
    pub fn of_returned_values(version: Version) -> Self {
        match version {
            Version::V2_0 => Self::AcslExpression,
            Version::V2_1 => Self::ExtCExpression,
        }
    }
}

words! {
    /// The kind of an invariant.
    InvariantType {
        /// Holds each time before the condition of a loop is evaluated.
        LoopInvariant = "loop_invariant",
        /// Holds each time before a statement or declaration.
        LocationInvariant = "location_invariant",
        /// Relates each state at the head of a loop with the earlier ones there.
        LoopTransitionInvariant = "loop_transition_invariant",
        /// Relates each state before a statement with the earlier ones there.
        LocationTransitionInvariant = "location_transition_invariant",
    }
}

impl InvariantType {
    /// Whether it speaks of pairs of states.
    pub fn is_transition(self) -> bool {
        matches!(self, Self::LoopTransitionInvariant | Self::LocationTransitionInvariant)
    }
}

words! {
    /// The sizes of types.
    DataModel {
        /// `int`, `long` and pointers have 32 bits.
        Ilp32 = "ILP32",
        /// `long` and pointers have 64 bits.
        Lp64 = "LP64",
    }
}

words! {
    /// The programming language of a task.
    Language {
        /// The only one that the format knows.
        C = "C",
    }
}
