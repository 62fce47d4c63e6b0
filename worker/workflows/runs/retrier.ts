/** Who retried a run: what it does from then on needs their rights, too. Spec: workflows.md §6 "Whose rights". */
import { GatewayError } from '../../../proto/errors.ts';
import { type Authorized, authorize } from '../../access/access.ts';
import type { Context } from '../../context.ts';
import { type Endpoint, onEndpoint } from '../../endpoints/access.ts';
import { type Level, lowerOf } from '../../levels.ts';
import { refusalOf } from './call-failure.ts';

/**
 * Asks something of who retried a run, where somebody did.
 * @throws GatewayError what the question throws, of a right that is missing FORBIDDEN that says whose
 */
export async function demandOfRetrier<Answer>(
  retrier: Context | undefined,
  ask: (ctx: Context) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return retrier && (await ask(retrier));
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { code, message } = refusalOf(thrown);
    if (code !== 'FORBIDDEN') throw thrown;
    throw new GatewayError(code, `Who retried the run needs all rights of it: ${message}`, {
      details: thrown.details,
    });
  }
}

/**
 * What a run has on an endpoint, at most what who retried it has there.
 * @throws GatewayError FORBIDDEN where they have less than the level
 */
export async function boundByRetrier(
  retrier: Context | undefined,
  on: Authorized<Endpoint>,
  level: Level,
): Promise<Authorized<Endpoint>> {
  const params = { endpoint: on.resource.row.uuid };
  const theirs = await demandOfRetrier(retrier, (ctx) => authorize(ctx, onEndpoint(level), params));
  if (!theirs) return on;
  const { resource } = on;
  const { policy } = resource;
  const limit = policy.limit === undefined ? theirs.held : lowerOf(policy.limit, theirs.held);
  const bound = { ...resource, policy: { ...policy, limit } };
  return { ...on, resource: bound, policy: bound.policy, held: lowerOf(on.held, theirs.held) };
}
