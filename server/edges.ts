/** Several runtimes behind one port: one that owns D1 and the objects, and those that clients reach. */
import { join } from 'node:path';
import { buildWorker } from './bundle.ts';
import { type Edge, HOLD_MAX_MS, startEdge } from './edge.ts';
import type { EdgeOptions } from './edge-options.ts';
import type { OwnerRole, Role, ServingRole } from './role.ts';

type Keys = Readonly<Record<string, string>>;

/** What the owner has at least to end in order, once nobody asks it any more. */
const OWNER_END_MS = 1_000;

/**
 * Starts so many runtimes behind the port, and for more than one an owner beside them.
 * @param sockets folder for the sockets by which they reach each other, this user's alone
 * @throws what `startEdge` throws; then none runs
 */
export async function startEdges(
  options: EdgeOptions,
  count: number,
  sockets: string,
): Promise<Edge> {
  if (count === 1) return startEdge(options);
  const built = await buildWorker(options.cache, undefined, 'runtimes');
  const roles = rolesOf(count, sockets);
  const starts = roles.map((role) => startEdge({ ...options, role }, built));
  const started = await Promise.allSettled(starts);
  const edges = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [owner, ...serving] = edges;
  if (owner === undefined || edges.length < roles.length) {
    await Promise.all(edges.map((edge) => edge.dispose()));
    throw started.find((each) => each.status === 'rejected')?.reason;
  }
  return together(owner, serving, options.bindings);
}

/** The owner's first. */
function rolesOf(count: number, sockets: string): Role[] {
  const pathOf = (name: string) => join(sockets, `runtime-${name}.sock`);
  const names = Array.from({ length: count }, (_, index) => String(index + 1));
  const owner: OwnerRole = { is: 'owner', name: 'owner', path: pathOf('owner') };
  const serving = names.map((name): ServingRole => {
    const others = ['owner', ...names].filter((other) => other !== name);
    return {
      is: 'serving',
      name,
      path: pathOf(name),
      owner: owner.path,
      others: Object.fromEntries(others.map((other) => [other, pathOf(other)])),
    };
  });
  return [owner, ...serving];
}

function together(owner: Edge, serving: readonly Edge[], bindings: Keys): Edge {
  const all = [owner, ...serving];
  let inForce = bindings;
  const tellAll = async (keys: Keys) => {
    // One after another: they read the same file.
    for (const edge of all) await edge.changeKeys(keys);
  };
  return {
    ...owner,
    innerPorts: all.flatMap(({ innerPorts }) => innerPorts),
    async announceStop(drainMs, holdMs) {
      await Promise.all(all.map((edge) => edge.announceStop(drainMs, holdMs)));
    },
    async changeKeys(keys) {
      await tellAll(beforeChange(inForce, keys));
      await tellAll(keys);
      inForce = keys;
    },
    async dispose(drainMs = 0) {
      const until = Date.now() + drainMs;
      if (drainMs > 0) await owner.announceStop(drainMs, HOLD_MAX_MS);
      await Promise.all(serving.map((edge) => edge.dispose(drainMs)));
      // Last: requests in flight ask it until their end.
      await owner.dispose(drainMs > 0 ? Math.max(until - Date.now(), OWNER_END_MS) : 0);
    },
  };
}

/** What one runtime signs or seals with it, another verifies or opens. */
const SHARED_KEYS = ['JWT_SECRET', 'INSTALLATION_KEY'];

/** Keys by which every runtime takes what the next ones make, before any runtime makes it with them. */
export function beforeChange(inForce: Keys, next: Keys): Keys {
  const swapped = SHARED_KEYS.flatMap((name) => {
    const [now = '', previous] = [inForce[name], `${name}_PREVIOUS`];
    return next[previous] === now
      ? Object.entries({ [name]: now, [previous]: next[name] ?? '' })
      : [];
  });
  return { ...next, ...Object.fromEntries(swapped) };
}
