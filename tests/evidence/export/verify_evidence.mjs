// Verifies an evidence export, by what docs/reference/evidence-export.md says alone. Node 20.15, and nothing but its own library.
//     node verify_evidence.mjs CASE.wacz [--key KEY ...] [--tsa-certificate FILE ...] [--page URL] [--date 2026-02-13]
// Prints one JSON object; the exit codes are those of the document.
import { constants, createHash, createPublicKey, verify, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { crc32, gunzipSync } from "node:zlib";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hex = (data) => sha256(data).toString("hex");
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);
const FIVE_MINUTES = 5 * 60 * 1000; // ms

function demand(holds, sentence) {
  if (!holds) throw new Error(sentence);
}

const decode = (data) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
const parseJson = (data) => JSON.parse(decode(data).replace(/^\ufeff/, ""));

// --- the ZIP file, of less than 2 GiB

function readZip(path) {
  const data = readFileSync(path);
  const end = data.lastIndexOf("PK\x05\x06", data.length - 22, "latin1");
  demand(end >= 0, "no ZIP file");
  let at = data.readUInt32LE(end + 16);
  const files = new Map();
  let first = data.length;
  for (let left = data.readUInt16LE(end + 10); left > 0; left--) {
    demand(data.readUInt32LE(at) === 0x02014b50, "the directory of the ZIP file is broken");
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => data.readUInt16LE(at + field));
    const name = data.toString("utf8", at + 46, at + 46 + nameLength);
    const [packed, size, begin] = [20, 24, 42].map((field) => data.readUInt32LE(at + field));
    demand(data.readUInt16LE(at + 10) === 0 && size === packed, `${name} is compressed`);
    const localLength = data.readUInt16LE(begin + 26);
    const local = data.toString("utf8", begin + 30, begin + 30 + localLength);
    demand(data.readUInt32LE(begin) === 0x04034b50 && local === name, `${name} has another name where it begins`);
    const content = data.subarray(begin + 30 + localLength + data.readUInt16LE(begin + 28)).subarray(0, size);
    demand(content.length === size && crc32(content) === data.readUInt32LE(at + 16), `${name} is damaged`);
    demand(!files.has(name), `${name} stands twice`);
    files.set(name, content);
    first = Math.min(first, begin);
    at += 46 + nameLength + extraLength + commentLength;
  }
  demand(first === 0, "something stands before the first file");
  return files;
}

function checkPackage(files) {
  const descriptor = files.get("datapackage.json");
  demand(parseJson(files.get("datapackage-digest.json")).hash === `sha256:${hex(descriptor)}`, "datapackage.json was changed");
  const listed = new Set(["datapackage.json", "datapackage-digest.json"]);
  for (const { path, hash, bytes } of parseJson(descriptor).resources) {
    demand(!listed.has(path), `${path} is listed twice`);
    demand(files.has(path) && hash === `sha256:${hex(files.get(path))}`, `${path} is missing or was changed`);
    demand(files.get(path).length === bytes, `${path} has another length`);
    listed.add(path);
  }
  for (const path of files.keys()) demand(listed.has(path), `${path} is not listed`);
}

// --- archive/ and indexes/

const PAYLOADS = ["response", "resource", "conversion"];
const RECORDS = [...PAYLOADS, "warcinfo", "revisit", "request", "metadata"];

