/** A server on loopback that says what a test pleases in MongoDB's protocol. */
import { createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const OP_REPLY = 1;
const OP_MSG = 2013;
const HEAD_BYTES = 16;

/** What is answered to a command: a document, bytes as they are, or nothing more. */
export type Said = Document | Buffer | 'silence';

/** Of a server that any client takes for one of its own. */
export const HELLO: Document = {
  ok: 1,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
};

/** A server, and what it was asked. */
export class HostileServer {
  readonly port: number;
  /** Names of commands, in order. */
  readonly asked: string[] = [];
  readonly #sockets: Set<Socket>;
  readonly #close: () => void;

  private constructor(port: number, sockets: Set<Socket>, close: () => void) {
    this.port = port;
    this.#sockets = sockets;
    this.#close = close;
  }

  /** @param say what it answers; `head` makes the head of a reply of so many bytes */
  static async start(
    say: (name: string, command: Document, head: (length: number) => Buffer) => Said,
  ): Promise<HostileServer> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      let waiting = Buffer.alloc(0);
      socket.on('data', (piece: Buffer) => {
        waiting = Buffer.concat([waiting, piece]);
        while (waiting.length >= HEAD_BYTES && waiting.length >= waiting.readInt32LE(0)) {
          const message = waiting.subarray(0, waiting.readInt32LE(0));
          waiting = waiting.subarray(message.length);
          const { name, command } = commandIn(message);
          hostile.asked.push(name);
          const said = say(name, command, (length) => headTo(message, length));
          if (said !== 'silence') socket.write(replyTo(message, said));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number }; // It listens on a port.
    const hostile = new HostileServer(port, sockets, () => server.close());
    return hostile;
  }

  stop(): void {
    this.#close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

function isMessage(bytes: Buffer): boolean {
  return bytes.readInt32LE(12) === OP_MSG;
}

function commandIn(message: Buffer): { name: string; command: Document } {
  // Before a login the command is behind the name of a collection and two numbers.
  const start = isMessage(message) ? HEAD_BYTES + 5 : message.indexOf(0, HEAD_BYTES + 4) + 9;
  const command = BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
  return { name: Object.keys(command)[0] ?? '', command };
}

function headTo(message: Buffer, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeInt32LE(length, 0);
  message.copy(head, 8, 4, 8);
  head.writeInt32LE(isMessage(message) ? OP_MSG : OP_REPLY, 12);
  return head;
}

function replyTo(message: Buffer, said: Document | Buffer): Buffer {
  if (Buffer.isBuffer(said)) return said;
  const document = BSON.serialize(said);
  const before = Buffer.alloc(isMessage(message) ? 5 : 20);
  if (!isMessage(message)) before.writeInt32LE(1, HEAD_BYTES);
  const head = headTo(message, HEAD_BYTES + before.length + document.length);
  return Buffer.concat([head, before, document]);
}
