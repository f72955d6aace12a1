//! The board: what engines have found out about one task, and who did, for those who come after.
//!
//! A portfolio hands the same board to all engines that it asks about a task, turn after turn, so that a second turn does
//! not start from nothing, and what several engines need is found out once. What can be posted is not listed here: a kind
//! of fact is a type that is a [`Fact`], and whoever knows the type can read it.
//!
//! A fact is true of the task, or is a candidate that is checked again where it is used. Evidence never rests on the board:
//! whoever checks it does not see one.
//!
//! Facts may be posted and read by several threads. No lock is held while a fact is found out, so that two threads may both
//! find out the same; what was posted first counts.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something that can be posted.
pub trait Fact: Any + Send + Sync {
    /// What it is, in a phrase that can follow a number.
    const NAME: &'static str;

    /// How many of these it is, for who tells what was handed on.
    fn count(&self) -> usize {
        1
    }
}

/// The facts about one task.
#[derive(Default)]
pub struct Board {
    facts: Mutex<Vec<Posted>>,
}

/// A fact with its provenance.
struct Posted {
    kind: TypeId,
    what: &'static str,
    count: usize,
    fact: Arc<dyn Any + Send + Sync>,
    by: &'static str,
    /// The engines that it was handed on to.
    readers: Vec<&'static str>,
}

/// Facts that were handed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandedOn {
    /// How many.
    pub count: usize,
    /// What they are.
    pub what: &'static str,
    /// The engine that has found them.
    pub from: &'static str,
    /// The engine that has read them.
    pub to: &'static str,
}

impl fmt::Display for HandedOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} from {} to {}", self.count, self.what, self.from, self.to)
    }
}

impl Board {
    /// Posts a fact that an engine has found.
    pub fn post<F: Fact>(&self, by: &'static str, fact: F) {
        self.add(by, Arc::new(fact));
    }

    /// All facts of a kind, in the order in which they were posted, for an engine that uses them.
    pub fn read<F: Fact>(&self, to: &'static str) -> Vec<Arc<F>> {
        self.lock().iter_mut().filter_map(|posted| posted.hand_on(to)).collect()
    }

    /// The fact of a kind of which there is one: as it was posted, or found out and posted now.
    pub fn once<F: Fact, E>(&self, engine: &'static str, find: impl FnOnce() -> Result<F, E>) -> Result<Arc<F>, E> {
        let known = self.lock().iter_mut().find_map(|posted| posted.hand_on(engine));
        if let Some(known) = known {
            return Ok(known);
        }
        let fact = Arc::new(find()?);
        self.add(engine, Arc::clone(&fact));
        Ok(fact)
    }

    /// What was handed on so far, in the order in which it was posted.
    pub fn handed_on(&self) -> Vec<HandedOn> {
        let mut found: Vec<HandedOn> = Vec::new();
        for Posted { what, count, by: from, readers, .. } in self.lock().iter() {
            for to in readers {
                match found.iter_mut().find(|known| (known.what, known.from, known.to) == (*what, *from, *to)) {
                    Some(known) => known.count += count,
                    None => found.push(HandedOn { count: *count, what, from, to }),
                }
            }
        }
        found.retain(|handed_on| handed_on.count > 0);
        found
    }

    fn add<F: Fact>(&self, by: &'static str, fact: Arc<F>) {
        let (kind, count) = (TypeId::of::<F>(), fact.count());
        self.lock().push(Posted { kind, what: F::NAME, count, fact, by, readers: Vec::new() });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Posted>> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Posted {
    /// The fact, where it is of this kind, for an engine that uses it.
    fn hand_on<F: Fact>(&mut self, to: &'static str) -> Option<Arc<F>> {
        if self.kind != TypeId::of::<F>() {
            return None;
        }
        if !self.readers.contains(&to) {
            self.readers.push(to);
        }
        Arc::downcast(Arc::clone(&self.fact)).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    struct Bound(u32);

    impl Fact for Bound {
        const NAME: &'static str = "bound(s)";
    }

    struct Paths(usize);

    impl Fact for Paths {
        const NAME: &'static str = "path(s)";

        fn count(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn facts_are_read_in_their_order_with_who_found_them() {
        let board = Board::default();
        assert!(board.read::<Bound>("two").is_empty());
        board.post("one", Bound(7));
        board.post("two", Paths(1));
        board.post("two", Bound(3));
        let values = |to| board.read::<Bound>(to).iter().map(|bound| bound.0).collect::<Vec<_>>();
        assert_eq!((values("two"), values("two")), (vec![7, 3], vec![7, 3]));
        let told: Vec<String> = board.handed_on().iter().map(HandedOn::to_string).collect();
        assert_eq!(told, ["1 bound(s) from one to two", "1 bound(s) from two to two"], "what nobody read is not told");
    }

    #[test]
    fn a_fact_may_be_several_or_none() {
        let board = Board::default();
        board.post("one", Paths(0));
        board.read::<Paths>("two");
        assert_eq!(board.handed_on(), []);
        board.post("one", Paths(5));
        board.post("one", Paths(2));
        board.read::<Paths>("two");
        assert_eq!(board.handed_on(), [HandedOn { count: 7, what: Paths::NAME, from: "one", to: "two" }]);
    }

    #[test]
    fn what_is_found_out_once_is_posted_only_if_it_was_found() {
        let board = Board::default();
        assert_eq!(board.once::<Bound, _>("one", || Err("no time")).err(), Some("no time"));
        assert_eq!(board.once("two", || Ok::<_, Infallible>(Bound(1))).unwrap().0, 1);
        let again = board.once::<Bound, _>("one", || -> Result<_, Infallible> { panic!("it is known") });
        assert_eq!(again.unwrap().0, 1);
        let told: Vec<String> = board.handed_on().iter().map(HandedOn::to_string).collect();
        assert_eq!(told, ["1 bound(s) from two to one"]);
    }

    #[test]
    fn several_threads_post_and_read() {
        let board = Board::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..50 {
                        board.post("one", Bound(number));
                        assert!(!board.read::<Bound>("two").is_empty());
                        assert!(board.once("one", || Ok::<_, Infallible>(Paths(1))).is_ok());
                    }
                });
            }
        });
        assert_eq!(board.read::<Bound>("two").len(), 200);
    }
}