// The headers of each record; payloads are checked against theirs.
function* readRecords(packed) {
  const data = gunzipSync(packed);
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf("\r\n\r\n", at);
    demand(end >= 0, `the record at byte ${at} has no end`);
    const [version, ...lines] = decode(data.subarray(at, end)).split("\r\n");
    demand(lines.every((line) => line.includes(": ")), `the record at byte ${at} has something else than headers`);
    const headers = new Map(lines.map((line) => [line.split(": ", 1)[0].toLowerCase(), line.slice(line.indexOf(": ") + 2)]));
    const [length, kind] = [headers.get("content-length"), headers.get("warc-type")];
    demand(version === "WARC/1.1" && headers.size === lines.length && RECORDS.includes(kind), `no record at byte ${at}`);
    const next = end + 4 + Number(length);
    demand(/^\d+$/.test(length) && data.toString("latin1", next, next + 4) === "\r\n\r\n", `the record at byte ${at} is cut`);
    let block = data.subarray(end + 4, next);
    if (kind === "response") block = block.subarray(block.indexOf("\r\n\r\n") + 4);
    const digest = headers.get("warc-payload-digest")?.replace(/^sha256:/, "");
    demand(!PAYLOADS.includes(kind) || digest === hex(block), `the ${kind} of ${headers.get("warc-target-uri")} was changed`);
    yield { kind, digest, url: headers.get("warc-target-uri"), date: headers.get("warc-date"),
      confirmedUrl: headers.get("warc-refers-to-target-uri"), confirmedDate: headers.get("warc-refers-to-date") };
    at = next + 4;
  }
}

// Every record of every archive, those by the index once more: viewers read these.
function readArchives(files) {
  const records = [];
  for (const [path, data] of files) if (path.startsWith("archive/")) records.push(...readRecords(data));
  for (const [path, data] of files) {
    if (!path.startsWith("indexes/")) continue;
    for (const line of decode(data).split("\n").filter(Boolean)) {
      const [, at] = line.split(" ", 2);
      const { url, digest, filename, offset, length } = JSON.parse(line.slice(line.indexOf("{")));
      const packed = files.get(`archive/${filename}`).subarray(Number(offset)).subarray(0, Number(length));
      const [record, ...more] = readRecords(packed);
      const same = record.url === url && digest === `sha256:${record.digest}` && at === record.date.replace(/\D/g, "").slice(0, 14);
      demand(same && more.length === 0, `${path}: another record is where the one of ${url} at ${at} should be`);
      records.push(record);
    }
  }
  return records;
}

// --- evidence/heads/

function readKey(text) {
  const [name, id, ...rest] = text.trim().split("+");
  const raw = Buffer.from(rest.join("+"), "base64");
  demand(raw[0] === 1 && raw.length === 33, "KEY is no Ed25519 key");
  demand(sha256(name, "\n", raw).toString("hex", 0, 4) === id, "KEY does not have its id");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw.subarray(1).toString("base64url") }, format: "jwk" });
  return { name, id, key };
}

