// Calls the server with the generated client, and prints parts of the responses.

import createClient from "openapi-fetch";

import type { components, paths } from "./api.js";

const facts = JSON.parse(process.env.COUNTERSIGN_FACTS ?? "{}") as Record<
  "url" | "apiKey" | "appKey",
  string
>;

/** Returns the data of a response. Throws if the call failed. */
function succeeded<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) {
    throw new Error(JSON.stringify(answer.error));
  }
  return answer.data;
}

const server = createClient<paths>({
  baseUrl: facts.url,
  headers: { "x-api-key": facts.apiKey },
});

const started = succeeded(
  await server.POST("/acquire-phone-number", { body: { metadata: { orderId: "17" } } }),
);
const id = { params: { path: { id: started.confirmationId } } };
const shown = succeeded(await server.GET("/confirmations/{id}", id));

const { error: refused } = await server.POST("/make-confirmation", {
  body: { phoneNumber: "2025550100" },
});
if (refused === undefined) {
  throw new Error("a number without a country code was accepted");
}

const cancelled = succeeded(await server.DELETE("/confirmations/{id}", id));

const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
const authorization = `Bearer ${token}`;
const page = createClient<paths>({
  baseUrl: facts.url,
  headers: { "x-app-key": facts.appKey, authorization },
});
const opened = succeeded(
  await page.POST("/qr-sessions", { params: { header: { Origin: facts.url } } }),
);
const browser = createClient<paths>({ baseUrl: facts.url, headers: { authorization } });
const login = succeeded(
  await browser.GET("/qr-sessions/{id}", { params: { path: { id: opened.sessionId } } }),
);

const status: components["schemas"]["ConfirmationStatus"] = cancelled.status;
console.log(
  JSON.stringify({
    acquired: { status: shown.status, flow: shown.flow, metadata: shown.metadata },
    refused: { status: refused.status, code: refused.code, field: refused.field },
    cancelled: status,
    login: login.state,
  }),
);
