/** The service's methods for changes of data: prepare, tell, acknowledge, end. Spec: workflows.md §5, `dataChange`. */
import {
  CHANGE_OPERATIONS,
  type Change,
  type ChangeBatch,
  type Changes,
  type ChangesRequest,
  type WatchedCollection,
} from '../proto/changes.ts';
import { type BackendClient, can } from '../proto/driver.ts';
import { badRequest } from '../proto/errors.ts';
import type { WatchedCollection as CollectionMessage } from '../proto/gen/relay/v1/relay_pb.ts';
import { callOf, notSupported, targetOf, using } from './backend-call.ts';
import type { Subject } from './calls.ts';
import type { RelayMethods, ServiceParts } from './service.ts';
import type { CallTarget } from './target.ts';

/** Most collections that one endpoint watches. Spec silent. */
const COLLECTIONS_MAX = 1_000;
const NONE = new Uint8Array();

/** The methods as Connect calls them. */
export function changesMethods({ calls, pools }: Pick<ServiceParts, 'calls' | 'pools'>) {
  return {
    prepareChanges: (request, context) =>
      calls.unary('PrepareChanges', context, async (signal, subject) => {
        const target = writeTargetOf(request.target, subject);
        const asked = askedOf(target, request.collections);
        return using(pools, target, ({ client }) =>
          changesOf(client).prepareChanges(asked, callOf({}, target, signal)),
        );
      }),

    changes: (request, context) =>
      calls.stream('Changes', context, async function* (signal, subject) {
        const target = writeTargetOf(request.target, subject);
        const asked = askedOf(target, request.collections);
        const after = request.position === '' ? undefined : request.position;
        const use = await pools.enter(target);
        try {
          const client = changesOf(use.client);
          const call = callOf({}, target, signal);
          for await (const batch of client.changes(asked, after, call)) yield messageOf(batch);
        } finally {
          use.leave();
        }
      }),

    acknowledgeChanges: (request, context) =>
      calls.unary('AcknowledgeChanges', context, async (_signal, subject) => {
        const target = writeTargetOf(request.target, subject);
        return using(pools, target, async ({ client }) => ({
          told: await changesOf(client).acknowledgeChanges(slotOf(target), request.position),
        }));
      }),

    dropChanges: (request, context) =>
      calls.unary('DropChanges', context, async (signal, subject) => {
        const target = writeTargetOf(request.target, subject);
        const found = await using(pools, target, ({ client }) =>
          changesOf(client).dropChanges(slotOf(target), callOf({}, target, signal)),
        );
        return { found };
      }),

    changesLag: (request, context) =>
      calls.unary('ChangesLag', context, async (signal, subject) => {
        const target = writeTargetOf(request.target, subject);
        const { bytes, whole } = await using(pools, target, ({ client }) =>
          changesOf(client).changesLag(slotOf(target), callOf({}, target, signal)),
        );
        return { bytes: BigInt(bytes), whole };
      }),
  } satisfies Partial<RelayMethods>;
}

function changesOf(client: BackendClient): BackendClient & Changes {
  if (!can(client, 'changes')) throw notSupported('changes to tell');
  return client;
}

/** What is kept is written at the backend. */
function writeTargetOf(message: Parameters<typeof targetOf>[0], subject: Subject): CallTarget {
  const target = targetOf(message, subject);
  if (target.mode !== 'write') throw badRequest('target.mode', 'must be write');
  return target;
}

function askedOf(target: CallTarget, messages: readonly CollectionMessage[]): ChangesRequest {
  if (messages.length === 0 || messages.length > COLLECTIONS_MAX) {
    throw badRequest('collections', `must be 1 to ${COLLECTIONS_MAX}`);
  }
  return { slot: slotOf(target), collections: messages.map(collectionOf) };
}

function collectionOf({ name, operations }: CollectionMessage, at: number): WatchedCollection {
  if (name === '') throw badRequest(`collections[${at}]`, 'has no name');
  const known = CHANGE_OPERATIONS.filter((each) => operations.includes(each));
  if (known.length !== new Set(operations).size) {
    throw badRequest(`collections[${at}]`, 'names an operation that is not known');
  }
  return { name, operations: known.length === 0 ? CHANGE_OPERATIONS : known };
}

/** Endpoints that reach one database have each their own. */
function slotOf({ endpoint, profile }: CallTarget): string {
  const id = endpoint.toLowerCase().replaceAll('-', '');
  return `causeway_${id}${profile === 'development' ? '_dev' : ''}`;
}

function messageOf({ changes, faults, position }: ChangeBatch) {
  return {
    changes: changes.map(messageOfChange),
    faults: [...faults],
    position,
  };
}

function messageOfChange({ watched, before, after, absent = [], keyOnly, ...change }: Change) {
  return {
    ...change,
    watched: [...watched],
    before: before ?? NONE,
    keyOnly: keyOnly ?? false,
    after: after ?? NONE,
    absent: [...absent],
  };
}
