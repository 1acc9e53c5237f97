"""``python -m bench``; see ``python -m bench --help``."""

import sys

from bench.report import main

sys.exit(main())
