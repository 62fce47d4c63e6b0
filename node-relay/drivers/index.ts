/** Drivers of the kinds that this relay serves: a new kind is a row here. */
import { setImmediate } from 'node:timers/promises';
import type { Driver } from './driver.ts';

/** Makes clients by a driver whose code is loaded when it is first needed. */
interface LateDriver extends Driver {
  load(): Promise<Driver>;
}

export const drivers = {
  mysql: late(async () => (await import('./mysql/index.ts')).mysql),
  postgres: late(async () => (await import('./postgres/index.ts')).postgres),
  clickhouse: late(async () => (await import('./clickhouse/index.ts')).clickhouse),
  mongo: late(async () => (await import('./mongo/index.ts')).mongo),
  cassandra: late(async () => (await import('./cassandra/index.ts')).cassandra),
  pinecone: late(async () => (await import('./pinecone/index.ts')).pinecone),
  http: late(async () => (await import('./http/index.ts')).http),
  redis: late(async () => (await import('./redis/index.ts')).redis),
} satisfies Record<string, LateDriver>;

/**
 * Loads the drivers that no call has loaded, one after another, so that calls get their turn.
 * Together they are a third of a relay's code: it is ready before they are there.
 */
export async function loadDrivers(): Promise<void> {
  for (const driver of Object.values(drivers)) {
    await driver.load();
    await setImmediate();
  }
}

let loading = 0;
let listener = (_isLoading: boolean): void => {};

/** Says from now on when code of drivers begins to be loaded, and when no more is: the loop does not turn meanwhile. */
export function onLoading(tell: (isLoading: boolean) => void): void {
  listener = tell;
}

function late(load: () => Promise<Driver>): LateDriver {
  let loaded: Promise<Driver> | undefined;
  const once = (): Promise<Driver> => {
    loaded ??= told(load).catch((cause: unknown) => {
      // The cause may pass, such as too many open files: the next call tries again.
      loaded = undefined;
      throw cause;
    });
    return loaded;
  };
  return { load: once, open: async (target, host) => (await once()).open(target, host) };
}

async function told(load: () => Promise<Driver>): Promise<Driver> {
  loading += 1;
  if (loading === 1) listener(true);
  try {
    return await load();
  } finally {
    loading -= 1;
    if (loading === 0) listener(false);
  }
}
