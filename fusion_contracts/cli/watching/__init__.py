"""`fusion watch`, apart from its options: what is read when, what is judged, what is posted, and what was posted."""
