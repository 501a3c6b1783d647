// Reads frames from standard input and processes each body like the specification's receiver: parses it,
// serializes it, and verifies the signature over the result. Also checks that the metadata has the caller's
// value. Prints a report at the end.
import { createPublicKey, createVerify } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

const key = createPublicKey(process.argv[2]);
const report = { read: 0, reserialised: 0, kept: 0, verified: 0, wrong: [] };

function check(written, body, signature, comparable) {
  report.read += 1;
  const again = JSON.stringify(JSON.parse(body));
  if (comparable && again === body) report.reserialised += 1;
  // Serializes both once, because the comparison distinguishes -0 from 0 and JSON.stringify does not.
  const meant = JSON.parse(JSON.stringify(JSON.parse(written)));
  const kept = isDeepStrictEqual(JSON.parse(again).metadata, meant);
  if (kept) report.kept += 1;
  let right = kept && (!comparable || again === body);
  if (signature.length > 0) {
    const verified = createVerify("SHA256").update(again).verify(key, signature);
    if (verified) report.verified += 1;
    right &&= verified;
  }
  if (!right && report.wrong.length < 5) report.wrong.push(body);
}

let pending = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  pending = Buffer.concat([pending, chunk]);
  let at = 0;
  while (pending.length - at >= 13) {
    const lengths = [0, 4, 8].map((offset) => pending.readUInt32BE(at + offset));
    const end = at + 13 + lengths[0] + lengths[1] + lengths[2];
    if (pending.length < end) break;
    const body = at + 13 + lengths[0];
    const signature = body + lengths[1];
    check(
      pending.toString("utf8", at + 13, body),
      pending.toString("utf8", body, signature),
      pending.subarray(signature, end),
      pending[at + 12] === 1,
    );
    at = end;
  }
  pending = pending.subarray(at);
}
if (pending.length > 0) throw new Error("the last frame is cut off");
console.log(JSON.stringify(report));
