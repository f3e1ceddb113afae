"""Where contracts come from: one small interface (`base.Source`), one file for each kind of source.

`resolve.resolve` turns what a person wrote into a source; `Source.read` gives the contracts, what could not be read
and what people should know. Nothing is imported here: a command pays for the kind of source that it uses.
"""
