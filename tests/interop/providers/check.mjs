// Signs and verifies calls with the Node.js libraries of Twilio and of AWS (SNS), like check.py. The first
// argument is the folder with the test key and certificate for SNS.

import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import https from "node:https";
import { Readable } from "node:stream";
import { parse } from "node:querystring";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const folder = process.argv[2];
const certificate = readFileSync(`${folder}/certificate.pem`);
const key = { key: readFileSync(`${folder}/key.der`), format: "der", type: "pkcs8" };

// The validator fetches the certificate itself.
https.get = (_url, answer) => {
    answer(Object.assign(Readable.from([certificate]), { statusCode: 200 }));
    return { on() {} };
};

const twilio = require("twilio");
const Validator = require("sns-validator");
const validator = new Validator();

const ORDER = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

const signSns = ({ message, hash }) => {
    const sign = createSign(hash);
    for (const name of ORDER.filter((name) => name in message)) {
        sign.update(`${name}\n${message[name]}\n`);
    }
    const signed = { ...message, Signature: sign.sign(key, "base64") };
    return new Promise((resolve, reject) => {
        validator.validate({ ...signed }, (error) => (error ? reject(error) : resolve(signed)));
    });
};

const parameters = (pairs) => {
    const all = {};
    for (const [name, value] of pairs) {
        (all[name] ??= []).push(value);
    }
    return all;
};

const JOBS = {
    sign: {
        twilio: ({ secret, url, params }) => ({
            "x-twilio-signature": twilio.getExpectedTwilioSignature(secret, url, parameters(params)),
        }),
        sns: signSns,
    },
    verify: {
        twilio: ({ secret, url, headers, body }) =>
            twilio.validateRequest(secret, headers["x-twilio-signature"], url, { ...parse(body) }),
    },
};

const jobs = JSON.parse(readFileSync(0, "utf8"));
const results = jobs.map((job) => JOBS[job.action][job.provider](job));
process.stdout.write(JSON.stringify(await Promise.all(results)));
