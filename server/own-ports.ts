/**
 * The ports on which the gateway itself listens, those of its runtime's innards too: no endpoint
 * may lead to them. Contract §5, "Addresses". Some are known only when everything listens, so edge
 * and relay read them from a file.
 */
import { subscribe } from 'node:diagnostics_channel';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { url as inspectorUrl } from 'node:inspector';
import type { Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { CHANGED_KEYS } from '../worker/runtimes/runtime-site.ts';
import type { DataFolder } from './data-folder.ts';

/** Servers that this process has begun to listen with, since this module was loaded. */
const servers = new Set<Server>();
subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const { server } = message as { server: Server }; // Node's documented message.
  servers.add(server);
  server.once('close', () => servers.delete(server));
});

/** Ports on which this process listens now. */
export function listeningPorts(): number[] {
  const ports = [...servers].flatMap((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? [address.port] : [];
  });
  const inspector = inspectorUrl();
  return inspector === undefined ? ports : [...ports, Number(new URL(inspector).port)];
}

/** Where edge and relay read them. */
export function ownPortsFile(folder: DataFolder): string {
  return join(folder.path, 'run/own.json');
}

/** Next to it: says to the worker that the runtime takes no more connections. worker/http/gate.ts */
export function drainedFile(own: string): string {
  return join(dirname(own), 'drained');
}

/** Next to it: says to a runtime that starts again that keys have changed since. worker/runtimes/keys.ts */
export function changedKeysFile(own: string): string {
  return join(dirname(own), CHANGED_KEYS);
}

/** Says that they are not known yet: until they are, nothing on this machine is reached, and no request answered. */
export async function forgetOwnPorts(folder: DataFolder): Promise<void> {
  const file = ownPortsFile(folder);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(file, { force: true });
  await rm(drainedFile(file), { force: true });
  await rm(changedKeysFile(file), { force: true });
  // Where a start was cut off while it handed keys over.
  await rm(join(dirname(file), 'keys.json'), { force: true });
}

/** Says which they are, and which addresses this machine has. */
export async function tellOwnPorts(folder: DataFolder, ports: readonly number[]): Promise<void> {
  const file = ownPortsFile(folder);
  const told = { ports: [...new Set(ports)], addresses: ownAddresses() };
  // In one step: a reader never sees half a file.
  await writeFile(`${file}.new`, JSON.stringify(told), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Addresses of this machine's network interfaces. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(
    (each) => each?.map(({ address }) => address.replace(/%.*$/, '')) ?? [],
  );
}
