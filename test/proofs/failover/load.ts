/** Reads and writes without a pause, each written down with how it ended. */
import { randomUUID } from 'node:crypto';
import type { Organization } from '../../organization.ts';

/** A call that has no answer by then has failed. */
const CALL_MAX_MS = 20_000;

/** One call. Times are on the clock of `performance`. */
export interface Called {
  readonly mode: 'read' | 'write';
  readonly began: number;
  readonly ended: number;
  /** 200, or the code of the refusal. */
  readonly outcome: string;
  /** What a write inserts. */
  readonly id: string;
}

/** A load that is under way. */
interface Load {
  readonly calls: readonly Called[];
  stop(): Promise<void>;
}

/**
 * Begins to load an endpoint with a table `done (id text)`, which has no key: what is written twice is there twice.
 * @param modes of each caller
 */
export function startLoad(
  organization: Organization,
  endpoint: string,
  modes: readonly Called['mode'][],
): Load {
  const calls: Called[] = [];
  let on = true;
  const one = async (mode: Called['mode']): Promise<void> => {
    const id = randomUUID();
    const body =
      mode === 'read'
        ? { query: 'select 1 as n' }
        : { query: 'insert into done (id) values ($1)', params: [id] };
    const began = performance.now();
    const outcome = await outcomeOf(organization, `/endpoints/${endpoint}/${mode}`, body);
    calls.push({ mode, began, ended: performance.now(), outcome, id });
  };
  const running = modes.map(async (mode) => {
    while (on) await one(mode);
  });
  return {
    calls,
    async stop() {
      on = false;
      await Promise.all(running);
    },
  };
}

async function outcomeOf(organization: Organization, path: string, body: object): Promise<string> {
  try {
    const signal = AbortSignal.timeout(CALL_MAX_MS);
    // biome-ignore lint/style/noRestrictedGlobals: to check each reply would take more than the calls that are timed.
    const response = await fetch(`${organization.gateway.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${organization.token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
      signal,
    });
    const reply = (await response.json()) as { code?: string };
    return response.status === 200 ? '200' : (reply.code ?? String(response.status));
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : 'lost';
  }
}