function readHead(path, note, keys, issuers) {
  const gap = note.indexOf("\n\n");
  const text = gap < 0 ? note : note.slice(0, gap + 1);
  const [, size, encodedRoot, ...more] = text.split("\n");
  const root = Buffer.from(encodedRoot, "base64");
  demand(path === `evidence/heads/${size}.txt` && root.length === 32 && root.toString("base64") === encodedRoot, `${path} is no head`);
  const time = more.find((line) => line.startsWith("time "))?.slice(5);
  const head = { root, time, signed: false, stamps: [] };
  for (const line of gap < 0 ? [] : note.slice(gap + 2).replace(/\n$/, "").split("\n")) {
    const [, name, encoded] = /^— (\S+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
    demand(name, `${path}: ${line} is no signature`);
    const raw = Buffer.from(encoded, "base64");
    const id = raw.toString("hex", 0, 4);
    if (id === sha256(name, "\n", Buffer.from([255]), "rfc3161").toString("hex", 0, 4))
      head.stamps.push(readTimestamp(`${path}, ${name}`, raw.subarray(4), Buffer.from(text), time, issuers));
    const known = keys.find((key) => key.name === name && key.id === id);
    if (!known) continue;
    demand(verify(null, Buffer.from(text), known.key, raw.subarray(4)), `${path}: the signature is of another head`);
    demand(!Number.isNaN(Date.parse(time)), `${path} does not say when it was signed`);
    head.signed = true;
  }
  return [Number(size), head];
}

function element(data) {
  let [length, start] = [data[1], 2];
  if (length & 0x80) {
    start += length & 0x7f;
    length = data.readUIntBE(2, start - 2);
  }
  demand(start + length <= data.length, "it is cut");
  return { tag: data[0], content: data.subarray(start, start + length), all: data.subarray(0, start + length) };
}

function elements({ content }) {
  const found = [];
  for (let rest = content; rest.length > 0; rest = rest.subarray(found.at(-1).all.length)) found.push(element(rest));
  return found;
}

const DIGESTS = { "608648016503040201": "sha256", "608648016503040202": "sha384", "608648016503040203": "sha512" };
const digestOf = (algorithm) => DIGESTS[elements(algorithm)[0].content.toString("hex")];

function readIssuers(path) {
  const found = readFileSync(path, "latin1").match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  return (found ?? []).map((pem) => new X509Certificate(pem));
}

// When which authority saw the text: an RFC 3161 response. Null without an issuer who vouches for it, directly.
function readTimestamp(where, response, text, headTime, issuers) {
  if (issuers.length === 0) return null;
  try {
    const signed = elements(elements(elements(elements(element(response))[1])[1])[0]);
    const stamp = elements(elements(signed[2])[1])[0].content;
    const [, , imprint, , time] = elements(element(stamp));
    const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d+)?)Z$/.exec(time.content.toString("latin1"));
    const at = `${parts.slice(0, 3).join("-")}T${parts.slice(3).join(":")}Z`;
    const signer = elements(elements(signed.at(-1))[0]);
    const serial = BigInt(`0x${elements(signer[1])[1].content.toString("hex")}`);
    const enclosed = signed.filter(({ tag }) => tag === 0xa0).flatMap(elements).map(({ all }) => new X509Certificate(all));
    const certificate = [...enclosed, ...issuers].find((one) => BigInt(`0x${one.serialNumber}`) === serial);
    const isIssuer = (one) => certificate.checkIssued(one) && certificate.verify(one.publicKey);
    const isVouched = certificate && issuers.some((one) => one.fingerprint256 === certificate.fingerprint256 || isIssuer(one));
    const isValid = isVouched && Date.parse(certificate.validFrom) <= Date.parse(at) && Date.parse(at) <= Date.parse(certificate.validTo);
    if (!isValid || !certificate.keyUsage?.includes("1.3.6.1.5.5.7.3.8")) return null;
    const [algorithm, hashed] = elements(imprint);
    demand(createHash(digestOf(algorithm)).update(text).digest().equals(hashed.content), "it is of another text");
    const attributes = elements(signer[3]).map(elements);
    const messageDigest = attributes.find(([name]) => name.content.toString("hex") === "2a864886f70d010904");
    const digest = digestOf(signer[2]);
    demand(elements(messageDigest[1])[0].content.equals(createHash(digest).update(stamp).digest()), "it is of another time");
    const set = Buffer.concat([Buffer.from([0x31]), signer[3].all.subarray(1)]);
    const isPss = elements(signer[4])[0].content.toString("hex") === "2a864886f70d01010a";
    const key = isPss ? { key: certificate.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING } : certificate.publicKey;
    demand(verify(digest, set, key, signer[5].content), "its signature does not hold");
    demand(!(Date.parse(at) < Date.parse(headTime) - FIVE_MINUTES), `it is of ${at}, before its head`);
    return { at, by: certificate.subject };
  } catch (error) {
    throw new Error(`${where}: the timestamp does not hold: ${error.message}`);
  }
}

// --- evidence/facts.jsonl

