/** A way to a database on which something strikes at a named point of one write. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Points at which the reply of a write is lost. */
export const POINTS = ['before sending', 'after the effect', 'before the answer'] as const;
export type Point = (typeof POINTS)[number];

/** What is to happen. */
interface Aim {
  /** Which the write's own bytes have in them. */
  readonly name: string;
  readonly point: Point;
  /** Called before the connection is cut. */
  strike(): void;
}

/** Carries connections to a server of this machine. */
export class Line {
  /** The server's URL by way of the line. */
  readonly url: string;
  readonly #server: Server;
  readonly #port: number;
  /** What tells the server to let the effect stand. */
  readonly #commit: RegExp;
  readonly #sockets = new Set<Socket>();
  #aim: Aim | undefined;

  private constructor(url: string, server: Server, port: number, commit: RegExp) {
    this.url = url;
    this.#server = server;
    this.#port = port;
    this.#commit = commit;
    server.on('connection', (client) => this.#carry(client));
  }

  static async open(to: string, commit: RegExp): Promise<Line> {
    const url = new URL(to);
    const port = Number(url.port);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port');
    url.port = String(address.port);
    return new Line(url.href, server, port, commit);
  }

  /** Strikes once, at the next write of that name. */
  aim(aim: Aim): void {
    this.#aim = aim;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #carry(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    let aim: Aim | undefined;
    let isCommitted = false;
    client.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      if (this.#aim && text.includes(this.#aim.name)) {
        aim = this.#aim;
        this.#aim = undefined;
      }
      if (aim?.point === 'before sending') {
        aim.strike();
        return end();
      }
      if (aim && this.#commit.test(text)) isCommitted = true;
      server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (!aim || !isCommitted) return void client.write(bytes);
      const { point, strike } = aim;
      aim = undefined;
      if (point === 'after the effect') {
        strike();
        return end();
      }
      // The relay has it, and its own answer is on its way at best.
      client.write(bytes, () => {
        strike();
        end();
      });
    });
  }
}
