/** A TCP line that can be cut as a lost network cuts it: nothing arrives, and nothing is said. */
import { connect, createServer, type Socket } from 'node:net';

/** A proxy before one port. */
export interface DropProxy {
  readonly port: number;
  /** From now on what is sent stays where it is; connections are neither refused nor closed. */
  drop(): void;
  /** What was held up goes on, as TCP has it. */
  restore(): void;
  close(): void;
}

/** Listens on any free port of loopback. @param target asked for each connection */
export async function startDropProxy(target: () => number): Promise<DropProxy> {
  const sockets = new Set<Socket>();
  let isDropped = false;
  const add = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    if (isDropped) socket.pause();
  };
  const server = createServer((incoming) => {
    const outgoing = connect(target(), '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      add(from);
      from.on('data', (piece: Buffer) => to.write(piece));
      from.once('close', () => to.destroy());
      if (isDropped) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port');
  return {
    port: address.port,
    drop() {
      isDropped = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isDropped = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
