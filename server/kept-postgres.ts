/** A PostgreSQL server that is started again when it dies, at the same port: the demo's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './log.ts';
import { freePort } from './ports.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.ts';

/** What was left of a server that was killed goes within this time, or is waited for once more. Spec silent. */
const PAUSE_MS = 250;

/** A server that is kept running. */
export interface KeptPostgres {
  readonly port: number;
  /** In order, and for good. */
  stop(): Promise<void>;
}

/**
 * Starts a server and keeps it running.
 * @throws Failure when it does not start the first time
 */
export async function keepPostgres(options: PostgresOptions): Promise<KeptPostgres> {
  let server = await startPostgres(options);
  const { port } = server;
  let stopping = false;
  const again = async (): Promise<PostgresServer | undefined> => {
    while (!stopping) {
      await sleep(PAUSE_MS);
      try {
        // Another port would be another address, which no endpoint has.
        await freePort('127.0.0.1', port);
        return await startPostgres({ ...options, port });
      } catch (thrown) {
        log('warn', `The demo's PostgreSQL does not start: ${reasonOf(thrown)}`);
      }
    }
    return undefined;
  };
  const keep = async () => {
    while (!stopping) {
      const how = await server.ended;
      if (stopping) return;
      log('warn', "The demo's PostgreSQL ended; starting it again.", { how });
      server = (await again()) ?? server;
    }
  };
  const kept = keep();
  const stop = async () => {
    stopping = true;
    await server.stop();
    await kept;
    // One that came up meanwhile.
    await server.stop();
  };
  return { port, stop };
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
