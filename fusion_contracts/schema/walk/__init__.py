"""What changed between two schemas, edit by edit. The walk explains; it never decides.

Each edit comes with a way to make the old document as it would be with this edit alone, so that the decision procedure
can be asked about it (schema/explain.py). One module for each part
of the vocabulary: a keyword is compared in one place.
"""

from fusion_contracts.schema.walk.place import Raw
from fusion_contracts.schema.walk.walker import walk

__all__ = ["Raw", "walk"]
