/** A way to a server of this machine, whose connections something can look at and cut. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Listens in the place of a server, and carries connections there. */
export class Carrier {
  /** The server's URL by way of it. */
  readonly url: string;
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();

  private constructor(url: string, server: Server, port: number) {
    this.url = url;
    this.#server = server;
    this.#port = port;
  }

  /** @param carry is given both ends of each connection, and passes on what comes */
  static async open(to: string, carry: (client: Socket, server: Socket) => void): Promise<Carrier> {
    const url = new URL(to);
    const port = Number(url.port);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port');
    url.port = String(address.port);
    const carrier = new Carrier(url.href, server, port);
    server.on('connection', (client) => carry(client, carrier.#behind(client)));
    return carrier;
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  /** The server's end; each ends with the other. */
  #behind(client: Socket): Socket {
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
    return server;
  }
}
