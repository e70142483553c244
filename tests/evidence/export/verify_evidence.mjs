// Verifies an evidence export, by what docs/reference/evidence-export.md says alone: `node verify_evidence.mjs CASE --key KEY`.
// Prints one JSON object. Exit codes and which comes first: 1 something does not hold; 4 absent, and the file does not say so;
// 3 facts in no head that KEY has signed; 5 absent, as the file says; 0 all is proven.
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
    const path = data.toString("utf8", at + 46, at + 46 + name);
    demand(!files.has(path), `${path} stands twice`);
    files.set(path, data.subarray(begin, begin + size));
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

// The hashes of the bytes and texts that the records hold, each checked against its record.
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
    if (!["response", "resource", "conversion"].includes(kind)) continue;
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
  if (!Number.isInteger(leaf) || leaf < 0 || leaf >= size) return false;
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

// What must be there by a fact: its kind, and its hash or path.
function namedBy(one, versions) {
  if (one.fact === "envelope") return [["envelope", one.path]];
  if (one.fact === "version" && one.change_type !== "deleted") return [["text", one.body_object], ["bytes", one.raw_object]];
  if (one.fact !== "audit") return [];
  const named = one.raw_hash && one.state !== "unchanged" && one.http_status !== 304 ? [["bytes", one.raw_hash]] : [];
  const seen = ["captured", "unchanged"].includes(one.state) ? one.content_hash : undefined;
  return seen !== undefined && !versions.has(seen) ? [...named, ["version", seen]] : named;
}

function checkObjects(files, facts) {
  const held = { text: new Set(), bytes: readPayloads(files.get("archive/data.warc.gz")), envelope: new Set(), version: new Set() };
  const fields = ["body_object", "raw_object", "content_hash", "raw_hash"];
  const hashes = new Set(facts.filter((one) => ["audit", "version"].includes(one.fact)).flatMap((one) => fields.map((name) => one[name])));
  const envelopes = new Map(facts.filter((one) => one.fact === "envelope").map((one) => [one.path, one.file_hash]));
  for (const digest of held.bytes) demand(hashes.has(digest), `no fact names the bytes ${digest}`);
  for (const [path, data] of files) {
    if (path.startsWith("evidence/texts/")) {
      demand(path === `evidence/texts/${hex(data)}.md` && hashes.has(hex(data)), `no fact names ${path} as it is`);
      held.text.add(hex(data));
    } else if (path.startsWith("evidence/envelopes/")) {
      const name = path.slice("evidence/envelopes/".length);
      demand(envelopes.get(name) === hex(data), `no fact names ${path} as it is`);
      held.envelope.add(name);
    }
  }
  const versions = new Set(facts.filter((one) => one.fact === "version").map((one) => one.content_hash));
  const absent = facts.flatMap((one) => namedBy(one, versions)).filter(([kind, name]) => !held[kind].has(name)).map(([, name]) => name);
  const declared = new Set(JSON.parse(files.get("evidence/absent.json")));
  return { declared: absent.filter((name) => declared.has(name)), absent: absent.filter((name) => !declared.has(name)) };
}

function describeVersions(facts) {
  const looks = facts.filter((one) => one.fact === "audit" && one.kind === "page");
  const order = (one) => `${one.url} ${one.captured_at} ${String(one.seq).padStart(9, "0")}`;
  const versions = facts.filter((one) => one.fact === "version").sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return versions.map((one, at) => {
    const next = versions[at + 1]?.url === one.url ? versions[at + 1].captured_at : "9999";
    const same = looks.filter((look) => look.url === one.url && look.content_hash === one.content_hash);
    const seen = same.map((look) => look.timestamp).filter((time) => one.captured_at <= time && time < next);
    const text = one.change_type === "deleted" ? null : one.body_object;
    return { url: one.url, captured_at: one.captured_at, text, bytes: one.raw_object, proven: one.proven, seen };
  });
}

const { values, positionals } = parseArgs({ options: { key: { type: "string" } }, allowPositionals: true });
try {
  const files = readZip(positionals[0]);
  checkPackage(files);
  const facts = readFacts(files, readHeads(files, values.key && readKey(values.key)));
  const report = { facts: facts.length, signed_facts: facts.filter((one) => one.proven).length, ...checkObjects(files, facts) };
  console.log(JSON.stringify({ verified: true, failure: null, ...report, versions: describeVersions(facts) }));
  process.exitCode = report.absent.length ? 4 : report.facts !== report.signed_facts ? 3 : report.declared.length ? 5 : 0;
} catch (error) {
  console.log(JSON.stringify({ verified: false, failure: error.message }));
  process.exitCode = 1;
}
