/** The requests of a log's lines, as the counters read them, and how the values of their fields are made and remembered. */
import { createByteCache, type MakeOfBytes } from "../../cache/byte-cache.ts";
import { findClient } from "../lines/client-address.ts";
import { createDateReader } from "../lines/date-patterns.ts";
import { createLogReader } from "../lines/envelope.ts";
import { type LogFormat, saysUserAgent } from "../lines/format.ts";
import { createLogLine, field, type LineReader, type LogLine, type Proxies } from "../lines/line.ts";
import { addressAt, pathAt } from "../lines/read-fields.ts";
import { readTime } from "../lines/time.ts";
import { decodeBlanks, decodeField } from "../lines/unescape.ts";
import { type Agent, person } from "./agents.ts";
import type { CountedRequest } from "./counted-request.ts";
import { type InvalidAddresses, noteAddress } from "./invalid-addresses.ts";
import { maxPathLength, type Path, type Paths, pathOfText } from "./path-counts.ts";
import type { Target } from "./robots-rules.ts";

/** What depends on the format of a log. */
export interface Reading {
  readonly key: string;
  readonly line: LogLine;
  readonly read: LineReader;
  readonly timeOf: MakeOfBytes<number>;
  readonly agentOf: MakeOfBytes<Agent>;
  /** Where requests without a user agent are counted. */
  readonly missing: () => Agent;
  /** Whether some lines may lack the field of the user agent. */
  readonly isMixed: boolean;
  readonly pathOf: MakeOfBytes<Path>;
  readonly addressOf: MakeOfBytes<string>;
  /** The texts of a path and of a user agent, which nothing remembers. */
  readonly pathTextOf: MakeOfBytes<string>;
  readonly useragentOf: MakeOfBytes<string>;
  /** A path with its query, for robots.txt. */
  readonly targetOf: MakeOfBytes<Target>;
}

/** What values of fields become. */
export interface Makers {
  readonly agents: (useragent: string) => Agent;
  /** Where requests are counted that have no user agent because the log omits it. */
  readonly anonymous: Agent;
  readonly paths: Paths;
  readonly invalidAddresses: InvalidAddresses;
  readonly proxies: Proxies;
}

/** The requests of a line, and what reads its other fields. */
export interface LogRequest extends CountedRequest {
  reading: Reading;
  agent: Agent;
}

export function createLogRequest(reading: Reading): LogRequest {
  return {
    reading,
    line: reading.line,
    requests: 0,
    at: 0,
    local: 0,
    bytes: 0,
    hasSize: false,
    status: 0,
    agent: person,
  };
}

export function createReading(format: LogFormat, key: string, makers: Makers): Reading {
  const { agents, anonymous, paths } = makers;
  // In a log without user agents, no request counts as a crawler's; in other logs, a request without one does.
  const isOmitted = format.omitsUserAgents === true || !saysUserAgent(format);
  const agentOfText = (text: string): Agent => (text === "" && isOmitted ? anonymous : agents(text));
  // Paths stay as they were asked for.
  const pathEscapes = format.escapes === "percent" || format.escapes === "plus" ? "none" : format.escapes;
  const useragentOf: MakeOfBytes<string> = (bytes, from, to) =>
    decodeBlanks(decodeField(bytes, from, to, format.escapes));
  const pathTextOf: MakeOfBytes<string> = (bytes, from, to) => cutPath(decodeField(bytes, from, to, pathEscapes));
  const makeAgent: MakeOfBytes<Agent> = (bytes, from, to) => agentOfText(useragentOf(bytes, from, to));
  const makePath: MakeOfBytes<Path> = (bytes, from, to) => pathOfText(paths, pathTextOf(bytes, from, to));
  const makeTarget: MakeOfBytes<Target> = (bytes, from, to) => ({
    text: decodeField(bytes, from, to, pathEscapes),
    decisions: 0,
  });
  const makeAddress: MakeOfBytes<string> = (bytes, from, to) => {
    const text = decodeField(bytes, from, to, format.escapes);
    noteAddress(makers.invalidAddresses, text);
    return text;
  };
  return {
    key,
    line: createLogLine(makers.proxies),
    read: createLogReader(format),
    timeOf: format.timePattern === undefined ? readTime : createDateReader(format.timePattern),
    missing: () => (format.shorter === undefined ? agentOfText("") : anonymous),
    isMixed: format.shorter !== undefined,
    agentOf: createByteCache(makeAgent, 8192, 256),
    pathOf: createByteCache(makePath, 8192, 128),
    targetOf: createByteCache(makeTarget, 8192, 256),
    pathTextOf,
    useragentOf,
    addressOf: createByteCache(makeAddress, 16384, 64),
  };
}

/** A longer path ends with an ellipsis. Rebuilt with join, because engines keep the whole text alive for a slice of it. */
function cutPath(path: string): string {
  return path.length > maxPathLength ? [path.slice(0, maxPathLength - 1), "…"].join("") : path;
}

export function agentOfLine({ reading, line }: LogRequest): Agent {
  const start = line.from[field.useragent]!;
  return start === -1 ? reading.missing() : reading.agentOf(line.source, start, line.to[field.useragent]!);
}

export function pathOfLine({ reading, line }: LogRequest): Path | undefined {
  return pathAt(line, reading.pathOf);
}

export function pathTextOfLine({ reading, line }: LogRequest): string | undefined {
  return pathAt(line, reading.pathTextOf);
}

/** Empty without a user agent. */
export function useragentOfLine({ reading, line }: LogRequest): string {
  const start = line.from[field.useragent]!;
  return start === -1 ? "" : reading.useragentOf(line.source, start, line.to[field.useragent]!);
}

/** Without a port; empty without an address. */
export function addressOfLine({ reading, line }: LogRequest): string {
  findClient(line);
  return addressAt(line, reading.addressOf);
}
