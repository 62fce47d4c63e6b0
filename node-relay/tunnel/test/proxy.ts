/** A proxy before the gateway with a process for each connection. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

const PROCESS = join(import.meta.dirname, 'proxy-process.ts');
/** Started beforehand: a connection waits for none. More than any test needs. */
const PROCESSES = 8;

/** Starts one. @param port of the gateway, known once there is a connection */
export async function startProxies(port: () => number) {
  const waiting = Array.from({ length: PROCESSES }, () => fork(PROCESS, { stdio: 'ignore' }));
  await Promise.all(waiting.map((child) => once(child, 'message')));
  const processes: ChildProcess[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const child = waiting.shift();
    if (child === undefined) {
      socket.destroy();
      return;
    }
    processes.push(child);
    child.send(port(), socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** In the order of their connections. */
    processes,
    port: (server.address() as AddressInfo).port, // It listens on a port.
    stop(): void {
      for (const child of [...processes, ...waiting]) child.kill('SIGKILL');
      server.close();
    },
  };
}
