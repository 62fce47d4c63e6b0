/** A way to a database that keeps its address while the server behind it is killed and started again, and that can be cut. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;
  #isCut = false;
  readonly port: number;

  private constructor(server: Server, target: number, port: number) {
    this.#server = server;
    this.#target = target;
    this.port = port;
    server.on('connection', (from) => this.#join(from));
  }

  /** @param target port of the server */
  static async open(target: number): Promise<Line> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port');
    return new Line(server, target, address.port);
  }

  /** Leads elsewhere from now on, to a server that was started again. */
  lead(target: number): void {
    this.#target = target;
  }

  /** Ends what goes through, and lets nothing through until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(from: Socket): void {
    if (this.#isCut) {
      from.destroy();
      return;
    }
    const to = connect(this.#target, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
