/** A way to a server that can be cut, held and counted, for tests. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Carries connections to a port of this machine. */
export class TestProxy {
  /** Connections that were ever made. */
  opened = 0;
  /** Pieces that clients have sent: what they write at once comes as one, as long as it is small. */
  pieces = 0;
  /** Nothing is carried back; what clients send still goes on. */
  silent = false;
  /** Pieces that were not carried back. */
  swallowed = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<TestProxy> {
    const server = createServer((client) => proxy.#carry(client, port));
    const proxy: TestProxy = new TestProxy(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy got no port');
    return address.port;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size / 2;
  }

  /** Cuts what is open; what comes later is carried. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #carry(client: Socket, port: number): void {
    this.opened += 1;
    const server = connect(port, '127.0.0.1');
    client.on('data', (bytes) => {
      this.pieces += 1;
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (this.silent) this.swallowed += 1;
      else client.write(bytes);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('end', () => other.end());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
