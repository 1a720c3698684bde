/** A DNS server on loopback for tests, over UDP and TCP on one port: it answers from a table, and can be slow, lame or silent. */
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Answer, decode, encode, type Packet, TRUNCATED_RESPONSE } from "dns-packet";

/** How a name is answered: with records, with none of this kind (`[]`), or otherwise. */
export interface Zone {
  /** Records by `TYPE name`, such as `PTR 1.2.0.192.in-addr.arpa`; `TYPE *.name` stands for what is below. */
  readonly records: Readonly<Record<string, readonly string[]>>;
  /** Names that get no answer at all, and those that the server fails at. */
  readonly silent?: readonly string[];
  readonly failing?: readonly string[];
  /** Answers over UDP are cut, so that one has to ask again over TCP. */
  readonly truncated?: boolean;
  readonly delayMs?: number;
}

export interface DnsServer {
  /** As a resolver takes it. */
  readonly address: string;
  /** `TYPE name` of each question. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

const nameError = 3;
const serverFailure = 2;

export async function listenDns(zone: Zone): Promise<DnsServer> {
  const questions: string[] = [];
  let isClosed = false;
  const udp = createSocket("udp4");
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("data", (data: Buffer) => {
      const reply = answer(data.subarray(2), false);
      if (reply === undefined) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    });
    socket.on("error", () => {});
  });

  function answer(query: Buffer, isUdp: boolean): Buffer | undefined {
    const { id = 0, questions: [question] = [] } = decode(query);
    if (question === undefined) return undefined;
    const name = question.name.toLowerCase();
    questions.push(`${question.type} ${name}`);
    if (zone.silent?.includes(name)) return undefined;
    const packet: Packet = { id, type: "response", questions: [question], flags: 0x0180 };
    if (zone.failing?.includes(name)) return encode({ ...packet, flags: 0x0180 | serverFailure });
    if (isUdp && zone.truncated) return encode({ ...packet, flags: 0x0180 | TRUNCATED_RESPONSE });
    const answers = answersTo(question.type, name, zone.records);
    const isKnown =
      answers.length > 0 ||
      Object.keys(zone.records).some((key) => key.endsWith(` ${name}`) || key.endsWith(`.${name}`));
    return encode({ ...packet, flags: 0x0180 | (isKnown ? 0 : nameError), answers });
  }

  udp.on("message", (query, { port, address }) => {
    const reply = answer(query, true);
    if (reply === undefined) return;
    const send = (): void => void (isClosed || udp.send(reply, port, address));
    if (zone.delayMs === undefined) send();
    else setTimeout(send, zone.delayMs);
  });
  await listenOnOnePort(tcp, udp);
  const { port } = udp.address();
  return {
    address: `127.0.0.1:${port}`,
    questions,
    async close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}

/** What is free for one protocol may be taken for the other: then both try again. */
async function listenOnOnePort(tcp: Server, udp: DatagramSocket): Promise<void> {
  for (let tries = 0; ; tries++) {
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    try {
      udp.bind((tcp.address() as AddressInfo).port, "127.0.0.1");
      await once(udp, "listening");
      return;
    } catch (error) {
      if (tries === 20) throw error;
      tcp.close();
      await once(tcp, "close");
    }
  }
}

/** Follows aliases as a resolver in between would, for as long as they do not turn in circles. */
function answersTo(type: string, name: string, records: Zone["records"]): Answer[] {
  const answers: Answer[] = [];
  for (let at: string | undefined = name; at !== undefined && answers.length < 8; ) {
    const owner: string = at;
    const found = find(type, owner, records);
    if (found !== undefined)
      return [...answers, ...found.map((data) => ({ type, name: owner, data, ttl: 60 }) as Answer)];
    [at] = find("CNAME", owner, records) ?? [];
    if (at !== undefined) answers.push({ type: "CNAME", name: owner, data: at, ttl: 60 });
  }
  return answers;
}

function find(type: string, name: string, records: Zone["records"]): readonly string[] | undefined {
  return records[`${type} ${name}`] ?? records[`${type} *.${name.slice(name.indexOf(".") + 1)}`];
}
