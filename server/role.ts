/** What each of several runtimes behind one port is: the owner of D1 and the objects, or one that serves clients. */
import type { RuntimeSite } from '../worker/runtimes/runtime-site.ts';
import type { WorkerOptions as ReadOptions } from './bundle.ts';
import type { InnerSocket, Listening, RuntimeSocket } from './runtime.ts';

/** The one that has D1, the objects, the counters of limits, alarms and cron. No client reaches it. */
export interface OwnerRole {
  readonly is: 'owner';
  readonly name: 'owner';
  /** Path of the Unix socket on which the others reach it. */
  readonly path: string;
}

/** One of those that clients reach. */
export interface ServingRole {
  readonly is: 'serving';
  /** `1`, `2`, … */
  readonly name: string;
  readonly path: string;
  /** Path of the owner's socket. */
  readonly owner: string;
  /** Paths of the sockets of those that count metrics too, by their names. */
  readonly others: Readonly<Record<string, string>>;
}

export type Role = OwnerRole | ServingRole;

type WorkerOptions = ReadOptions['workerOptions'];

/** Where a runtime of that role listens; one alone has none. */
export function listeningOf(socket: RuntimeSocket, role: Role | undefined): Listening {
  if (role === undefined) return { socket };
  return role.is === 'owner' ? { inner: innerOf(role) } : { socket, inner: innerOf(role) };
}

function innerOf({ is, path }: Role): InnerSocket {
  return { entrypoint: is === 'owner' ? 'Owner' : 'Member', path };
}

/** The same as Miniflare is told it: where the wrapper has it listen is on the wrapper's command line. */
export function directSockets({ socket, inner }: Listening) {
  return [
    ...(socket === undefined ? [] : [{ host: socket.host, port: socket.port }]),
    ...(inner === undefined ? [] : [{ host: '127.0.0.1', port: 0, entrypoint: inner.entrypoint }]),
  ];
}

/** What wrangler.toml binds, with the owner's in the place of what a serving runtime has not. */
export function optionsOf(options: WorkerOptions, role: Role | undefined): WorkerOptions {
  if (role?.is !== 'serving') return options;
  const { d1Databases, durableObjects, ratelimits, ...kept } = options;
  const place: RuntimeSite = {
    name: role.name,
    others: Object.keys(role.others),
    objects: Object.keys(durableObjects ?? {}),
    limits: Object.keys(ratelimits ?? {}),
  };
  return {
    ...kept,
    bindings: { ...(kept.bindings ?? {}), PLACE: { ...place } },
    serviceBindings: {
      ...(kept.serviceBindings ?? {}),
      OWNER: unixService(role.owner),
      ...Object.fromEntries(
        Object.entries(role.others).map(([name, path]) => [`RUNTIME_${name}`, unixService(path)]),
      ),
    },
  };
}

function unixService(path: string) {
  return { external: { address: `unix:${path}`, http: {} } };
}
