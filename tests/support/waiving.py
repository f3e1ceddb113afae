"""What the tests of `fusion waive` share: the finding of a project, and its release."""

from __future__ import annotations

import json
from typing import Any

OTHER = '[[waivers]]\nfingerprints = ["0000000"]\nreason = "a"\n'


def finding(project: Any) -> dict[str, Any]:
    (found,) = json.loads(project.run("check", "--offline", "--format", "json").out)["findings"]
    return dict(found)


def release(project: Any) -> None:
    """The change reaches the base."""
    project.commit()
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
