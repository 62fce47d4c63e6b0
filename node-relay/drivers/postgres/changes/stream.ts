/** Reads a slot: batches of changes in the order of their commits, each with where to go on after it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type {
  ChangeBatch,
  ChangeFault,
  ChangesRequest,
  WatchedCollection,
} from '../../../../proto/changes.ts';
import type { Call } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { BatchInMaking, changeTooLarge, QUIET_MS } from '../../change-batch.ts';
import type { Database } from '../database.ts';
import { type Message, readPluginMessage, relationOfBeginning } from './messages.ts';
import {
  type ChangePlace,
  changeText,
  isAfter,
  type Lsn,
  markOf,
  type Position,
  positionText,
} from './position.ts';
import { endReader } from './prepare.ts';
import { publicationsOf, publish } from './publications.ts';
import type { Replication, Streamed } from './replication.ts';
import { changeOf, fullName, isGone, type StreamedTable } from './rows.ts';
import type { LookedUp } from './tables.ts';

/** How often it is looked whether all tables are published, in milliseconds. */
const RECONCILE_MS = 30_000;
/** Milliseconds after a warning of the server until that is looked: it may warn of each change again. */
const WARNED_MS = 200;
/** Milliseconds between attempts at a slot that another reader has, and attempts until that one is ended and given up. */
const BUSY_MS = 200;
const BUSY_ENDS = 10;
const BUSY_MAX = 100;
/** From Unix's epoch to PostgreSQL's, in microseconds. */
const EPOCH_US = 946_684_800_000_000n;

/** What a reader works with. */
interface ReaderParts {
  readonly database: Database;
  readonly replication: Replication;
  readonly request: ChangesRequest;
  readonly call: Call;
}

interface Transaction {
  readonly commit: Lsn;
  readonly time: string;
  last: ChangePlace | undefined;
}

