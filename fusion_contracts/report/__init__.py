"""Reports: one file a format, each with `render(report) -> str`."""
