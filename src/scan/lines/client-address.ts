/** Finds the address of the client in a line: of its connection, or behind proxies. */
import { toAddress, withoutPort } from "../../address/address.ts";
import { forwardedValue } from "../../address/forwarded.ts";
import { isPublic } from "../../address/public-address.ts";
import { field, type LogLine } from "./line.ts";
import { cutPort, isBlank } from "./read-fields.ts";

const comma = 0x2c;
const latin1 = new TextDecoder("latin1");

/**
 * Makes the address of a line the client's, without a port: of the forwarded addresses, or of several in the field of the address, the one
 * that the outermost of the line's trusted proxies has seen; if their number is unknown, the last public one, or the connection's. The line
 * has no address if there are fewer than proxies. Without a list, it is the one that a trusted proxy has sent.
 */
export function findClient(line: LogLine): void {
  const { from, to } = line;
  const proxies = line.proxies.trusted;
  const list = isList(line, field.forwarded) ? field.forwarded : isList(line, field.address) ? field.address : -1;
  const sent = list === -1 ? sentAddress(line) : -1;
  if (sent !== -1) {
    from[field.address] = from[sent]!;
    to[field.address] = to[sent]!;
  }
  // Once is enough: further calls find none.
  from[field.realip] = from[field.cdnip] = -1;
  if (sent !== -1) from[field.forwarded] = -1;
  if (sent !== -1 || (list === -1 && (proxies === undefined || from[field.forwarded] === -1))) {
    cutPort(line);
    return;
  }
  // W3C logs write a blank as a plus sign, or encoded; the places stay the same.
  const forwarded = list === -1 ? "" : textOf(line, list).replaceAll("+", " ").replaceAll("%20", "   ");
  const connection = list !== field.address && from[field.address] !== -1 ? textOf(line, field.address) : undefined;
  const client = proxies === undefined ? lastPublic(forwarded, connection) : ofProxies(forwarded, connection, proxies);
  const listFrom = from[list]!;
  from[field.forwarded] = -1;
  if (client === undefined) from[field.address] = -1;
  else if (client !== connection) {
    const start = listFrom + forwarded.lastIndexOf(client);
    from[field.address] = start;
    to[field.address] = start + client.length;
  }
  cutPort(line);
}

/** The field of the address that a proxy has sent, if the connection is a trusted proxy's; -1 without one. */
function sentAddress(line: LogLine): number {
  const { source, from, to, proxies } = line;
  const sent = [field.cdnip, field.realip].filter(
    (index) => from[index] !== -1 && !isBlank(source, from[index]!, to[index]!),
  );
  if (sent.length === 0) return -1;
  const start = from[field.address]!;
  const isTrusted = proxies.trusted !== undefined || start === -1 || !isPublicText(textOf(line, field.address));
  return (
    sent.find(
      (index) => isTrusted || (index === field.cdnip && proxies.isCloudflare?.(source, start, to[field.address]!)),
    ) ?? -1
  );
}

/** Whether a line has forwarded addresses, or several addresses. */
function isList({ source, from, to }: LogLine, index: number): boolean {
  const start = from[index]!;
  if (start === -1) return false;
  const end = to[index]!;
  if (index === field.forwarded) return !isBlank(source, start, end);
  for (let at = start; at < end; at++) if (source[at] === comma) return true;
  return false;
}

function textOf({ source, from, to }: LogLine, index: number): string {
  return latin1.decode(source.subarray(from[index], to[index]));
}

function lastPublic(forwarded: string, connection: string | undefined): string | undefined {
  const values = [
    ...forwarded.split(",").map((text) => text.trim()),
    ...(connection === undefined ? [] : [connection]),
  ];
  return values.findLast(isPublicText) ?? connection ?? values.at(-1);
}

/** Whether a text is an address on the public Internet. */
export function isPublicText(text: string): boolean {
  const address = toAddress(withoutPort(text));
  return address !== undefined && isPublic(address);
}

function ofProxies(forwarded: string, connection: string | undefined, proxies: number): string | undefined {
  // nginx can log the list with the address of the connection appended.
  const last = forwarded.slice(forwarded.lastIndexOf(",") + 1).trim();
  const isAppended = connection !== undefined && withoutPort(last) === withoutPort(connection);
  const list = isAppended ? forwarded.slice(0, Math.max(0, forwarded.lastIndexOf(","))) : forwarded;
  return forwardedValue(list, proxies, "none");
}
