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
 * has no address if there are fewer than proxies.
 */
export function findClient(line: LogLine): void {
  const { from, to, proxies } = line;
  const list = isList(line, field.forwarded) ? field.forwarded : isList(line, field.address) ? field.address : -1;
  if (list === -1 && (proxies === undefined || from[field.forwarded] === -1)) {
    cutPort(line);
    return;
  }
  // W3C logs write a blank as a plus sign, or encoded; the places stay the same.
  const forwarded = list === -1 ? "" : textOf(line, list).replaceAll("+", " ").replaceAll("%20", "   ");
  const connection = list !== field.address && from[field.address] !== -1 ? textOf(line, field.address) : undefined;
  const client = proxies === undefined ? lastPublic(forwarded, connection) : ofProxies(forwarded, connection, proxies);
  const listFrom = from[list]!;
  // Once is enough: further calls find no list.
  from[field.forwarded] = -1;
  if (client === undefined) from[field.address] = -1;
  else if (client !== connection) {
    const start = listFrom + forwarded.lastIndexOf(client);
    from[field.address] = start;
    to[field.address] = start + client.length;
  }
  cutPort(line);
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
  const isKnown = (text: string): boolean => {
    const address = toAddress(withoutPort(text));
    return address !== undefined && isPublic(address);
  };
  return values.findLast(isKnown) ?? connection ?? values.at(-1);
}

function ofProxies(forwarded: string, connection: string | undefined, proxies: number): string | undefined {
  // nginx can log the list with the address of the connection appended.
  const last = forwarded.slice(forwarded.lastIndexOf(",") + 1).trim();
  const isAppended = connection !== undefined && withoutPort(last) === withoutPort(connection);
  const list = isAppended ? forwarded.slice(0, Math.max(0, forwarded.lastIndexOf(","))) : forwarded;
  return forwardedValue(list, proxies, "none");
}
