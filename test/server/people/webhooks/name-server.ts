/** A name server of a test's own on loopback: it knows the addresses of some names, and is silent about all others. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** Types of the records that are asked for. */
const [A, IN] = [1, 1];
/** Flags of an answer without a fault. */
const ANSWER = 0x8180;
const HEAD_BYTES = 12;
/** A reference to the name of the question. */
const SAME_NAME = 0xc000 + HEAD_BYTES;

export interface NameServer {
  /** Address and port. */
  readonly at: string;
  stop(): void;
}

/** @param names IPv4 addresses by name; there are no IPv6 ones */
export async function startNameServer(names: Readonly<Record<string, string>>): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const known = names[name];
    if (known === undefined) return;
    const records = type === A ? [record(known)] : [];
    const head = Buffer.from(query.subarray(0, HEAD_BYTES));
    head.writeUInt16BE(ANSWER, 2);
    for (const [i, count] of [1, records.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * i);
    socket.send(Buffer.concat([head, query.subarray(HEAD_BYTES, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { at: `127.0.0.1:${socket.address().port}`, stop: () => void socket.close() };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function record(address: string): Buffer {
  const bytes = address.split('.').map(Number);
  const head = Buffer.alloc(12);
  for (const [i, value] of [SAME_NAME, A, IN, 0, 60, bytes.length].entries()) head.writeUInt16BE(value, 2 * i);
  return Buffer.concat([head, Buffer.from(bytes)]);
}
