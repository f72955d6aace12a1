# The two commands of the README, and the daily ones. Everything comes from package registries: crates, and Z3 as the Python
# package z3-solver, which the build fetches by itself. A C compiler and Python 3 with pip are all else that is needed.

.PHONY: demo test hunt bless

# The exit status 1 says that a property is violated, which is the point of the example.
demo:
	cargo run --release --package semper -- check examples/pump.c || test $$? -eq 1

test:
	cargo test --workspace

# Compares the interpreter with the system's C compiler on COUNT random programs.
COUNT ?= 1000
hunt:
	cargo run --release --package semper-hunt -- differential --count $(COUNT)

# Compares errors with what the C compiler's sanitisers see on COUNT random programs.
.PHONY: hunt-library
hunt-library:
	cargo run --release --package semper-hunt -- library --count $(COUNT)

# Compares engines with each other and with executions on COUNT random programs and formulas.
.PHONY: hunt-engines
hunt-engines:
	cargo run --release --package semper-hunt -- engines --count $(COUNT)

# Rewrites the expected output on the pages of suite/ and docs/. Read the diff.
bless:
	SEMPER_BLESS=1 cargo test --package semper --test pages

# Prints the lines of code, comments, tests and blank lines of each crate. ROOMS=--rooms also lists the folders inside.
.PHONY: lines
lines:
	@python3 tools/lines.py $(ROOMS)

# Executes the lock-free union-find of the parallel search by Miri: one interleaving of its threads for each of SEEDS seeds, with
# the effects of weak memory. Needs `rustup toolchain install nightly --component miri,rust-src`. The two files have no `unsafe`,
# so Miri need not keep track of borrows, which takes most of its time.
SEEDS ?= 16
.PHONY: miri
miri:
	cd tools/interleavings && MIRIFLAGS="-Zmiri-disable-stacked-borrows -Zmiri-many-seeds=0..$(SEEDS)" cargo +nightly miri run

# Checks that everything compiles with the oldest compiler that Cargo.toml allows (`rustup toolchain install` it first).
OLDEST = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
.PHONY: oldest
oldest:
	cargo +$(OLDEST).0 check --workspace --all-targets --locked

# Compares licences and known vulnerabilities of all dependencies with deny.toml. Needs cargo-deny.
.PHONY: deny
deny:
	cargo deny check
