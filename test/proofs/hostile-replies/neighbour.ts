/** Who shares the relay with the attacked: reads from a good server all the while, and must notice nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileKind, RealServer } from './kind.ts';
import type { Answer, TestedRelay } from './relay.ts';

/** A read that waits longer has failed, in milliseconds. */
const READ_MAX_MS = 15_000;
const EVERY_MS = 25;

/** Reads that are under way. */
export interface Neighbour {
  readonly reads: number;
  /** Milliseconds of the slowest. */
  readonly slowest: number;
  /** Answers what failed. */
  stop(): Promise<readonly string[]>;
}

/** Starts reading. @param real what the read answers */
export async function startNeighbour(
  kind: HostileKind,
  server: RealServer,
  relay: TestedRelay,
  real: Answer,
): Promise<Neighbour> {
  const [call] = kind.calls;
  const endpoint = await relay.endpoint(kind.kind, {
    connection: server.connection(server.host, server.port),
    settings: server.settings ?? {},
  });
  const faults: string[] = [];
  const figures = { reads: 0, slowest: 0 };
  let going = true;
  const read = async () => {
    while (going) {
      const started = performance.now();
      const answer = await endpoint.call(call, READ_MAX_MS);
      figures.reads += 1;
      figures.slowest = Math.max(figures.slowest, performance.now() - started);
      // With its relay a neighbour goes, too: that is told by itself.
      if (answer.failure === 'DIES') return;
      if (answer.text !== real.text) {
        faults.push(`the neighbour's read: ${answer.failure} ${answer.message} ${answer.text}`);
      }
      await sleep(EVERY_MS);
    }
  };
  const reading = read();
  return {
    get reads() {
      return figures.reads;
    },
    get slowest() {
      return figures.slowest;
    },
    async stop() {
      going = false;
      await reading;
      return faults;
    },
  };
}
