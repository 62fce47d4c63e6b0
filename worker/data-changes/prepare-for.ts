/** Has a backend keep changes for triggers that are about to be stored, besides those that are. Spec: workflows.md §5. */
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { changesOf } from '../calls/backend/choose.ts';
import { endpointNotFound } from '../endpoints/access.ts';
import { failureOf } from '../outcome.ts';
import { beginningOf, noteBegun } from './beginning-marks.ts';
import type { ChangesStore } from './changes-store.ts';
import { type ChangesContext, contextOf, covers, endpointOf, unionOf } from './context.ts';
import { collectionsOf } from './follow.ts';
import type { Prepared, WantedTriggers, WatchedCollection } from './object.ts';
import { collectionFaults, preparePlace } from './prepare-place.ts';
import type { Watch } from './store.ts';

/** Milliseconds for which what was made ready is held for a workflow that is to be stored. */
const HELD_MS = 60_000;

/**
 * Answers once every change that is committed from then on is kept, or why that cannot be. A workflow
 * that begins to be followed is told of no change before: where the backend has marks, that is noted.
 */
export async function prepareFor(
  around: ChangesContext,
  watch: Watch,
  wanted: WantedTriggers,
): Promise<Prepared> {
  const { kept } = around;
  try {
    if (!watch.endpoint) throw endpointNotFound(around.owner().endpoint);
    const ctx = contextOf(around);
    const now = Date.now();
    const place = kept.get('place');
    const isHeld = (kept.get('heldUntil') ?? 0) > now;
    const others = isHeld && place ? place.collections : [];
    const all = unionOf(wanted.collections, collectionsOf(watch.triggers), others);
    // Held before it is made: it is dropped, too, when this is the last that is heard.
    kept.set('heldUntil', now + HELD_MS);
    kept.keepOwn();
    const begins = beginning(kept, watch, wanted);
    if (!place || !covers(place.collections, all) || begins.length > 0) {
      const changes = await changesOf(ctx, endpointOf(ctx, around.owner(), watch.endpoint));
      const names = new Set(wanted.collections.map(({ name }) => name));
      const { mark } = await preparePlace(around, changes, all, (name) => names.has(name)).catch(
        (thrown: unknown) => {
          throw thrown instanceof GatewayError ? ofWanted(thrown, all, wanted.collections) : thrown;
        },
      );
      if (begins.length > 0) noteBegun(kept, begins, mark);
    }
    return { is: 'ready' };
  } catch (thrown) {
    const { code, message, details, retryAfter } = failureOf(thrown);
    const told = { is: 'refused', code, message, details: JSON.stringify(details) } as const;
    return retryAfter === undefined ? told : { ...told, retryAfter };
  }
}

/** What begins to be followed with this: the workflow, or those of its triggers that were paused for starting too much. */
function beginning(
  kept: ChangesStore,
  watch: Watch,
  { workflow, activates }: WantedTriggers,
): string[] {
  if (!activates) return [];
  const isFollowed = watch.triggers.some((each) => each.workflow === workflow && each.isActive);
  return isFollowed
    ? kept.pausedOf(workflow).map((index) => beginningOf(workflow, index))
    : [beginningOf(workflow)];
}

/** The refusal with paths of what was wanted, instead of those of all that were asked for. */
function ofWanted(
  thrown: GatewayError,
  all: readonly WatchedCollection[],
  wanted: readonly WatchedCollection[],
): GatewayError {
  const faults = collectionFaults(thrown, all);
  if (faults.length === 0) return thrown;
  const details = faults.flatMap(({ name, message }) => {
    if (name === undefined) return [{ path: 'endpoint', message }];
    return wanted.flatMap((each, at) =>
      each.name === name ? [{ path: `collections[${at}]`, message }] : [],
    );
  });
  if (details.length === 0) return badRequest('endpoint', thrown.message);
  return new GatewayError('BAD_REQUEST', thrown.message, { details, cause: thrown });
}