/** One subscription's reading of a slot. */
export class SlotReader {
  readonly #parts: ReaderParts;
  readonly #tables = new Map<number, StreamedTable>();
  #collections: readonly WatchedCollection[];
  #watchers = new Map<string, WatchedCollection[]>();
  readonly #batch = new BatchInMaking();
  #told = '';
  #position: Position = { whole: 0n };
  /** What an earlier reader has already reported of a transaction that it left in the middle. */
  #resumed: Position['within'];
  #transaction: Transaction | undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#collections = parts.request.collections;
  }

  /** Tells the server what is stored. */
  acknowledge({ whole }: Position): void {
    this.#parts.replication.store(whole);
  }

  /** Watches these from now on. */
  async watch(collections: readonly WatchedCollection[]): Promise<void> {
    this.#collections = collections;
    await this.#reconcile({ isNew: true });
  }

  /** Batches until the caller leaves. @throws GatewayError NOT_FOUND, CONNECTION_FAILED; DatabaseError */
  async *batches(from: Position): AsyncGenerator<ChangeBatch> {
    const { replication, call } = this.#parts;
    this.#position = from;
    this.#resumed = from.within;
    await this.#reconcile();
    await this.#start(from.whole);
    yield this.#take();
    let reconcileAt = performance.now() + RECONCILE_MS;
    for (;;) {
      const left = Math.max(0, reconcileAt - performance.now());
      const wait = Math.min(QUIET_MS, left);
      const streamed = await replication.next(call.signal, wait).catch((error: unknown) => {
        throw isGone(error) ? gone(error) : error;
      });
      const mayMove = streamed === undefined ? true : await this.#read(streamed);
      const now = performance.now();
      if (streamed?.is === 'warning') reconcileAt = Math.min(reconcileAt, now + WARNED_MS);
      if (now >= reconcileAt) {
        await this.#reconcile();
        reconcileAt = performance.now() + RECONCILE_MS;
      }
      const batch = this.#batch;
      const isDue = !batch.isEmpty && !replication.hasMore;
      if (!batch.isFull && !isDue && !mayMove && !batch.isQuiet) continue;
      yield this.#take();
    }
  }

  async #start(from: Lsn): Promise<void> {
    const { replication, request, call } = this.#parts;
    const { slot } = request;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await replication.start(slot, publicationsOf(slot), from, call.signal);
        return;
      } catch (error) {
        if (isGone(error)) throw gone(error);
        if (!isBusy(error)) throw error;
        if (attempt >= BUSY_MAX) throw busy(error);
        await this.#waitForOther(attempt);
      }
    }
  }

  /** Waits for the reader that has the slot, and ends it after a while: the one that asks now is to have it. */
  async #waitForOther(attempt: number): Promise<void> {
    const { database, call, request } = this.#parts;
    await sleep(BUSY_MS, undefined, { signal: call.signal });
    if (attempt % BUSY_ENDS !== 0) return;
    await database.call('write', call.signal, async (connection) => ({
      value: await endReader(connection, request.slot),
      traces: 'none',
    }));
  }

  /** Answers whether the reader should hear of the place now. */
  async #read(streamed: Streamed): Promise<boolean> {
    if (streamed.is === 'warning') return false;
    if (streamed.is === 'data') {
      await this.#message(streamed.lsn, readPluginMessage(streamed.body), streamed.body.length);
      return false;
    }
    if (streamed.is === 'oversize') {
      this.#oversize(streamed.lsn, streamed.beginning);
      return false;
    }
    // Within a transaction the server is further than what was told.
    if (this.#transaction === undefined && streamed.end > this.#position.whole) {
      this.#position = { whole: streamed.end, within: this.#resumed };
    }
    return streamed.asks;
  }

  async #message(lsn: Lsn, message: Message, bytes: number): Promise<void> {
    switch (message.is) {
      case 'begin':
        this.#transaction = { commit: message.commit, time: timeOf(message.time), last: undefined };
        return;
      case 'commit':
        this.#transaction = undefined;
        this.#position = { whole: message.end };
        this.#resumed = undefined;
        return;
      case 'relation':
        this.#tables.set(message.relation.id, await this.#table(message.relation));
        return;
      case 'insert':
      case 'update':
      case 'delete': {
        const place = this.#place(lsn);
        const table = this.#tables.get(message.relation);
        if (place === undefined || table === undefined) return;
        const change = changeOf(table, message, this.#watchers, this.#parts.database.shapes);
        if (change === undefined) return;
        const { time = '', commit = 0n } = this.#transaction ?? {};
        // A server that was restored comes to the same places at another time.
        const id = `${changeText(place)} ${time}`;
        this.#batch.add({ id, time, mark: markOf(commit), ...change }, bytes);
      }
    }
  }

  /** Moves on to the next change of the transaction; undefined where that was told before. */
  #place(lsn: Lsn): ChangePlace | undefined {
    const transaction = this.#transaction;
    if (transaction === undefined) return undefined;
    const { last, commit } = transaction;
    const place = { lsn, nth: last?.lsn === lsn ? last.nth + 1 : 0 };
    transaction.last = place;
    const resumed = this.#resumed;
    if (resumed?.commit === commit && !isAfter(place, resumed.change)) return undefined;
    this.#position = { whole: this.#position.whole, within: { commit, change: place } };
    return place;
  }

  #oversize(lsn: Lsn, beginning: Buffer): void {
    const id = relationOfBeginning(beginning);
    const table = this.#tables.get(id ?? -1);
    if (this.#place(lsn) === undefined || table === undefined) return;
    const watching = this.#watchers.get(fullName(table.relation)) ?? [];
    this.#batch.fault(...changeTooLarge(watching.map(({ name }) => name)));
  }

  async #table(relation: StreamedTable['relation']): Promise<StreamedTable> {
    const { database, call } = this.#parts;
    const { columns, identity, id } = relation;
    return database.call('write', call.signal, async (connection) => {
      const oids = columns.map(({ dataTypeID }) => dataTypeID);
      await database.types.learn(oids, (statement) => connection.rows(statement));
      let key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
      if (identity === 'f' || key.length === 0) {
        const rows = await connection.catalogRows({ text: PRIMARY_KEY, values: [String(id)] });
        const names = new Set(columns.map(({ name }) => name));
        const found = rows.map(([name]) => name ?? '').filter((name) => names.has(name));
        if (found.length > 0) key = found;
        else if (key.length === 0) key = [...names];
      }
      return { value: { relation, key: new Set(key) }, traces: 'none' };
    });
  }

  /**
   * Publishes tables that came, or came back, and reports those that are not there.
   * @param isNew that they were not published before is as it should be
   */
  async #reconcile({ isNew }: { readonly isNew: boolean } = { isNew: false }): Promise<void> {
    const { database, call, request } = this.#parts;
    const collections = this.#collections;
    const asked = { ...request, collections, allowGuard: database.allowGuard };
    const { looked, added } = await database.call('write', call.signal, async (connection) => ({
      value: await publish(connection, asked, { only: false }),
      traces: 'none',
    }));
    if (collections !== this.#collections) return;
    const watchers = new Map<string, WatchedCollection[]>();
    const faults: ChangeFault[] = [];
    for (const each of looked) {
      if ('fault' in each) faults.push({ watched: each.watched.name, message: each.fault });
      if ('isClosed' in each) continue;
      const name = 'table' in each ? fullName(each.table) : each.watched.name;
      watchers.set(name, [...(watchers.get(name) ?? []), each.watched]);
    }
    this.#watchers = watchers;
    const told = JSON.stringify(faults);
    if (told !== this.#told) this.#batch.fault(...faults);
    this.#told = told;
    if (!isNew) this.#batch.fault(...missed(looked, added));
  }

  #take(): ChangeBatch {
    return this.#batch.take(positionText(this.#position));
  }
}

/** What tables were not published for a while, although they are watched. */
function missed(looked: readonly LookedUp[], added: readonly string[]): ChangeFault[] {
  return looked.flatMap((each) =>
    'table' in each && added.includes(each.table.oid)
      ? [{ watched: each.watched.name, message: `${each.watched.name} ${UNPUBLISHED}` }]
      : [],
  );
}

const UNPUBLISHED =
  'was not published for a while: its publication was dropped or altered, or the table is another of that name. Changes of that time were missed; it is published from now on';

const PRIMARY_KEY = `SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
  WHERE i.indrelid = $1::oid AND i.indisprimary ORDER BY a.attnum`;

/** Microseconds of the server as ISO 8601. */
function timeOf(time: bigint): string {
  const us = time + EPOCH_US;
  const micro = String(us % 1_000_000n).padStart(6, '0');
  return `${new Date(Number(us / 1000n)).toISOString().slice(0, 19)}.${micro}Z`;
}

/** Another reader has the slot. */
function isBusy(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55006';
}

function gone(cause: unknown): GatewayError {
  const message =
    'The server no longer has the changes that were not told: their replication slot or publication was dropped, or kept more log than the server allows (max_slot_wal_keep_size)';
  return new GatewayError('NOT_FOUND', message, { cause });
}

function busy(cause: unknown): GatewayError {
  const message = 'Another node still reads the changes';
  return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 });
}
