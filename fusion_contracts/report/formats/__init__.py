"""The report formats, one a file; nothing else lists them.

The file's name is the format's word for `--format`, and its docstring its section in docs/formats.md. It has
`render(report, context) -> str`; and a `LANGUAGE`, in which its example is fenced there, unless that is too long to be
shown.
"""
