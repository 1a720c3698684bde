/**
 * Request ids: the client's own if it is valid, else a random prefix and a counter, which is unique enough to find a request
 * in a log and costs next to nothing.
 */
const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** Makes the function that turns an `X-Request-Id` header into the id of the request. */
export function createRequestIds(generate: () => string = createCounter()): (header: string | null) => string {
  return (header) => (header !== null && sane.test(header) ? header : generate());
}

function createCounter(): () => string {
  let prefix = "";
  let count = 0;
  return () => {
    // Made with the first request, because the edge gives no random numbers before.
    if (prefix === "") prefix = crypto.randomUUID().slice(0, 13);
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
