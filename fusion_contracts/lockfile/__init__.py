"""The lockfile: contracts as TOML, in full, lossless and deterministic, with digests beside every entry."""
