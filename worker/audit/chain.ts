/**
 * The one owner of an organization's audit chain: numbers new entries in the order in which they
 * were written, signs the head, and removes what is too old. All it knows it reads from D1, and
 * what it computes follows from that alone; so a crash at any point, or a second instance during
 * a move, leads to the same chain. Architecture: "State at the edge".
 */
import { DurableObject } from 'cloudflare:workers';
import { type Bindings, databaseOf } from '../context.ts';
import type { AuditEntryRow, AuditHeadRow } from '../db/audit.ts';
import { auditLimits } from '../limits/quotas/audit.ts';
import { settingsOf } from '../settings.ts';
import type { NewEntry } from './entry.ts';
import { type HeadSort, type Link, linkOf, type SignedHead, START, signHead } from './hash.ts';
import type { AuditChainObject } from './object.ts';
import {
  deleteEntriesThrough,
  type Numbered,
  numberEntries,
  selectHead,
  selectLink,
  selectSpan,
  selectTail,
  selectUnchained,
  upsertHead,
} from './store.ts';
import { entryOnWire, headOnWire } from './wire.ts';
import { insertNotKept } from './write/store.ts';

/** Milliseconds from a poke to the numbering. */
const CHAIN_AFTER_MS = 500;
/** Milliseconds between two numberings while entries come. */
const CHAIN_EVERY_MS = 2_000;
/** Milliseconds to a second look: the batch of a change may end later than the poke for it came. */
const LOOK_AGAIN_MS = 2_000;
/** Milliseconds between two signed heads while entries come. */
const SIGN_EVERY_MS = 60_000;
/** Entries of one step. */
const STEP = 500;
/** Entries removed at once. */
const REMOVE_STEP = 5_000;

/** An organization's chain, as far as it is numbered. */
interface Chained {
  /** The last entry that has its number. */
  readonly tail: Link;
  /** The newest signed head. */
  readonly newest: AuditHeadRow | undefined;
}

/** Where an object keeps the organization it is named for. */
const ORGANIZATION = 'organization';

/** One per organization, by the name of its UUID. */
export class AuditChain extends DurableObject<Bindings> implements AuditChainObject {
  #last: Promise<unknown> = Promise.resolve();
  #looks = 0;
  /** Unix epoch milliseconds of the last numbering. */
  #chainedAt = 0;

  async poke(orgUuid: string): Promise<void> {
    this.#looks = 2;
    const { storage } = this.ctx;
    if ((await storage.get(ORGANIZATION)) !== orgUuid) await storage.put(ORGANIZATION, orgUuid);
    const planned = await storage.getAlarm();
    const now = Date.now();
    const rested = Math.min(this.#chainedAt + CHAIN_EVERY_MS, now + CHAIN_EVERY_MS);
    const at = Math.max(now + CHAIN_AFTER_MS, rested);
    if (planned === null || planned > at) await storage.setAlarm(at);
  }

  /** Numbers what is new, signs the head when it is time, and plans the next look. */
  override async alarm(): Promise<void> {
    const orgUuid = await this.ctx.storage.get<string>(ORGANIZATION);
    if (orgUuid === undefined) return;
    this.#looks -= 1;
    this.#chainedAt = Date.now();
    const signAt = await this.#inTurn(async () =>
      this.#signWhenDue(orgUuid, await this.#chain(orgUuid)),
    );
    const lookAt = this.#looks > 0 ? Date.now() + LOOK_AGAIN_MS : undefined;
    const times = [signAt, lookAt].filter((each) => each !== undefined);
    if (times.length > 0) await this.ctx.storage.setAlarm(Math.min(...times));
  }

