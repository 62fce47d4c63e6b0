/** Whether changes that a workflow wants to follow can be: asked, and made ready, before it is stored. Spec: workflows.md §5, `dataChange`. */
import type { ChangeOperation } from '../../proto/changes.ts';
import { badRequest, type ErrorCode, type ErrorDetails, GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { refusal } from '../shapes/definition.ts';
import type { Owner } from '../workflows/runs/object.ts';
import { changesNameOf, type Prepared } from './object.ts';

/** A trigger that is to follow changes. */
export interface FollowingTrigger {
  /** Where it is in what the client sent, as `trigger.0`. */
  readonly path: string;
  /** UUID. */
  readonly endpoint: string;
  readonly collection: string;
  readonly operations: readonly ChangeOperation[];
}

/** A workflow that is to be active. */
interface ToBePrepared {
  /** UUID. */
  readonly uuid: string;
  readonly triggers: readonly FollowingTrigger[];
  /** Whether the request sets its status to `active`. */
  readonly activates: boolean;
}

/**
 * Has backends keep what the triggers are to follow: every change that is committed from then on is told,
 * once the workflow is stored.
 * @throws GatewayError BAD_REQUEST naming what a server lacks, with the path of the trigger; CONNECTION_FAILED, NODE_UNAVAILABLE, TIMED_OUT
 */
export async function prepareChanges(
  { env }: Context,
  owner: Owner,
  { uuid, triggers, activates }: ToBePrepared,
): Promise<void> {
  const byEndpoint = Map.groupBy(triggers, ({ endpoint }) => endpoint);
  const answers = await Promise.all(
    [...byEndpoint].map(async ([endpoint, own]) => {
      const collections = own.map(({ collection: name, operations }) => ({ name, operations }));
      const object = env.DATA_CHANGES.getByName(changesNameOf(owner.orgUuid, endpoint));
      const { orgUuid, orgId, sealedDataKey } = owner;
      const wanted = { workflow: uuid, collections, activates };
      const answer = await object.prepare({ orgUuid, orgId, sealedDataKey, endpoint }, wanted);
      return { answer, own };
    }),
  );
  const faults = answers.flatMap(({ answer, own }) => faultsOf(answer, own));
  if (faults.length > 0) throw refusal(faults);
}

/** Refusals that are about the endpoint that a trigger names. */
const AT_ENDPOINT: readonly ErrorCode[] = ['NOT_SUPPORTED', 'REQUEST_FAILED', 'ENDPOINT_NOT_FOUND'];

/** @throws GatewayError of what is not the fault of the definition or the server's settings */
function faultsOf(
  answer: Prepared,
  own: readonly FollowingTrigger[],
): { readonly path: string; readonly message: string }[] {
  if (answer.is === 'ready') return [];
  const { code, message, retryAfter } = answer;
  const details = JSON.parse(answer.details) as ErrorDetails[]; // As prepare-for.ts wrote it.
  const at = (path: string) => placeIn(path, own);
  if (AT_ENDPOINT.includes(code)) return [{ path: at('endpoint'), message }];
  if (code !== 'BAD_REQUEST') {
    throw new GatewayError(code, message, {
      details,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
  const found = details.flatMap((each) =>
    'path' in each && typeof each.path === 'string'
      ? [{ path: at(each.path), message: String(each.message) }]
      : [],
  );
  if (found.length === 0) throw badRequest(at('endpoint'), message);
  return found;
}

/** Where in the definition a fault is that names what was wanted. */
function placeIn(path: string, own: readonly FollowingTrigger[]): string {
  const index = /^collections\[(\d+)\]/.exec(path)?.[1];
  if (index === undefined) return `${own[0]?.path ?? 'trigger'}.endpoint`;
  return `${own[Number(index)]?.path ?? 'trigger'}.collection`;
}
