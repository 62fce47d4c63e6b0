/** A way to a server on which a test counts the connections and round trips of the driver, and ends connections. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A port of this machine that leads to a server. */
export class CountedPort {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #trips = 0;

  private constructor({ hostname, port }: URL, defaultPort: number) {
    this.#server = createServer((from) =>
      this.#carry(from, connect(Number(port || defaultPort), hostname)),
    );
  }

  /** @param defaultPort where the server's URL names none */
  static async to(server: URL, defaultPort: number): Promise<CountedPort> {
    const counted = new CountedPort(server, defaultPort);
    await new Promise<void>((resolve) => counted.#server.listen(0, '127.0.0.1', resolve));
    return counted;
  }

  /** The server's URL by this way, to that database. */
  urlOf(server: URL, database: string): string {
    const url = new URL(server);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as { port: number }).port); // It listens on a port.
    url.pathname = `/${database}`;
    return url.href;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Times so far that the driver has sent something after a connection's begin or after an answer. */
  get trips(): number {
    return this.#trips;
  }

  /** Ends all connections, as a server that is restarted. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.#server.close();
    this.dropConnections();
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    const end = () => {
      this.#sockets.delete(from);
      from.destroy();
      to.destroy();
    };
    for (const socket of [from, to]) socket.on('error', () => {}).on('close', end);
    let isDriversTurn = true;
    from.on('data', () => {
      if (isDriversTurn) this.#trips += 1;
      isDriversTurn = false;
    });
    to.on('data', () => {
      isDriversTurn = true;
    });
    from.pipe(to).pipe(from);
  }
}
