"""Measurements of Manikin, each against a yardstick in the same run: ``python -m benchmarks [names]``."""

import os

# On matrices this small a threaded BLAS only waits for its threads, which slows the peers tenfold on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
