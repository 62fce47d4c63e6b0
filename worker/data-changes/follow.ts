/**
 * Follows the changes of one endpoint: has the backend keep them, opens a line, stores what comes
 * before it is acknowledged, and opens another line when one is lost. Spec: workflows.md §5, `dataChange`.
 */
import { GatewayError } from '../../proto/errors.ts';
import type { ChangesResponse } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { RelayChanges } from '../calls/backend/changes.ts';
import { changesOf } from '../calls/backend/choose.ts';
import { loggedFault } from '../db/fault.ts';
import { log } from '../log.ts';
import { failureOf } from '../outcome.ts';
import { forgetBegun } from './beginning-marks.ts';
import { ChangeFeed } from './change-feed.ts';
import type { StreamPosition, TriggerError } from './changes-store.ts';
import { type ChangesContext, contextOf, covers, endpointOf, unionOf } from './context.ts';
import { chosenOf, noteFailure } from './match.ts';
import type { WatchedCollection } from './object.ts';
import { GIVEN_UP_MS, preparePlace } from './prepare-place.ts';
import type { KeptEndpoint, Watch, WatchingTrigger } from './store.ts';

/** Milliseconds until another line is tried: doubled each time, up to the longest. */
const AGAIN = { first: 250, most: 10_000 };
/** Bytes and changes that may wait before no more are taken: what is ready to be fired, and all with what waits for runs to end. */
const WAITING = { ready: 2_000, all: 200_000, bytes: 256 * 1024 * 1024 };
/** Milliseconds between two looks whether there is room in the organization's storage. */
const ROOM_MS = 5_000;
/** When a line counts as drained: it has brought nothing for so long; a busy one is not waited for longer than that. */
const DRAINED = { quietMs: 500, mostMs: 3_000, lookMs: 20 };

/** What following needs of the object. */
interface Follower {
  /** Something is there to be fired. */
  hasStored(): void;
  /** Whether the organization's storage has room for these bytes. */
  hasRoom(bytes: number): Promise<boolean>;
}

/** An endpoint that is there, and triggers that watch it. */
type Followed = Watch & { readonly endpoint: KeptEndpoint };

export class Following {
  readonly #around: ChangesContext;
  readonly #follower: Follower;
  #watch: Followed | undefined;
  #line: { readonly line: ChangeFeed; readonly of: string } | undefined;
  #failures = 0;
  #againAt = 0;
  /** Lets the batch that waits for room go on. */
  #wake = (): void => {};

  constructor(around: ChangesContext, follower: Follower) {
    this.#around = around;
    this.#follower = follower;
  }

  /** What is followed; undefined where nothing is, or it is not known yet. */
  get watch(): Followed | undefined {
    return this.#watch;
  }

