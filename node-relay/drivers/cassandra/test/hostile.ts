/** A server on loopback that says what a test pleases in Cassandra's protocol. Source: CQL binary protocol v4. */
import { createServer, type Socket } from 'node:net';

const HEAD_BYTES = 9;
const STARTUP = 0x01;
const READY = 0x02;
const RESULT = 0x08;
const PREPARE = 0x09;

/** What is answered to a statement that runs; undefined for nothing. */
export type Answerer = (body: Buffer, times: number) => Buffer | undefined;

/** A server that accepts every login and prepares every statement. */
export class HostileServer {
  readonly port: number;
  readonly #stop: () => void;

  private constructor(port: number, stop: () => void) {
    this.port = port;
    this.#stop = stop;
  }

  /** @param answer to a statement that runs, as a whole message */
  static async start(answer: Answerer): Promise<HostileServer> {
    const sockets = new Set<Socket>();
    let times = 0;
    const answerTo = (opcode: number | undefined, body: Buffer) => {
      if (opcode === STARTUP) return message(Buffer.alloc(0), { opcode: READY });
      if (opcode === PREPARE) return message(PREPARED);
      times += 1;
      return answer(body, times);
    };
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      let waiting = Buffer.alloc(0);
      socket.on('data', (piece: Buffer) => {
        waiting = Buffer.concat([waiting, piece]);
        while (waiting.length >= HEAD_BYTES && waiting.length >= endOf(waiting)) {
          const asked = waiting.subarray(0, endOf(waiting));
          waiting = waiting.subarray(asked.length);
          const said = answerTo(asked[4], asked.subarray(HEAD_BYTES));
          if (said) socket.write(said);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number }; // It listens on a port.
    return new HostileServer(port, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  }

  stop(): void {
    this.#stop();
  }
}

function endOf(bytes: Buffer): number {
  return HEAD_BYTES + bytes.readUInt32BE(5);
}

/** A message with a head of its own. */
export function message(
  body: Buffer,
  {
    opcode = RESULT,
    stream = 0,
    version = 0x84,
    flags = 0,
    length = body.length,
  }: {
    readonly opcode?: number;
    readonly stream?: number;
    readonly version?: number;
    readonly flags?: number;
    readonly length?: number;
  } = {},
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.set([version, flags]);
  head.writeInt16BE(stream, 2);
  head.writeUInt8(opcode, 4);
  head.writeUInt32BE(length, 5);
  return Buffer.concat([head, body]);
}

/** `[int]`s after each other. */
export function ints(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value, index * 4);
  return bytes;
}

/** `[string]`. */
export function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}

/** Types as the protocol reports them. */
export const INT = Buffer.from([0, 9]);
export const TEXT = Buffer.from([0, 13]);

/** A result of one column `a`. */
export function rows(
  type: Buffer,
  cells: readonly Buffer[],
  { state, count = cells.length }: { readonly state?: Buffer; readonly count?: number } = {},
): Buffer {
  const table = [string('space'), string('items')];
  return Buffer.concat([
    ints(2, state ? 3 : 1, 1),
    ...(state ? [ints(state.length), state] : []),
    ...table,
    string('a'),
    type,
    ints(count),
    ...cells,
  ]);
}

/** `[bytes]`. */
export function cell(value: Buffer, length = value.length): Buffer {
  return Buffer.concat([ints(length), value]);
}

/** An id, no markers, no columns. */
const PREPARED = Buffer.concat([ints(4), string('id'), ints(0, 0, 0), ints(0, 0)]);
