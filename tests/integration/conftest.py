"""The fault tests share ``fault_tools``, which is also the script of the writers that they kill."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
