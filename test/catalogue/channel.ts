/** A channel for tests: small data files, keys, and an HTTPS server for 127.0.0.1 with a certificate of its own CA. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type SecretKey, signFile } from "../../build/sign-file.ts";
import { encodeDataFile, makeVectors } from "../../src/catalogue/write-data-file.ts";
import type { Detector } from "../../src/detect/verdict.ts";
import { browser, createOwnDetector } from "../support/own-detector.ts";
import { listenHttps, type TestServer } from "../verify/https-server.ts";

/** Valid for a hundred years, as the certificate below; the keys are of no use but here. */
export const authority = `-----BEGIN CERTIFICATE-----
MIIBoDCCAUegAwIBAgIUIC3vm2n4DwDQE/uqBdduBNl7JkkwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSd2hvY3Jhd2xzIHRlc3RzIENBMCAXDTI2MTEyMjE3NTE1N1oY
DzIxMjYxMDI5MTc1MTU3WjAdMRswGQYDVQQDDBJ3aG9jcmF3bHMgdGVzdHMgQ0Ew
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASLikQYA64Ey6ihcjrbv4mvlIS0x4hf
OW3wPjA9SQUamsAMeG/geVRb3ysZtE9ehydQ6GeZOSGS5uoJfzv3xKyfo2MwYTAd
BgNVHQ4EFgQUflCZ5wE0flDsDaFrWIPKg93I2MYwHwYDVR0jBBgwFoAUflCZ5wE0
flDsDaFrWIPKg93I2MYwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQw
CgYIKoZIzj0EAwIDRwAwRAIgeNt2IcxlHWFjerVYP5Zy/HmhwwNYCpznLjseVP9a
UhACIBy4R0bQ2ryBqTX500FJhtxc1PKbDwryj4lvXHs/RhEU
-----END CERTIFICATE-----`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUEcqevyQrb+zNdBJGOHx/4iQp4dYwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSd2hvY3Jhd2xzIHRlc3RzIENBMCAXDTI2MTEyMjE3NTE1N1oY
DzIxMjYxMDI5MTc1MTU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjO
PQIBBggqhkjOPQMBBwNCAAQ+G7PLcf39goAEN+J48g4bYFovNoxIFjI1J+PsJ/Jb
682dbYG+z90vOfA4auRy9dXIyv2Rfm93kXB8t+F6VvDEo2kwZzAaBgNVHREEEzAR
gglsb2NhbGhvc3SHBH8AAAEwCQYDVR0TBAIwADAdBgNVHQ4EFgQULMPe2Ur+xq6p
Wbds1yJS/RAU8UEwHwYDVR0jBBgwFoAUflCZ5wE0flDsDaFrWIPKg93I2MYwCgYI
KoZIzj0EAwIDSAAwRQIhAN3lDSLblCbPZgPXqsI6QUBHJ8PkqgN2oubCb/+rBQtd
AiBT53+YvpHR++Lm6+bT9kQE68xLNmxsmXdchwj++6VrHg==
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVqB7GObUtselJmn9
LHhG8h8ToBNvdDvr3/R/9cbAlAqhRANCAAQ+G7PLcf39goAEN+J48g4bYFovNoxI
FjI1J+PsJ/Jb682dbYG+z90vOfA4auRy9dXIyv2Rfm93kXB8t+F6VvDE
-----END PRIVATE KEY-----`;

/** A secret key whose id has one digit only. */
export function createKey(digit: string): SecretKey {
  return { id: Buffer.from(digit.repeat(16), "hex"), seed: randomBytes(32) };
}

export const key1 = createKey("1");
export const key2 = createKey("2");

/** Dates later than that of the program's data, and less than a day ahead. */
export const [time1, time2, time3] = [1, 2, 3].map((hours) => Date.now() + hours * 3_600_000) as [
  number,
  number,
  number,
];

export const detector1 = createOwnDetector("1.0.0+one", "OneMonitor/");
export const detector2 = createOwnDetector("1.0.0+two", "TwoMonitor/");

/** A data file of a detector's catalogue. */
export function toData(detector: Detector, changedAt: number): Uint8Array {
  const vectors = makeVectors(detector, [browser]);
  return encodeDataFile({ catalogue: detector.catalogue, changedAt, vectors });
}

/** What a server publishes. */
export interface Published {
  readonly bytes: Uint8Array;
  readonly signature?: string;
}

/** A publication with the signature of a key. */
export function publish(bytes: Uint8Array, secret: SecretKey = key1): Published {
  return { bytes, signature: signFile(bytes, secret, "for tests") };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of data files, with a folder for what the tests of one file write. */
export interface Channel {
  /** What it has at the path /data; tests replace it. */
  published: Published | undefined;
  readonly address: string;
  /** The requests that have arrived. */
  readonly asked: readonly IncomingMessage[];
  readonly folder: string;
  /** The environment in which a process trusts the channel's certificate. */
  readonly trusting: { readonly NODE_EXTRA_CA_CERTS: string };
}

/** Starts a channel before the tests of the file or suite, and ends it after them. It publishes nothing yet; `answers` has other paths. */
export function useChannel(answers: Readonly<Record<string, Answer>> = {}): Channel {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-channel-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, authority);
  const asked: IncomingMessage[] = [];
  const channel = {
    published: undefined as Published | undefined,
    address: "",
    asked,
    folder,
    trusting: { NODE_EXTRA_CA_CERTS: ca },
  };
  let server: TestServer;
  before(async () => {
    server = await listenHttps(
      (request, response) => {
        asked.push(request);
        const { url = "" } = request;
        const answer = answers[url];
        if (answer !== undefined) return answer(request, response);
        const { bytes, signature } = channel.published ?? {};
        const content = url === "/data" ? bytes : url === "/data.minisig" ? signature : undefined;
        if (content === undefined) return void response.writeHead(404).end();
        const etag = `"${createHash("md5").update(content).digest("hex")}"`;
        if (request.headers["if-none-match"] === etag) return void response.writeHead(304).end();
        response.writeHead(200, { etag }).end(content);
      },
      { key, cert: certificate },
    );
    channel.address = `https://127.0.0.1:${server.port}`;
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return channel;
}