function leadsTo(root, leaf, size, hash, path) {
  if (!Number.isSafeInteger(leaf) || leaf < 0 || leaf >= size) return false;
  let [first, last] = [leaf, size - 1];
  for (const encoded of path) {
    if (last === 0 || !/^[0-9a-f]{64}$/.test(encoded)) return false;
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

const ALWAYS = {
  version: ["source_id", "url", "captured_at", "change_type", "body_object", "raw_object", "content_hash"],
  audit: ["kind", "manifest_id", "url", "timestamp", "state"],
  envelope: ["path", "file_hash"],
};

function readFacts(data, heads) {
  const lines = decode(data).replace(/\n$/, "").split("\n");
  return lines.filter((line, at) => line !== "" || at > 0 || lines.length > 1).map((line) => {
    const { fact, leaf, tree_size: size, path } = JSON.parse(line);
    const head = heads.get(size);
    demand(/"leaf": ?\d+[,}]/.test(line), `${leaf} is no whole number`); // 9.0 is the same number once it is read
    demand(head && leadsTo(head.root, leaf, size, sha256(LEAF, fact), path), `fact ${leaf} is not in the log`);
    const values = JSON.parse(fact);
    const names = ALWAYS[values.fact] ?? ["fact"];
    const whole = names.every((name) => typeof values[name] === "string") && (values.fact !== "version" || Number.isInteger(values.seq));
    demand(whole, `fact ${leaf} lacks what its kind always has`);
    return { ...values, head };
  });
}

// What must be there by a fact: its kind, and its hash or path.
function namedBy(one, versions) {
  if (one.fact === "envelope") return [["envelope", one.path]];
  if (one.fact === "version" && one.change_type !== "deleted") {
    const pictures = one.screenshot_object === undefined ? [] : [["picture", one.screenshot_object]];
    return [["text", one.body_object], ["bytes", one.raw_object], ...pictures];
  }
  if (one.fact !== "audit") return [];
  const named = one.raw_hash && one.state !== "unchanged" && one.http_status !== 304 ? [["bytes", one.raw_hash]] : [];
  const seen = ["captured", "unchanged"].includes(one.state) ? one.content_hash : undefined;
  return seen !== undefined && !versions.has(seen) ? [...named, ["version", seen]] : named;
}

function checkRecords(records, audits) {
  const rows = (hash) => new Set(audits.map((one) => `${one.final_url || one.url} ${one.timestamp} ${hash(one)}`));
  const [bytes, texts, confirmed] = [rows((one) => one.raw_hash), rows((one) => one.content_hash), rows((one) => one.http_status)];
  for (const { kind, url, date, digest, confirmedUrl, confirmedDate } of records) {
    const place = `${url} ${date}`;
    if (["response", "resource"].includes(kind)) demand(bytes.has(`${place} ${digest}`), `no fact has the bytes of ${place}`);
    if (kind === "conversion") demand(texts.has(`${place} ${digest}`), `no fact has the text of ${place}`);
    if (kind !== "revisit") continue;
    const known = bytes.has(`${place} ${digest}`) || confirmed.has(`${place} 304`);
    demand(known && bytes.has(`${confirmedUrl} ${confirmedDate} ${digest}`), `no fact confirms the bytes of ${place}`);
  }
}

function checkObjects(files, facts) {
  const records = readArchives(files);
  checkRecords(records, facts.filter((one) => one.fact === "audit"));
  const payloads = records.filter(({ kind }) => ["response", "resource"].includes(kind)).map(({ digest }) => digest);
  const held = { text: new Set(), picture: new Set(), bytes: new Set(payloads), envelope: new Set(), version: new Set() };
  const versions = new Set(facts.filter((one) => one.fact === "version").map((one) => one.content_hash));
  const seen = facts.filter((one) => ["audit", "version"].includes(one.fact));
  const texts = new Set(seen.flatMap((one) => [one.body_object, one.content_hash]));
  const pictures = new Set(seen.map((one) => one.screenshot_object));
  const envelopes = new Map(facts.filter((one) => one.fact === "envelope").map((one) => [one.path, one.file_hash]));
  for (const [path, data] of files) {
    if (path.startsWith("evidence/texts/")) {
      demand(path === `evidence/texts/${hex(data)}.md` && texts.has(hex(data)), `no fact names ${path} as it is`);
      held.text.add(hex(data));
    } else if (path.startsWith("evidence/screenshots/")) {
      demand(path === `evidence/screenshots/${hex(data)}.jpg` && pictures.has(hex(data)), `no fact names ${path} as it is`);
      held.picture.add(hex(data));
    } else if (path.startsWith("evidence/envelopes/")) {
      const name = path.slice("evidence/envelopes/".length);
      demand(envelopes.get(name) === hex(data), `no fact names ${path} as it is`);
      held.envelope.add(name);
    }
  }
  const absent = facts.flatMap((one) => namedBy(one, versions)).filter(([kind, name]) => !held[kind].has(name)).map(([, name]) => name);
  const declared = parseJson(files.get("evidence/absent.json"));
  demand(Array.isArray(declared) && declared.every((name) => typeof name === "string"), "absent.json is no list of names");
  return { declared: absent.filter((name) => declared.includes(name)), absent: absent.filter((name) => !declared.includes(name)) };
}

// Each version up to the end of a day, when it was seen, and which numbers before it are not in the file.
function describeVersions(facts, page, date) {
  const until = `${date ?? "9999-12-31"}T23:59:59.999999Z`;
  const order = (one) => [one.url, one.source_id, one.captured_at, String(one.seq).padStart(9, "0")].join(" ");
  const versions = facts.filter((one) => one.fact === "version" && one.captured_at <= until && [undefined, one.url].includes(page));
  versions.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  const isOfPage = (one, version) => one?.url === version.url && (one.source_id ?? one.manifest_id) === version.source_id;
  return versions.map((one, at) => {
    const next = isOfPage(versions[at + 1], one) ? versions[at + 1].captured_at : `${until}~`;
    const looks = facts.filter((look) => look.fact === "audit" && look.kind === "page" && isOfPage(look, one));
    const seen = looks.filter((look) => look.content_hash === one.content_hash).map((look) => look.timestamp);
    const before = isOfPage(versions[at - 1], one) ? versions[at - 1].seq : 0;
    return { source: one.source_id, url: one.url, seq: one.seq, captured_at: one.captured_at, bytes: one.raw_object,
      text: one.change_type === "deleted" ? null : one.body_object, seen: seen.filter((time) => one.captured_at <= time && time < next),
      not_in_file: one.seq - before - 1, proven: one.head.signed, recorded_by: one.head.time, timestamps: one.head.stamps };
  });
}

function main() {
  let [options, keys, issuers, path] = [];
  try {
    const many = { type: "string", multiple: true };
    const known = { key: many, "tsa-certificate": many, page: { type: "string" }, date: { type: "string" } };
    ({ values: options, positionals: [path] } = parseArgs({ options: known, allowPositionals: true }));
    keys = (options.key ?? []).map(readKey);
    issuers = (options["tsa-certificate"] ?? []).flatMap(readIssuers);
    demand(path && /^\d{4}-\d\d-\d\d$/.test(options.date ?? "2026-01-01"), "CASE.wacz [--key KEY ...] [--page URL] [--date DAY]");
  } catch (error) {
    return [2, { verified: false, failure: error.message }];
  }
  try {
    const files = readZip(path);
    checkPackage(files);
    const names = [...files.keys()].filter((name) => name.startsWith("evidence/heads/"));
    const heads = new Map(names.map((name) => readHead(name, decode(files.get(name)), keys, issuers)));
    const facts = readFacts(files.get("evidence/facts.jsonl"), heads);
    const report = { facts: facts.length, signed_facts: facts.filter((one) => one.head.signed).length, ...checkObjects(files, facts) };
    const code = report.absent.length ? 4 : report.facts !== report.signed_facts ? 3 : report.declared.length ? 5 : 0;
    return [code, { verified: true, failure: null, ...report, versions: describeVersions(facts, options.page, options.date) }];
  } catch (error) {
    return [1, { verified: false, failure: error.message }];
  }
}

const [code, report] = main();
console.log(JSON.stringify(report));
process.exitCode = code;
