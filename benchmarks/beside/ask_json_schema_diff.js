// Answers pairs of schemas with json-schema-diff: the same protocol as answering.py. NODE_PATH says where it is.
"use strict";

const net = require("node:net");
const readline = require("node:readline");
const { performance } = require("node:perf_hooks");
const jsonSchemaDiff = require("json-schema-diff");

net.Socket.prototype.connect = () => {
  throw new Error("no network here");
};

async function timed([sourceSchema, destinationSchema]) {
  const start = performance.now();
  let answer = null;
  try {
    answer = !(await jsonSchemaDiff.diffSchemas({ sourceSchema, destinationSchema })).removalsFound;
  } catch {
    // whatever it raises, it gave no answer
  }
  return [answer, (performance.now() - start) / 1000];
}

async function main() {
  process.stdout.write("[]\n"); // all is loaded
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const replies = [];
    for (const pair of JSON.parse(line)) replies.push(await timed(pair));
    process.stdout.write(`${JSON.stringify(replies)}\n`);
  }
}

main();
