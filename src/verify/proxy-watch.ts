/** Notices a proxy in front whose address is taken for the client's: the first crawlers to verify all have private addresses. */

import { type Address, toAddressText } from "../address/address.ts";
import { isPublic } from "../address/public-address.ts";

/** Called with the address of each request of a crawler that can be verified. */
export type ProxyWatch = (address: Address, isVerified: boolean) => void;

/** This many requests from private addresses, and none from a public one, mean that there is a proxy in between. */
const maxPrivate = 10;

/** Makes a watch that warns once. A private address that is verified, as in a custom catalogue, is none of a proxy. */
export function createProxyWatch(warn: (text: string) => void): ProxyWatch {
  let left = maxPrivate;
  return (address, isVerified) => {
    if (left === 0) return;
    if (isPublic(address)) left = 0;
    else if (!isVerified && --left === 0)
      warn(
        `the first ${maxPrivate} crawlers to verify all have private addresses, such as ${toAddressText(address)}, probably that of a proxy in front: ` +
          "no crawler can be verified. Set the number of proxies (`trust-proxy` of the service, `proxies` or `addressOf` of the middleware, " +
          '"trust proxy" of Express), and have the proxy send X-Forwarded-For.',
      );
  };
}
