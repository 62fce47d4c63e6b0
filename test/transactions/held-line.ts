/** A way to a database on which the commit of a write is held at a named point, and cut there. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Point } from '../proofs/once/line.ts';

/** A commit that is held. */
export interface Held {
  /** Lets through what the point does, and ends all connections. */
  cut(): void;
}

interface Aim {
  readonly name: string;
  readonly point: Point;
  readonly reached: (held: Held) => void;
  /** The write of that name was seen: the next commit is its own. */
  isNamed: boolean;
}

/** Carries connections to a server of this machine. */
export class HeldLine {
  /** The server's URL by way of the line. */
  readonly url: string;
  readonly #server: Server;
  readonly #port: number;
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

  /** @param commit what tells the server to let the effect stand */
  static async open(to: string, commit: RegExp): Promise<HeldLine> {
    const url = new URL(to);
    const port = Number(url.port);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port');
    url.port = String(address.port);
    return new HeldLine(url.href, server, port, commit);
  }

  /** Holds the commit of the next write that has the name in its bytes. */
  hold(name: string, point: Point): Promise<Held> {
    const { promise, resolve } = Promise.withResolvers<Held>();
    this.#aim = { name, point, reached: resolve, isNamed: false };
    return promise;
  }

  close(): void {
    this.#server.close();
    this.#end();
  }

  #end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #carry(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    let held: Aim | undefined;
    client.on('data', (bytes: Buffer) => {
      const aim = this.#aimedAt(bytes.toString('latin1'));
      if (aim === undefined) return void server.write(bytes);
      this.#aim = undefined;
      if (aim.point === 'before sending') return aim.reached({ cut: () => this.#end() });
      held = aim;
      return void server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      const aim = held;
      if (aim === undefined) return void client.write(bytes);
      held = undefined;
      const cut = () => {
        if (aim.point === 'before the answer') client.write(bytes, () => this.#end());
        else this.#end();
      };
      return aim.reached({ cut });
    });
  }

  #aimedAt(text: string): Aim | undefined {
    const aim = this.#aim;
    if (aim === undefined) return undefined;
    aim.isNamed ||= text.includes(aim.name);
    return aim.isNamed && this.#commit.test(text) ? aim : undefined;
  }
}
