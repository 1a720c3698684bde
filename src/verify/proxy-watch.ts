/**
 * Notices proxies in front whose addresses are taken for the clients': the first crawlers to verify all have private addresses, or many of
 * the first requests have addresses of CDNs.
 */

import { type Address, toAddressText } from "../address/address.ts";
import { isPublic } from "../address/public-address.ts";
import type { Networks } from "./networks/networks.ts";

/** This many requests from private addresses, and none from a public one, mean that there is a proxy in between. */
const maxPrivate = 10;
/** Of this many first requests with public addresses, as many may be a CDN's: programs that run there send requests, too. */
const firstClients = 100;
const maxOfCdns = 10;

/** Warns once of each. */
export class ProxyWatch {
  readonly #report: (text: string) => void;
  readonly #findCdn: Networks["findCdn"];
  #privateLeft = maxPrivate;
  #clientsLeft = firstClients;
  #ofCdns = 0;
  #warnings: readonly string[] = [];

  constructor(report: (text: string) => void, findCdn: Networks["findCdn"]) {
    this.#report = report;
    this.#findCdn = findCdn;
  }

  /** The warnings about CDNs, which hold until the settings are changed. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * Notes the address of a request of a crawler that can be verified. A private address that is verified, as in a custom catalogue, is not
   * a proxy's.
   */
  noteCrawler(address: Address, isVerified: boolean): void {
    if (this.#privateLeft === 0) return;
    if (isPublic(address)) this.#privateLeft = 0;
    else if (!isVerified && --this.#privateLeft === 0)
      this.#report(
        `the first ${maxPrivate} crawlers to verify all have private addresses, such as ${toAddressText(address)}, probably that of a proxy in front: ` +
          `no crawler can be verified. ${remedy}, and have the proxy send X-Forwarded-For.`,
      );
  }

  /** Notes the address of any request. */
  noteClient(address: Address): void {
    if (this.#clientsLeft === 0 || !isPublic(address)) return;
    this.#clientsLeft--;
    const cdn = this.#findCdn(address);
    if (cdn === undefined || ++this.#ofCdns <= maxOfCdns) return;
    this.#clientsLeft = 0;
    const text =
      `more than ${maxOfCdns} of the first ${firstClients} requests have addresses of CDNs, such as ${toAddressText(address)} of ${cdn.provider}, which are ` +
      `not the clients': no crawler behind them can be verified. ${remedy}, or pass on the address in ${cdn.clientHeader}.`;
    this.#warnings = [text];
    this.#report(text);
  }
}

const remedy =
  "Set the number of proxies (`trust-proxy` of the service, `proxies` or `addressOf` of the middleware, " +
  '"trust proxy" of Express)';
