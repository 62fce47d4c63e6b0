/** Changes of keys, by keyspace notifications: lost while nobody is connected. Spec: workflows.md §5, `dataChange`. */

import { notAllowed } from '../../../../kinds/allow.ts';
import type { AllowGuard } from '../../../../kinds/redis/allow-guard.ts';
import { fromReply } from '../../../../kinds/redis/dialect/errors.ts';
import { utf8Of } from '../../../../kinds/redis/replies/natural.ts';
import { ReplyError, ReplyMap } from '../../../../kinds/redis/reply-value.ts';
import type {
  Change,
  ChangeBatch,
  ChangeFault,
  Changes,
  ChangesLag,
  ChangesRequest,
  PreparedChanges,
} from '../../../../proto/changes.ts';
import type { Call } from '../../../../proto/driver.ts';
import { type ErrorDetails, GatewayError } from '../../../../proto/errors.ts';
import {
  BatchInMaking,
  CHANGE_MAX_BYTES,
  changeTooLarge,
  lacking,
  QUIET_MS,
} from '../../change-batch.ts';
import { holdConnection } from '../../hold.ts';
import type { RedisBackend } from '../run.ts';
import { sendOn } from '../send.ts';
import type { Settings } from '../settings.ts';
import { Events } from '../watch.ts';
import {
  channelOf,
  keyJson,
  type Notice,
  noticeOf,
  noticeText,
  operationOf,
} from './notifications.ts';
import { valueIn } from './values.ts';

const SETTING = 'notify-keyspace-events';
/** Classes of events that `A` stands for, of data that every server has. */
const CLASSES = ['g', '$', 'l', 's', 'h', 'z', 'x', 'e', 't'];
/** Most keys that are new and have no further notification yet: usually it comes at once. */
const NEW_MAX = 10_000;
/** The driver's ability to tell changes. Nothing is kept: there are no positions. */
export class RedisChanges implements Changes {
  readonly #backend: RedisBackend;
  readonly #settings: Pick<Settings, 'database' | 'topology'>;
  readonly #reading = new Set<string>();

  readonly #allowGuard: AllowGuard | undefined;

  constructor(
    backend: RedisBackend,
    settings: Pick<Settings, 'database' | 'topology'>,
    allowGuard?: AllowGuard,
  ) {
    this.#backend = backend;
    this.#settings = settings;
    this.#allowGuard = allowGuard;
  }

  /** @throws GatewayError BAD_REQUEST, FORBIDDEN */
  async prepareChanges({ collections }: ChangesRequest, call: Call): Promise<PreparedChanges> {
    for (const [at, { name }] of collections.entries()) {
      if (!this.#opens(name)) throw notAllowed('Key', name, `collections[${at}]`);
    }
    const faults: ErrorDetails[] = [];
    if (this.#settings.topology === 'cluster') {
      faults.push({ path: 'endpoint', message: OF_CLUSTER });
    }
    const flags = await this.#flags(call);
    if (flags !== undefined && !isEnough(flags)) {
      faults.push({ path: 'endpoint', message: lacks(flags, 'KEA') });
    }
    // Next to an `A` a server does not say whether there is an `n`.
    if (flags !== undefined && faults.length === 0 && !/[An]/.test(flags)) {
      for (const [at, { operations }] of collections.entries()) {
        const isOfNew = operations.every((operation) => operation === 'insert');
        if (isOfNew) faults.push({ path: `collections[${at}]`, message: lacks(flags, 'KEAn') });
      }
    }
    if (faults.length > 0) throw lacking(faults);
    return { position: '', mark: '' };
  }

  async *changes(
    request: ChangesRequest,
    _position: string | undefined,
    call: Call,
  ): AsyncGenerator<ChangeBatch> {
    const end = holdConnection(this.#backend.host);
    this.#reading.add(request.slot);
    try {
      // Those that were closed since tell nothing.
      const collections = request.collections.filter(({ name }) => this.#opens(name));
      const [first] = request.collections;
      if (first && collections.length === 0) throw notAllowed('Key', first.name, 'collections[0]');
      yield* this.#batches(
        { ...request, collections },
        { ...call, mode: 'read', resultMaxBytes: CHANGE_MAX_BYTES },
      );
    } finally {
      this.#reading.delete(request.slot);
      end();
    }
  }

  #opens(name: string): boolean {
    return this.#allowGuard === undefined || this.#allowGuard.opens(name);
  }

  acknowledgeChanges(slot: string): boolean {
    return this.#reading.has(slot);
  }

  async dropChanges(): Promise<boolean> {
    return false;
  }

  async changesLag(): Promise<ChangesLag> {
    return { bytes: 0, whole: true };
  }

  /** What the server notifies of; undefined where it does not say. */
  async #flags(call: Call): Promise<string | undefined> {
    const command = { type: 'config', args: ['GET', SETTING] };
    const [reply = null] = await sendOn(this.#backend.server, [command], call);
    const items = reply instanceof ReplyMap ? reply.items : Array.isArray(reply) ? reply : [];
    return reply instanceof ReplyError ? undefined : utf8Of(items[1] ?? null);
  }

  async *#batches(request: ChangesRequest, call: Call): AsyncGenerator<ChangeBatch> {
    const { server } = this.#backend;
    const { database } = this.#settings;
    const names = [...new Set(request.collections.map(({ name }) => name))];
    const link = await server.borrow([], call.signal);
    const events = new Events(link, noticeText);
    const leave = () => events.end(call.signal.reason);
    call.signal.addEventListener('abort', leave, { once: true });
    try {
      const args = names.map((name) => channelOf(database, name));
      const [reply] = await sendOn(link, [{ type: 'psubscribe', args }], call);
      if (reply instanceof ReplyError) throw fromReply(reply);
      yield { changes: [], faults: [], position: '' };
      const batches = new Batches(request, this.#backend, database, call);
      yield* batches.of(events);
    } finally {
      call.signal.removeEventListener('abort', leave);
      link.onPush = undefined;
      link.onLost = undefined;
      link.release(false);
    }
  }
}

/** Makes changes of notifications. */
class Batches {
  readonly #request: ChangesRequest;
  readonly #backend: RedisBackend;
  readonly #database: number;
  readonly #call: Call;
  /** Patterns and keys that the server has called new, and has not told more of. */
  readonly #new = new Set<string>();

