"""Print pyproject's dependencies as constraints that pin each to the lowest version it allows.

Usage: python .ci/lowest.py > lowest.txt && pip install . -c lowest.txt
"""

import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"

for requirement in tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]:
    print(requirement.replace(">=", "=="))
