// Counts tokens with gpt-tokenizer, as models with the o200k vocabulary do: JSON texts on stdin, numbers on stdout.
"use strict";

const { countTokens } = require("gpt-tokenizer/encoding/o200k_base");

const texts = JSON.parse(require("node:fs").readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(texts.map((text) => countTokens(text))));
