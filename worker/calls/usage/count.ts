/** Counts calls to endpoints, and what was seen of their backends. */
import type { Mode } from '../../../proto/driver.ts';
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import type { ConnectionStatus } from '../../db/schema.ts';
import { Tally } from '../../db/tally.ts';
import { addUsage, type Counted } from './store.ts';

/** Failures that say how the backend is; after others nothing new is known of it. */
const SEEN: Partial<Record<ErrorCode, ConnectionStatus>> = {
  REQUEST_FAILED: 'available',
  CONSTRAINT_VIOLATED: 'available',
  RESULT_TOO_LARGE: 'available',
  CONNECTION_FAILED: 'unavailable',
};

const tally = new Tally<Counted>(addUsage);

/** Counts one call that was sent to an endpoint; `failure` is what it threw, if it did. */
export function countCall(ctx: Context, endpoint: string, mode: Mode, failure?: unknown): void {
  const { orgUuid } = ctx.caller;
  const status = statusAfter(failure);
  tally.count(ctx, `${orgUuid}:${endpoint}`, (before) => ({
    orgUuid,
    endpointUuid: endpoint,
    reads: (before?.reads ?? 0) + (mode === 'read' ? 1 : 0),
    writes: (before?.writes ?? 0) + (mode === 'write' ? 1 : 0),
    errors: (before?.errors ?? 0) + (failure === undefined ? 0 : 1),
    status: status ?? before?.status,
    connectedAt: status === 'available' ? ctx.now() : before?.connectedAt,
  }));
}

function statusAfter(failure: unknown): ConnectionStatus | undefined {
  if (failure === undefined) return 'available';
  return failure instanceof GatewayError ? SEEN[failure.code] : undefined;
}
