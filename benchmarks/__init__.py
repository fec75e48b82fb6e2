"""Measurements of Manikin, each against a yardstick in the same run: ``python -m benchmarks [names]``."""

import os

# On matrices this small a threaded BLAS only waits for its threads: on a busy machine the peers get ten
# times as slow.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
