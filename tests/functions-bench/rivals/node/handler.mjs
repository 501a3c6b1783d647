// `acquire` with the SDK for JavaScript: connected while it starts, with one client for all calls.
import { createHash, randomBytes } from "node:crypto";
import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";

const TableName = process.env.COUNTERSIGN_TABLE;
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FRESH = 60_000;
const table = new DynamoDBClient({ maxAttempts: 4 });
const apps = new Map();

async function get(pk, sk) {
  const Key = { pk: { S: pk }, sk: { S: sk } };
  const { Item } = await table.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item;
}

// Connects.
await get("PROFILE", "PROFILE");

async function appOf(key) {
  const hash = createHash("sha256").update(key).digest("hex");
  const known = apps.get(hash);
  if (known && Date.now() - known.readAt < FRESH) return known.app;
  const pointer = await get(`KEY#${hash}`, "KEY");
  const found = pointer && (await get(`APP#${pointer.app.S}`, "APP"));
  const stored = Buffer.from(hash, "hex").toString("base64url");
  const record = found?.keys.L.find((record) => record.M.hash.S === stored);
  if (!record || record.M.revoked_at) return undefined;
  const app = found.app.M;
  apps.set(hash, { app, readAt: Date.now() });
  return app;
}

function spell(bits) {
  let value = BigInt(`0x${bits.toString("hex")}`);
  let symbols = "";
  for (let i = 0; i < 16; i += 1, value >>= 5n) symbols = ALPHABET[Number(value & 31n)] + symbols;
  return symbols;
}

export async function handler(event) {
  const app = await appOf(event.headers["x-api-key"] ?? "");
  if (!app) return { statusCode: 401, body: "{}" };
  const body = JSON.parse(event.body || "{}");
  const bits = randomBytes(10);
  const id = createHash("sha256").update("countersign/confirmation-id/1\0").update(bits).digest("hex").slice(0, 32);
  const now = Date.now();
  const sendTo = app.senders.L[0].M.number.S;
  const message = app.template.S.replace("{code}", `${app.prefix.S}-${spell(bits)}`);
  await table.send(new PutItemCommand({
    TableName,
    Item: {
      pk: { S: `CFM#${id}` }, sk: { S: "CFM" }, v: { N: "2" }, r: { N: "1" },
      a: { S: app.id.S }, f: { S: "a" }, s: { S: "o" }, to: { S: sendTo },
      u: { S: body.callbackUrl ?? app.default_callback.S }, m: { S: JSON.stringify(body.metadata ?? {}) },
      c: { N: `${now}` }, x: { N: `${now + 300_000}` }, p: { N: `${now + 605_100_000}` },
      ttl: { N: `${Math.ceil(now / 1000) + 605_100}` },
    },
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  }));
  console.log(JSON.stringify({ level: "INFO", message: "answered", status: 200, id: `cfm_${id}` }));
  return {
    statusCode: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      confirmationId: `cfm_${id}`, confirmationMessage: message, sendTo,
      expiresAt: new Date(now + 300_000).toISOString(),
    }),
  };
}
