// The loop of Lambda's runtime for Node.js: asks for events and answers them over one connection.
import { Agent, request } from "node:http";
import { handler } from "./handler.mjs";

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const made = request({ host, port, method, agent, path: `/2018-06-01/runtime/invocation/${path}` }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => resolve({ headers: answer.headers, text: Buffer.concat(chunks).toString() }));
    });
    made.on("error", reject);
    made.end(body);
  });
}

for (;;) {
  const { headers, text } = await call("GET", "next");
  const answer = JSON.stringify(await handler(JSON.parse(text)));
  await call("POST", `${headers["lambda-runtime-aws-request-id"]}/response`, answer);
}
