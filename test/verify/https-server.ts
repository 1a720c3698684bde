/** An HTTPS server on loopback for tests, with a certificate for agent.example and lists.example that only the tests trust. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Valid for a hundred years; the key is of no use but here. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBtDCCAVqgAwIBAgIUHWJMmMMCSgsKC4rVvB/9YwnuRAAwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPd2hvY3Jhd2xzIHRlc3RzMCAXDTI2MTEyMTIyNDU0NloYDzIx
MjYxMDI4MjI0NTQ2WjAaMRgwFgYDVQQDDA93aG9jcmF3bHMgdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAATPY4JU3HGOmkJezBRBFjcbLHPMUFD6e7aBnQUe
mzQkO0jiRcvUtACDQOkzqLXwRdjl7qfjqueNrVDrWKYIjHtFo3wwejAdBgNVHQ4E
FgQUnsyYxECY2ZyyDa3wN5DJf3lO9OwwHwYDVR0jBBgwFoAUnsyYxECY2ZyyDa3w
N5DJf3lO9OwwJwYDVR0RBCAwHoINYWdlbnQuZXhhbXBsZYINbGlzdHMuZXhhbXBs
ZTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCf0kkuCNELdoVN
0w7s3V30WkmualmAguVwPv8s176gyAIgDQnrnp/zhrCvVxqSyAQWpydy5m+f1Obe
5AYgg8jvP0E=
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtaN47mEYy1hcTjl+
VvikDSaVEd+B9887CtbuW0/5TomhRANCAATPY4JU3HGOmkJezBRBFjcbLHPMUFD6
e7aBnQUemzQkO0jiRcvUtACDQOkzqLXwRdjl7qfjqueNrVDrWKYIjHtF
-----END PRIVATE KEY-----`;

export interface TestServer {
  readonly port: number;
  /** How many requests have come. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Listens on a free port; `answer` writes every answer. */
export async function listenHttps(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  identity: { readonly key: string; readonly cert: string } = { key, cert: certificate },
): Promise<TestServer> {
  let requests = 0;
  const server = createServer(identity, (request, response) => {
    requests++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Names are on loopback here, and loopback is allowed. */
export const loopback = { resolve: async () => ["127.0.0.1"], isAllowed: () => true, ca: certificate };
