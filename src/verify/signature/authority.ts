/**
 * The names of a site, `host` or `host:port`, in one spelling. A signature says for which site it was made; what was made for
 * another site and captured there must not count here.
 */
import { toAddress, toAddressText } from "../../address/address.ts";
import type { Fields } from "../request-headers.ts";
import { expect } from "./signature-fields.ts";

/** A host's name has at most 253 characters, with a final dot 254. */
const maxAuthorityLength = 254 + ":65535".length;

/** The host that a request asked for, as it was sent; several lines are joined and are no authority. */
export function requestedAuthority(fields: Fields): string | undefined {
  return fields(":authority") ?? fields("host");
}

/**
 * `text` in lower case, without the ports 80 and 443, without a final dot, with IPv6 addresses in brackets; undefined if it
 * is not an authority.
 */
export function toAuthority(text: string): string | undefined {
  if (text.length > maxAuthorityLength) return undefined;
  const parts = toAddress(text) === undefined ? authority.exec(text) : [text, text];
  const [, host = "", digits = ""] = parts ?? [];
  const port = Number(digits);
  const name = host.includes(":") ? toIpv6Name(host) : host.toLowerCase().replace(/\.$/, "");
  if (name === undefined || name === "" || port > 65_535) return undefined;
  return port === 0 || port === 80 || port === 443 ? name : `${name}:${port}`;
}

const authority = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{0,5}))?$/i;

function toIpv6Name(host: string): string | undefined {
  const address = toAddress(host.replace(/^\[|\]$/g, ""));
  return address === undefined ? undefined : `[${toAddressText(address)}]`;
}

/** Reads a site's own name, as a setting has it. Throws an Error that says what it must be. */
export function parseAuthority(text: string): string {
  const name = toAuthority(text);
  if (name === undefined)
    throw new Error("must be a host name or host:port, without scheme or path, such as www.example.com");
  return name;
}

/** Throws a SignatureError if a request was not sent to one of the site's `own` names. */
export function expectAuthority(fields: Fields, own: ReadonlySet<string>): void {
  const add = "add the host names of this site to the setting authority";
  expect(own.size > 0, "signatures are not verified, because the setting authority has no names of this site", add);
  const asked = requestedAuthority(fields);
  expect(asked !== undefined, "the host of the request is unknown", "pass the header Host, too");
  const name = toAuthority(asked) ?? "an invalid host";
  expect(own.has(name), `the request is for ${name}, which is not in the setting authority`, add);
}
