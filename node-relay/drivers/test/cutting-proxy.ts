/** A way to a server that is cut when a client sends a certain text, for tests of what is then known. */
import { connect, createServer, type Socket } from 'node:net';

/** Carries connections to a server of this machine. */
export interface CuttingProxy {
  /** The server's URL by way of the proxy. */
  readonly url: string;
  /** Cuts the next connection that sends this text: before it reaches the server, or once the server has it but not its answer. */
  cutAt(text: string, when: 'before' | 'after'): void;
  /** How often clients have sent something. */
  readonly pieces: number;
  close(): void;
}

/** Milliseconds in which a server has done what it was told. */
const DONE_MS = 300;

/** Starts one. */
export async function cuttingProxy(to: string): Promise<CuttingProxy> {
  const target = new URL(to);
  const port = Number(target.port);
  const open = new Set<Socket>();
  let pieces = 0;
  let cut: { readonly text: string; readonly when: 'before' | 'after' } | undefined;
  const carry = (client: Socket): void => {
    const server = connect(port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', end);
    }
    server.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      pieces += 1;
      const due = cut !== undefined && bytes.includes(cut.text) ? cut : undefined;
      if (due === undefined) return void server.write(bytes);
      cut = undefined;
      if (due.when === 'before') return end();
      server.removeAllListeners('data').resume();
      server.write(bytes);
      setTimeout(end, DONE_MS);
    });
  };
  const listener = createServer(carry);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy got no port');
  target.port = String(address.port);
  return {
    url: target.href,
    get pieces() {
      return pieces;
    },
    cutAt: (text, when) => {
      cut = { text, when };
    },
    close: () => {
      listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}
