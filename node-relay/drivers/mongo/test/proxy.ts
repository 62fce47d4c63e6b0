/** A way to a server that counts connections and can be cut, for tests. */
import { connect, createServer, type Socket } from 'node:net';

/** What monitors never send, and every connection that runs requests does first. */
const LOGIN = 'saslStart';

/** Carries connections to a server of this machine. */
export class TestProxy {
  /** The server's URL by way of the proxy. */
  readonly url: string;
  readonly #clients = new Map<Socket, { entered: boolean }>();
  readonly #close: () => void;
  /** Addresses that were ever connected from. */
  opened = 0;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  static async to(url: string): Promise<TestProxy> {
    const target = new URL(url);
    const port = Number(target.port);
    const server = createServer((client) => proxy.#carry(client, port));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy got no port');
    target.port = String(address.port);
    const proxy: TestProxy = new TestProxy(target.href, () => server.close());
    return proxy;
  }

  /** Connections that have logged in: those of pools, not of monitors. */
  get connections(): number {
    return [...this.#clients.values()].filter(({ entered }) => entered).length;
  }

  /** Cuts what is open; what comes later is carried. */
  cut(): void {
    for (const client of this.#clients.keys()) client.destroy();
  }

  close(): void {
    this.#close();
    this.cut();
  }

  #carry(client: Socket, port: number): void {
    this.opened += 1;
    const state = { entered: false };
    this.#clients.set(client, state);
    const server = connect(port, '127.0.0.1');
    client.on('data', (bytes) => {
      state.entered ||= bytes.includes(LOGIN);
    });
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#clients.delete(client);
        client.destroy();
        server.destroy();
      });
    }
  }
}