  constructor(request: ChangesRequest, backend: RedisBackend, database: number, call: Call) {
    this.#request = request;
    this.#backend = backend;
    this.#database = database;
    this.#call = call;
  }

  async *of(events: Events): AsyncGenerator<ChangeBatch> {
    let next = nextOf(events);
    for (;;) {
      const batch = new BatchInMaking();
      let notice = await within(next, QUIET_MS);
      while (notice !== undefined) {
        const told = await this.#told(noticeOf(notice));
        if (told?.change) batch.add(told.change, told.change.after?.length ?? 0);
        batch.fault(...(told?.faults ?? []));
        next = nextOf(events);
        notice = batch.isFull || !events.hasMore ? undefined : await next;
      }
      yield batch.take('');
    }
  }

  async #told(
    notice: Notice,
  ): Promise<{ change?: Change; faults?: readonly ChangeFault[] } | undefined> {
    const { pattern, key, event } = notice;
    const name = Buffer.from(key).toString('latin1');
    const isNew = this.#new.delete(`${pattern} ${name}`);
    if (event === 'new' && this.#new.size < NEW_MAX) this.#new.add(`${pattern} ${name}`);
    const operation = operationOf(notice, isNew);
    if (operation === undefined) return undefined;
    const watched = this.#request.collections
      .filter((each) => channelOf(this.#database, each.name) === pattern)
      .filter(({ operations }) => operations.includes(operation))
      .map((each) => each.name);
    if (watched.length === 0) return undefined;
    try {
      const after =
        operation === 'delete' ? undefined : await valueIn(this.#backend.server, key, this.#call);
      const time = new Date().toISOString();
      const told = { id: '', collection: utf8Of(key) ?? name, watched, operation, time, mark: '' };
      return { change: { ...told, key: Buffer.from(keyJson(key)), ...(after && { after }) } };
    } catch (error) {
      if (!(error instanceof GatewayError && error.code === 'RESULT_TOO_LARGE')) throw error;
      return { faults: changeTooLarge(watched) };
    }
  }
}

const OF_CLUSTER =
  'The endpoint is a cluster, whose nodes each notify of their own keys alone: changes are told of one server, or of one behind sentinels';

function isEnough(flags: string): boolean {
  const isWhole = flags.includes('A') || CLASSES.every((each) => flags.includes(each));
  return flags.includes('K') && isWhole;
}

function lacks(flags: string, wanted: string): string {
  return `${SETTING} of the server is "${flags}", and must be ${wanted}: CONFIG SET ${SETTING} ${wanted}, and the same line in redis.conf; a managed server has it as a parameter of its parameter group`;
}

/** Asks for what is next before it is waited for: the events may end while a batch is being stored, and nobody waits. */
function nextOf(events: Events): Promise<Uint8Array> {
  const next = events.next();
  next.catch(() => {});
  return next;
}

/** What comes within a time; it can be asked for again later. */
async function within<Value>(next: Promise<Value>, ms: number): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([next, promise]);
  } finally {
    clearTimeout(timer);
  }
}
