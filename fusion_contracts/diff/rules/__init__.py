"""One rule a file: the file's name is the rule's id, its docstring the rule's documentation. See `diff.rule`."""
