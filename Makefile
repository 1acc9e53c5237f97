# Every target does its own set-up: a virtual environment in .venv, the compiled extension, Java where Spark needs it.
# PYTHON=python3.12 make test      another interpreter (3.10 or later)
# VENV=.venv312 ...                another environment, to keep several side by side

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin

SOURCES = pyproject.toml setup.py kafkawire/_version.py $(wildcard kafkawire/*.pyx kafkawire/*.pxd kafkawire/_native_*)

# One stamp per set of dependency groups; newer sources make it old, and pip builds the extension again.
INSTALL = @PYTHON="$(PYTHON)" scripts/install.sh "$(VENV)" "$@"

.DEFAULT_GOAL := help
.PHONY: help demo test matrix sanitize fuzz fuzz-kernel bench bench-spark lint pins broker clean distclean

help:  ## this list
	@echo "kafkawire: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/installed-demo  ## read a bundled topic directory into Spark, show it, write Parquet
	@scripts/with-java.sh jre "$(BIN)/python" examples/demo/demo.py

test: $(VENV)/installed-test  ## all tests (ARGS="-k name" for some of them)
	@scripts/with-java.sh jdk+maven "$(BIN)/python" -m pytest $(ARGS)

matrix:  ## the main jobs of Spark on PySpark 3.5 to 4.3, each in its own environment (ARGS="3.5 4.1" for some of them)
	@PYTHON="$(if $(filter file,$(origin PYTHON)),,$(PYTHON))" scripts/spark-matrix.sh $(ARGS)

sanitize:  ## the codec's tests on kernels built with AddressSanitizer and UndefinedBehaviorSanitizer (ARGS="tests/...")
	@PYTHON="$(PYTHON)" scripts/sanitize.sh $(ARGS)

fuzz: $(VENV)/installed-fuzz  ## fuzz each target for SECONDS=60 (ARGS="records columns" for some of them)
	@nice "$(BIN)/python" -m fuzz --seconds "$(or $(SECONDS),60)" $(ARGS)

fuzz-kernel: $(VENV)/installed-fuzz  ## libFuzzer around the compiled kernels for SECONDS=60 (needs clang)
	@VENV="$(VENV)" nice fuzz/kernel.sh "$(or $(SECONDS),60)" $(ARGS)

bench: $(VENV)/installed-bench  ## the benchmarks, against other libraries in the same run
	@"$(BIN)/python" -m bench $(ARGS)

bench-spark: $(VENV)/installed-bench  ## Spark: segment files, live topics and writing, the last two beside Spark's own
	@scripts/with-java.sh jdk+maven "$(BIN)/python" -m bench.spark_files $(ARGS)
	@scripts/with-java.sh jdk+maven "$(BIN)/python" -m bench.spark_live $(ARGS)
	@scripts/with-java.sh jdk+maven "$(BIN)/python" -m bench.spark_write $(ARGS)

lint: $(VENV)/installed-lint  ## ruff, mypy, cython-lint
	@"$(BIN)/ruff" check .
	@"$(BIN)/mypy"
	@PATH="$(abspath $(BIN)):$$PATH" cython-lint $(wildcard kafkawire/*.pyx kafkawire/*.pxd)

pins: $(VENV)/installed-lint  ## requirements/ci.txt anew: every package of CI with its hashes, for all Pythons and systems
	@"$(BIN)/python" -m pip --disable-pip-version-check install -q uv
	@"$(BIN)/python" -m uv pip compile pyproject.toml --universal --python-version 3.10 --upgrade --generate-hashes --quiet \
	  --group build --group test --group spark --group lint --custom-compile-command "make pins" -o requirements/ci.txt

broker: $(VENV)/installed-test  ## start a real Kafka broker on loopback, and say how to read it; Ctrl-C ends it
	@scripts/with-java.sh jdk+maven "$(BIN)/python" -m tests.broker $(ARGS)

clean:  ## remove what was built
	@rm -rf build dist ./*.egg-info kafkawire/*.so kafkawire/*.html .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -rf demo-output spark-warehouse metastore_db derby.log .benchmarks "$(VENV)"/installed-*
	@rm -f $(patsubst %.pyx,%.c,$(wildcard kafkawire/*.pyx))
	@find kafkawire tests bench examples -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## and the virtual environment
	@rm -rf "$(VENV)"

$(VENV)/installed-demo: $(SOURCES) ; $(INSTALL) spark
$(VENV)/installed-test: $(SOURCES) ; $(INSTALL) test spark
$(VENV)/installed-fuzz: $(SOURCES) ; $(INSTALL) test fuzz
$(VENV)/installed-bench: $(SOURCES) ; $(INSTALL) bench spark
$(VENV)/installed-lint: $(SOURCES) ; $(INSTALL) lint test spark
