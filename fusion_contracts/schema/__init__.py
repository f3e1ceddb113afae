"""JSON Schema and nothing else: what changed between two schemas, and whether the new takes all that the old one took.

`compare` answers the question alone; `explain` adds the edits that lead to the answer.
"""

from fusion_contracts.schema.compare import Comparison, compare
from fusion_contracts.schema.explain import Explanation, explain

__all__ = ["Comparison", "Explanation", "compare", "explain"]