  head(orgUuid: string): Promise<SignedHead> {
    return this.#inTurn(async () => {
      const { tail, newest } = await this.#chain(orgUuid);
      if (newest && newest.seq === tail.seq && newest.hash === tail.hash) return headOnWire(newest);
      return this.#sign(orgUuid, tail);
    });
  }

  removeOlderThan(orgUuid: string, cutoff: number): Promise<void> {
    return this.#inTurn(async () => {
      const [span] = await selectSpan(this.#db, orgUuid, cutoff);
      if (!span?.first || !span.last) return;
      const through = span.young === null ? span.last : span.young - 1;
      for (let seq = span.first - 1; seq < through; ) {
        seq = Math.min(seq + REMOVE_STEP, through);
        await this.#removeThrough(orgUuid, seq);
      }
    });
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  get #db() {
    return databaseOf(this.env);
  }

  /** One after the other: what one reads, no other changes meanwhile. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Numbers what is new; answers the last entry that has its number then, and the newest signed head. */
  async #chain(orgUuid: string): Promise<Chained> {
    for (;;) {
      const { unchained, ...found } = await this.#look(orgUuid);
      if (unchained.length === 0) return found;
      const { numbered, last } = await numberAfter(found.tail, unchained);
      await numberEntries(this.#db, orgUuid, numbered);
      if (unchained.length < STEP) return { ...found, tail: last };
    }
  }

  /** In one trip: an entry tells of those that there was no room for, and all that numbering goes by is read. */
  async #look(orgUuid: string) {
    const db = this.#db;
    const [, , [tail], [removed], [newest], unchained] = await db.batch([
      ...insertNotKept(db, notKept(orgUuid), auditLimits(settingsOf(this.env))),
      selectTail(db, orgUuid),
      selectHead(db, orgUuid, 'removed'),
      selectHead(db, orgUuid, 'newest'),
      selectUnchained(db, orgUuid, STEP),
    ]);
    // Where retention has removed the last entry too, what is kept of it.
    const before = removed ? { seq: removed.seq, hash: removed.hash } : START;
    const link = tail?.seq && tail.hash ? { seq: tail.seq, hash: tail.hash } : before;
    return { tail: link, newest, unchained };
  }

  /** When the head is to be signed; `undefined` when it is. */
  async #signWhenDue(orgUuid: string, { tail, newest }: Chained): Promise<number | undefined> {
    if ((newest?.seq ?? 0) === tail.seq) return undefined;
    const due = newest ? newest.time + SIGN_EVERY_MS : 0;
    const now = Date.now();
    if (due > now) return Math.min(due, now + SIGN_EVERY_MS);
    await this.#sign(orgUuid, tail);
    return undefined;
  }

  async #sign(orgUuid: string, link: Link): Promise<SignedHead> {
    const head = await this.#signed(orgUuid, link, 'newest');
    await upsertHead(this.#db, orgUuid, rowOf(head, 'newest'));
    return head;
  }

  #signed(orgUuid: string, link: Link, sort: HeadSort): Promise<SignedHead> {
    const { GATEWAY_KEY } = settingsOf(this.env);
    return signHead(GATEWAY_KEY, orgUuid, link, { sort, now: Date.now() });
  }

  async #removeThrough(orgUuid: string, seq: number): Promise<void> {
    const [last] = await selectLink(this.#db, orgUuid, seq);
    if (!last?.hash) return;
    const link = { seq, hash: last.hash };
    const head = await this.#signed(orgUuid, link, 'removed');
    await this.#db.batch([
      upsertHead(this.#db, orgUuid, rowOf(head, 'removed')),
      deleteEntriesThrough(this.#db, orgUuid, seq),
    ]);
  }
}

/** Tells how often no entry was kept. */
function notKept(orgUuid: string): NewEntry {
  return {
    orgUuid,
    time: Date.now(),
    actor: 'gateway',
    action: 'audit.not_kept',
    resource: `organization:${orgUuid}`,
    outcome: 'denied',
    address: '',
    requestId: '',
    details: { code: 'QUOTA_EXCEEDED' },
    repeats: 1,
  };
}

async function numberAfter(
  tail: Link,
  unchained: readonly { readonly position: number; readonly row: AuditEntryRow }[],
): Promise<{ numbered: Numbered[]; last: Link }> {
  const numbered: Numbered[] = [];
  let last = tail;
  for (const { position, row } of unchained) {
    const link = await linkOf(entryOnWire(row), last);
    numbered.push({ position, ...link, prevHash: last.hash });
    last = link;
  }
  return { numbered, last };
}

function rowOf(head: SignedHead, sort: HeadSort): Omit<AuditHeadRow, 'orgUuid'> {
  const { seq, hash, time, key_id, signature } = head;
  return { sort, seq, hash, time: Date.parse(time), keyId: key_id, signature };
}
