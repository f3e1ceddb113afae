"""Shared by all tests: what they find in the environment, and where the optional corpora are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says more of the machine than of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# What a CI, a hook of git or a user's shell sets changes what commands do. Tests find none of it, nor do the processes
# that they start; a test that wants it sets it.
CALLERS = (
    "CI", "GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET", "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH", "BUILDKITE_PULL_REQUEST_BASE_BRANCH", "DRONE_TARGET_BRANCH",
    "CI_COMMIT_TARGET_BRANCH", "CIRRUS_BASE_BRANCH", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "CIRRUS_BASE_SHA", "NO_COLOR",
    "TRAVIS_PULL_REQUEST", "APPVEYOR_PULL_REQUEST_NUMBER", "PRE_COMMIT", "PRE_COMMIT_FROM_REF",
    "PRE_COMMIT_REMOTE_NAME", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "FORCE_COLOR", "PY_COLORS", "GIT_DIR",
    "GIT_INDEX_FILE", "GIT_WORK_TREE",
)  # fmt: skip
for variable in CALLERS:
    os.environ.pop(variable, None)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora beside the checkout; tests that need it are skipped where it is not."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("../shared/data is not here: the corpora of real catalogs and labelled schemas were not checked")
    return folder