  /** A trigger as it is in force; undefined where it starts nothing. */
  trigger(workflow: string, index: number): WatchingTrigger | undefined {
    return this.#watch?.triggers.find(
      (each) => each.workflow === workflow && each.index === index && each.isActive,
    );
  }

  /** Whether a line brings changes of all these. */
  brings(collections: readonly WatchedCollection[]): boolean {
    return (
      this.#line !== undefined &&
      this.#watch !== undefined &&
      covers(collectionsOf(this.#watch.triggers), collections)
    );
  }

  /** Takes note of what is wanted from now on. */
  set(watch: Followed | undefined): void {
    this.#watch = watch;
  }

  /** Follows as it is wanted now. What fails is tried again: the object is woken for it. */
  async follow(watch: Followed): Promise<void> {
    const of = JSON.stringify([
      watch.endpoint.row.poolRevision,
      watch.endpoint.row.backendProfile,
      collectionsOf(watch.triggers),
    ]);
    if (this.#line?.of === of && !this.#isWide(watch)) {
      this.#around.later(this.#line.line.check(contextOf(this.#around)));
      return;
    }
    if (this.#line) {
      this.close();
      this.#againAt = 0;
    }
    const wait = this.#againAt - Date.now();
    // Where the clock was put back, it would be longer than any.
    if (wait > 0 && wait <= AGAIN.most) {
      this.#around.arm(this.#againAt);
      return;
    }
    try {
      await this.#open(watch, of);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /** Whether the backend keeps more than is wanted, and nothing more is about to be stored. */
  #isWide({ triggers }: Followed): boolean {
    const { kept } = this.#around;
    const place = kept.get('place');
    const isHeld = (kept.get('heldUntil') ?? 0) > Date.now();
    return place !== undefined && !isHeld && !covers(collectionsOf(triggers), place.collections);
  }

  /** Waits until a line has brought what was committed before now, as far as that can be seen: until it is quiet. */
  async drained(): Promise<void> {
    if (!this.#line && this.#watch) await this.follow(this.#watch);
    const since = Date.now();
    for (let waited = 0; waited < DRAINED.mostMs; waited = Date.now() - since) {
      const { line } = this.#line ?? {};
      // What was quiet before may have something on its way.
      if (line === undefined || Math.min(waited, line.quietMs) >= DRAINED.quietMs) return;
      await scheduler.wait(DRAINED.lookMs);
    }
  }

  /** Ends the line, if there is one: nothing that it would have brought is lost. */
  close(): void {
    this.#line?.line.close();
    this.#line = undefined;
    this.#wake();
  }

  /** Something was fired: there may be room. */
  hasFired(): void {
    this.#wake();
  }

  async #open({ endpoint, triggers }: Followed, of: string): Promise<void> {
    const ctx = contextOf(this.#around);
    const found = endpointOf(ctx, this.#around.owner(), endpoint);
    const changes = await changesOf(ctx, found);
    const { place, faulty } = await this.#place(changes, triggers);
    const wanted = collectionsOf(triggers).filter(({ name }) => !faulty.has(name));
    for (const each of triggers) {
      const message = faulty.get(each.collection);
      if (message !== undefined) noteFailure(this.#around, each, { code: 'BAD_REQUEST', message });
    }
    if (wanted.length === 0)
      throw new GatewayError('BAD_REQUEST', 'None of the collections can be watched');
    const telling = await changes
      .open(wanted, place.position)
      .catch((thrown: unknown) => this.#lost(thrown));
    const line = new ChangeFeed(changes, telling, {
      take: (batch) => this.#take(line, batch),
      ended: (thrown) => {
        if (this.#line?.line === line) this.#line = undefined;
        if (isLost(thrown)) this.#begunAnew();
        this.#failed(thrown);
      },
    });
    this.#line = { line, of };
    this.#failures = 0;
    this.#around.later(line.run());
    const { kept } = this.#around;
    kept.set('left', undefined);
    for (const { workflow, index, collection } of triggers) {
      kept.trouble(workflow, index, undefined);
      if (!faulty.has(collection)) kept.clear(workflow, index, ['BAD_REQUEST', 'REQUEST_FAILED']);
    }
  }

  /** Where changes are told after, once the backend keeps all that is wanted and, unless a workflow is about to be stored, no more. */
  async #place(
    changes: RelayChanges,
    triggers: readonly WatchingTrigger[],
  ): Promise<{ readonly place: StreamPosition; readonly faulty: ReadonlyMap<string, string> }> {
    const { kept } = this.#around;
    const wanted = collectionsOf(triggers);
    const place = kept.get('place');
    const isHeld = (kept.get('heldUntil') ?? 0) > Date.now();
    const isKept = place && covers(place.collections, wanted);
    if (isKept && (isHeld || covers(wanted, place.collections)))
      return { place, faulty: new Map() };
    const all = isHeld && place ? unionOf(wanted, place.collections) : wanted;
    return preparePlace(this.#around, changes, all);
  }

  /** Stores what is to be fired, and where the log is read up to, as one; then it is acknowledged. */
  async #take(line: ChangeFeed, { changes, faults, position }: ChangesResponse): Promise<void> {
    const watch = this.#watch;
    const { kept, lanes, atOnce } = this.#around;
    const place = kept.get('place');
    if (watch === undefined || place === undefined) return;
    for (const { watched, message } of faults) this.#noteFault(watched, message);
    const { id: endpoint } = watch.endpoint.row;
    const { generation } = place;
    const chosen = await chosenOf(this.#around, changes, watch.triggers, { endpoint, generation });
    const bytes = chosen.reduce((sum, { sealed }) => sum + sealed.byteLength, 0);
    while (bytes > 0 && this.#line?.line === line && !(await this.#follower.hasRoom(bytes))) {
      await scheduler.wait(ROOM_MS);
    }
    // Another line reads on from what was stored.
    if (this.#line?.line !== line) return;
    const isStored = atOnce(() => {
      // Meanwhile it may have been made ready for more, or left for another database.
      const there = kept.get('place');
      if (there?.generation !== generation) return false;
      for (const each of chosen) lanes.add(each);
      kept.move(there, position);
      forgetBegun(kept, there, changes.at(-1)?.mark ?? '');
      return true;
    });
    if (!isStored) return;
    line.acknowledge(position);
    if (chosen.length > 0) this.#follower.hasStored();
    await this.#room(line);
  }

  /** Waits until little enough waits to be fired. */
  async #room(line: ChangeFeed): Promise<void> {
    for (;;) {
      const { ready, all, bytes } = this.#around.lanes.sizes();
      const isFull = ready > WAITING.ready || all > WAITING.all || bytes > WAITING.bytes;
      if (!isFull || this.#line?.line !== line) return;
      this.#noteFull(all);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** What waits longest holds all others back: that is told of it. */
  #noteFull(all: number): void {
    const { kept, lanes } = this.#around;
    const longest = lanes.longest();
    if (!longest) return;
    const { workflow, index, n } = longest;
    const message = `${n} changes of one key wait for runs to end, of ${all} that wait: no more of the endpoint are read meanwhile`;
    kept.trouble(workflow, index, { code: 'RATE_LIMITED', message });
  }

  #noteFault(watched: string, message: string): void {
    for (const each of this.#watch?.triggers ?? []) {
      if (each.collection === watched)
        noteFailure(this.#around, each, { code: 'REQUEST_FAILED', message });
    }
  }

  /** @throws what was thrown */
  #lost(thrown: unknown): never {
    if (isLost(thrown)) this.#begunAnew();
    throw thrown;
  }

  /** The backend no longer has what follows the place: changes are followed from now on, and that is told. */
  #begunAnew(): void {
    const { kept } = this.#around;
    const left = kept.get('left');
    kept.set('place', undefined);
    kept.set('left', undefined);
    // The database is another one: none of it was missed.
    if (left) kept.addDrop(left, false, Date.now() + GIVEN_UP_MS);
    else for (const each of this.#watch?.triggers ?? []) noteFailure(this.#around, each, LOST);
    this.#againAt = 0;
  }

  #failed(thrown: unknown): void {
    const wait = Math.min(AGAIN.most, AGAIN.first * 2 ** this.#failures);
    this.#failures += 1;
    this.#againAt = Date.now() + wait;
    this.#around.arm(this.#againAt);
    if (thrown === undefined) return;
    log('warn', 'changes of data are followed again', { in_ms: wait, ...loggedFault(thrown) });
    const { code, message } = failureOf(thrown);
    const { kept } = this.#around;
    for (const { workflow, index } of this.#watch?.triggers ?? [])
      kept.trouble(workflow, index, { code, message });
  }
}

/** What the triggers watch together. */
export function collectionsOf(triggers: readonly WatchingTrigger[]): readonly WatchedCollection[] {
  const all = triggers.map(({ collection, operations }) => ({ name: collection, operations }));
  const sorted = [...all].sort((one, other) => (one.name < other.name ? -1 : 1));
  return unionOf(sorted);
}

function isLost(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === 'NOT_FOUND';
}

const LOST: TriggerError = {
  code: 'NOT_FOUND',
  message:
    'The server no longer had all changes: some were missed, and they are followed from then on',
};
