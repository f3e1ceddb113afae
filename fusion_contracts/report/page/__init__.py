"""The parts of the HTML report: what stands where, its style, and the script that filters, copies and unfolds."""
