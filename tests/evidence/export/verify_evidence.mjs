// Verifies an evidence export, by what docs/reference/evidence-export.md says alone: `node verify_evidence.mjs CASE --key KEY`.
// Prints one JSON object. Exit code 0: all is proven. 1: something does not hold. 3: facts in no head that KEY has signed.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hex = (data) => sha256(data).toString("hex");
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

function demand(holds, sentence) {
  if (!holds) throw new Error(sentence);
}

// A ZIP file without compression: the directory at its end names each entry and where it begins.
function readZip(path) {
  const data = readFileSync(path);
  const end = data.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  demand(end >= 0, "no ZIP file");
  const files = new Map();
  let at = data.readUInt32LE(end + 16);
  for (let left = data.readUInt16LE(end + 10); left > 0; left--) {
    demand(data.readUInt16LE(at + 10) === 0, "a file is compressed");
    const size = data.readUInt32LE(at + 24);
    const [name, extra, comment] = [28, 30, 32].map((field) => data.readUInt16LE(at + field));
    const local = data.readUInt32LE(at + 42);
    const begin = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
    files.set(data.toString("utf8", at + 46, at + 46 + name), data.subarray(begin, begin + size));
    at += 46 + name + extra + comment;
  }
  return files;
}

function checkPackage(files) {
  const descriptor = files.get("datapackage.json");
  demand(JSON.parse(files.get("datapackage-digest.json")).hash === `sha256:${hex(descriptor)}`, "datapackage.json was changed");
  const listed = new Set(["datapackage.json", "datapackage-digest.json"]);
  for (const { path, hash } of JSON.parse(descriptor).resources) {
    demand(files.has(path) && hash === `sha256:${hex(files.get(path))}`, `${path} is missing or was changed`);
    listed.add(path);
  }
  for (const path of files.keys()) demand(listed.has(path), `${path} is not listed`);
}

// The hashes of the bytes that the records hold, each checked against its record.
function readPayloads(warc) {
  const data = gunzipSync(warc);
  const found = new Set();
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf("\r\n\r\n", at);
    const lines = data.toString("utf8", at, end).split("\r\n").slice(1);
    const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    const length = Number(headers.get("Content-Length"));
    let block = data.subarray(end + 4, end + 4 + length);
    at = end + 4 + length + 4;
    const kind = headers.get("WARC-Type");
    if (kind !== "response" && kind !== "resource") continue;
    if (kind === "response") block = block.subarray(block.indexOf("\r\n\r\n") + 4);
    demand(headers.get("WARC-Payload-Digest") === `sha256:${hex(block)}`, `the bytes of ${headers.get("WARC-Target-URI")} were changed`);
    found.add(hex(block));
  }
  return found;
}

function readKey(text) {
  const [name, id, ...rest] = text.split("+");
  const raw = Buffer.from(rest.join("+"), "base64");
  demand(raw[0] === 1 && raw.length === 33, "KEY is no Ed25519 key");
  demand(sha256(name, "\n", raw).toString("hex", 0, 4) === id, "KEY does not have its id");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw.subarray(1).toString("base64url") }, format: "jwk" });
  return { name, id, key };
}

function readHeads(files, key) {
  const heads = new Map();
  for (const [path, data] of files) {
    if (!path.startsWith("evidence/heads/")) continue;
    const note = data.toString("utf8");
    const gap = note.indexOf("\n\n");
    const text = gap < 0 ? note : note.slice(0, gap + 1);
    const [, size, root] = text.split("\n");
    let signed = false;
    for (const line of gap < 0 ? [] : note.slice(gap + 2).split("\n").filter(Boolean)) {
      const [, name, encoded] = line.split(" ");
      const raw = Buffer.from(encoded, "base64");
      if (key === undefined || name !== key.name || raw.toString("hex", 0, 4) !== key.id) continue;
      signed = verify(null, Buffer.from(text), key.key, raw.subarray(4));
      demand(signed, `${path}: the signature is of another head`);
    }
    heads.set(Number(size), { root: Buffer.from(root, "base64"), signed });
  }
  return heads;
}

function leadsTo(root, leaf, size, hash, path) {
  let [first, last] = [leaf, size - 1];
  for (const encoded of path) {
    if (last === 0) return false;
    const other = Buffer.from(encoded, "hex");
    if (first % 2 === 1 || first === last) {
      hash = sha256(NODE, other, hash);
      while (first % 2 === 0 && first !== 0) [first, last] = [Math.floor(first / 2), Math.floor(last / 2)];
    } else {
      hash = sha256(NODE, hash, other);
    }
    [first, last] = [Math.floor(first / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash.equals(root);
}

function readFacts(files, heads) {
  const lines = files.get("evidence/facts.jsonl").toString("ascii").split("\n").filter(Boolean);
  return lines.map((line) => {
    const { fact, leaf, tree_size: size, path } = JSON.parse(line);
    const head = heads.get(size);
    const holds = head !== undefined && leadsTo(head.root, leaf, size, sha256(LEAF, fact), path);
    demand(holds, `fact ${leaf} is not in the log`);
    return { ...JSON.parse(fact), proven: head.signed };
  });
}

function checkObjects(files, facts) {
  const payloads = readPayloads(files.get("archive/data.warc.gz"));
  const absent = [];
  for (const [path, data] of files) {
    if (path.startsWith("evidence/texts/")) demand(path === `evidence/texts/${hex(data)}.md`, `${path} was changed`);
  }
  for (const one of facts) {
    const envelope = one.fact === "envelope" ? files.get(`evidence/envelopes/${one.path}`) : undefined;
    if (envelope !== undefined) demand(hex(envelope) === one.file_hash, `the envelope ${one.path} was changed`);
    if (one.fact !== "version" || one.change_type === "deleted") continue;
    if (!files.has(`evidence/texts/${one.body_object}.md`)) absent.push(`text ${one.body_object}`);
    if (!payloads.has(one.raw_object)) absent.push(`bytes ${one.raw_object}`);
  }
  return absent;
}

function describeVersions(facts) {
  const looks = facts.filter((one) => one.fact === "audit" && one.kind === "page");
  const versions = facts.filter((one) => one.fact === "version").map((one) => ({
    url: one.url,
    captured_at: one.captured_at,
    text: one.change_type === "deleted" ? null : one.body_object,
    bytes: one.raw_object,
    proven: one.proven,
    seen: looks.filter((look) => look.url === one.url && look.content_hash === one.content_hash).map((look) => look.timestamp),
  }));
  const order = (one) => `${one.url} ${one.captured_at}`;
  return versions.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

const { values, positionals } = parseArgs({ options: { key: { type: "string" } }, allowPositionals: true });
try {
  const files = readZip(positionals[0]);
  checkPackage(files);
  const facts = readFacts(files, readHeads(files, values.key && readKey(values.key)));
  const report = { facts: facts.length, signed_facts: facts.filter((one) => one.proven).length, absent: checkObjects(files, facts) };
  console.log(JSON.stringify({ verified: true, failure: null, ...report, versions: describeVersions(facts) }));
  process.exitCode = report.facts === report.signed_facts ? 0 : 3;
} catch (error) {
  console.log(JSON.stringify({ verified: false, failure: error.message }));
  process.exitCode = 1;
}
