# make demo   find a known bug of a published crate
# make test   all tests
# make lint   formatting, clippy and rustdoc
# make book   the book of docs, as a website in target/book
# make bench  the papers' tables, with a tenth of the time for each cell (BENCH="ram-3 --seconds 4": others), and what the
#             stages of the solver are worth (SOLVER_BENCH="FOLDER..": on queries of other programs)
# All install what is missing on a Debian machine first: a C++ compiler and Z3, and for the tests clang 22 with its sanitizers,
# as the reports that they expect are those of that clang, a browser, a NATS server and mdBook. The system's Z3 is linked, which saves the twenty minutes of
# building it that an installation takes; `make test SYMEX_Z3=source` builds it.

CARGO ?= cargo
export SYMEX_Z3 ?= system
PACKAGES := $(if $(filter system,$(SYMEX_Z3)),libz3-dev)
TEST_PACKAGES := clang-22 libclang-rt-22-dev llvm-22 chromium $(shell python3 -m pip --version >/dev/null 2>&1 || echo python3-pip)
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: all build deps test-deps demo test lint book bench clean

all: build

test-deps: PACKAGES += $(TEST_PACKAGES)
test-deps deps:
	@missing=""; \
	for p in $(PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	{ command -v cc && command -v c++; } >/dev/null 2>&1 || missing="$$missing build-essential"; \
	if [ -n "$$missing" ]; then \
		echo "installing:$$missing"; \
		command -v apt-get >/dev/null 2>&1 || { echo "error: please install:$$missing" >&2; exit 1; }; \
		$(SUDO) apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi
	@command -v $(CARGO) >/dev/null 2>&1 || { echo "error: please install Rust (https://rustup.rs)" >&2; exit 1; }

build: deps
	$(CARGO) build --release --locked -p cargo-symex

demo: build
	@.ci/demo

test: test-deps
	@.ci/nats-server
	@.ci/book fetch
	$(CARGO) test --release --locked --workspace --no-fail-fast

# In the profile of the tests: what the build itself runs (build scripts with the C that they
# compile, macros) is made once. The documentation is that of the libraries and of the examples, as
# with examples the features of the dependencies are those that clippy has checked them with;
# without, most of them are checked once more.
lint: deps
	@{ $(CARGO) fmt --version && $(CARGO) clippy --version; } >/dev/null 2>&1 || rustup component add rustfmt clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps --lib --examples

book:
	@.ci/book

BENCH ?= papers --quick
SOLVER_BENCH ?= --quick

bench: test-deps
	$(CARGO) run --release --locked -p cargo-symex --example memory_bench -- $(BENCH)
	$(CARGO) run --release --locked -p cargo-symex --example solver_bench -- $(SOLVER_BENCH)

clean:
	$(CARGO) clean
