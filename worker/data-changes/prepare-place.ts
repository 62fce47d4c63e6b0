/** Has a backend keep changes of collections for the endpoint, as many of them as it can. */
import { type ErrorDetails, GatewayError } from '../../proto/errors.ts';
import type { RelayChanges } from '../calls/backend/changes.ts';
import type { StreamPosition } from './changes-store.ts';
import type { ChangesContext } from './context.ts';
import type { WatchedCollection } from './object.ts';

/** Milliseconds after which a backend that cannot be reached is left with what it keeps. Spec silent. */
export const GIVEN_UP_MS = 7 * 24 * 3600 * 1000;

/** What is kept then, and why some collections are not. */
interface PreparedPlace {
  readonly place: StreamPosition;
  /** Messages by the names of the collections that cannot be watched. */
  readonly faulty: ReadonlyMap<string, string>;
  /** Changes that were committed before have no greater one; empty where the backend has none. */
  readonly mark: string;
}

/**
 * Has these collections kept, and notes where their changes are told after. Those that cannot be
 * watched are left out, where `isNeeded` does not name them.
 * @throws GatewayError as `RelayChanges.prepare` does; of a fault of a needed one, or of the server
 */
export async function preparePlace(
  { kept }: ChangesContext,
  changes: RelayChanges,
  collections: readonly WatchedCollection[],
  isNeeded: (name: string) => boolean = () => false,
): Promise<PreparedPlace> {
  const faulty = new Map<string, string>();
  kept.set('made', true);
  let mark = '';
  for (;;) {
    const wanted = collections.filter(({ name }) => !faulty.has(name));
    const refused = await changes.prepare(wanted).then(
      (prepared) => {
        mark = prepared.mark;
        kept.set('place', placeOf(kept.get('place'), prepared.position, wanted));
      },
      (thrown: unknown) => passable(thrown, wanted, isNeeded),
    );
    const place = kept.get('place');
    if (refused === undefined && place) return { place, faulty, mark };
    for (const [name, message] of refused ?? []) faulty.set(name, message);
  }
}

/** What follows a place that is there goes on from it. */
function placeOf(
  before: StreamPosition | undefined,
  position: string,
  collections: readonly WatchedCollection[],
): StreamPosition {
  if (before) return { ...before, collections };
  return { position, generation: crypto.randomUUID().slice(0, 8), collections };
}

/** The collections that can be left out, so that the others are kept. @throws what was thrown, where there are none */
function passable(
  thrown: unknown,
  wanted: readonly WatchedCollection[],
  isNeeded: (name: string) => boolean,
): readonly (readonly [name: string, message: string])[] {
  const found = thrown instanceof GatewayError ? collectionFaults(thrown, wanted) : [];
  const others = found.flatMap(({ name, message }) =>
    name === undefined || isNeeded(name) ? [] : [[name, message] as const],
  );
  if (others.length === 0 || others.length < found.length || others.length >= wanted.length) {
    throw thrown;
  }
  return others;
}

/** A fault that a backend has told: of a collection, or of the server. */
interface CollectionFault {
  /** Undefined of the server or the credential. */
  readonly name: string | undefined;
  readonly message: string;
}

/** The faults of a refusal, each with the collection that it is about. */
export function collectionFaults(
  { code, details }: GatewayError,
  wanted: readonly WatchedCollection[],
): readonly CollectionFault[] {
  if (code !== 'BAD_REQUEST') return [];
  return details.flatMap((detail) => faultOf(detail, wanted));
}

function faultOf(detail: ErrorDetails, wanted: readonly WatchedCollection[]): CollectionFault[] {
  if (!('path' in detail) || typeof detail.path !== 'string') return [];
  const { path, message } = detail;
  const at = /^collections\[(\d+)\]/.exec(path)?.[1];
  const told = typeof message === 'string' ? message : 'cannot be watched';
  return [{ name: at === undefined ? undefined : wanted[Number(at)]?.name, message: told }];
}
