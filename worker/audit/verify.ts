/** Holds an export of an audit chain against earlier heads: what was edited, removed, moved or cut off. */

import type { JWK } from 'jose';
import { revealed } from '../shapes/visible.ts';
import { type AuditEntry, isSigned, type Link, linkOf, type SignedHead, START } from './hash.ts';

/** What is verified. */
interface Evidence {
  /** As `GET /audit` lists them: newest first, those not chained yet before all others. */
  readonly entries: readonly AuditEntry[];
  /** Heads that were kept earlier; at least one. */
  readonly heads: readonly SignedHead[];
  /** What `GET /audit` gives as the place from which on entries remain; believed only with a key. */
  readonly removed?: SignedHead | undefined;
  /** The gateway's public keys; without any no signature is checked. */
  readonly keys: readonly JWK[];
}

/** One thing that is not as the gateway wrote it. */
interface ChainFault {
  /** The number of the entry where it shows. */
  readonly seq: number;
  readonly message: string;
}

/** The outcome; the chain is whole when there are no faults. */
export interface Verdict {
  readonly faults: readonly ChainFault[];
  /** The first and last chained entries; `undefined` when there are none. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Entries that are not chained yet: nothing vouches for them. */
  readonly unchained: number;
  /** Up to this number a head vouches for the entries; those after it are only consistent. */
  readonly vouched: number;
}

/** An entry that has its place in the chain. */
type Chained = AuditEntry & Link;

/** Compares; never throws for what an export holds. */
export async function verify(evidence: Evidence): Promise<Verdict> {
  const { entries, heads } = evidence;
  const oldestFirst = entries.toReversed();
  const chained = oldestFirst.filter(isChained);
  const [first] = chained;
  const last = chained.at(-1);
  const faults = [...straysIn(oldestFirst)];
  const orgUuid = (first ?? entries[0])?.org_uuid ?? '';
  faults.push(...(await forgeriesIn(evidence, orgUuid)));
  const { start, fault } = await startOf(evidence, first, orgUuid);
  if (fault) faults.push(fault);
  faults.push(...(await breaksIn(chained, start)));
  for (const head of heads) faults.push(...missedBy(head, chained, start));
  const vouching = heads.map(({ seq }) => seq).filter((seq) => seq <= (last?.seq ?? start.seq));
  return {
    faults: faults.toSorted((a, b) => a.seq - b.seq),
    first: first?.seq,
    last: last?.seq,
    unchained: entries.length - chained.length,
    vouched: Math.max(0, ...vouching),
  };
}

function isChained(entry: AuditEntry): entry is Chained {
  return entry.seq !== null && entry.hash !== null;
}

/** Entries of another organization, and entries without a number among those with one. */
function* straysIn(oldestFirst: readonly AuditEntry[]): Generator<ChainFault> {
  const lastChained = oldestFirst.findLastIndex(isChained);
  let seq = 0;
  for (const [at, entry] of oldestFirst.entries()) {
    seq = entry.seq ?? seq;
    if (entry.org_uuid !== oldestFirst[0]?.org_uuid) {
      yield { seq, message: 'is of another organization than the first' };
    }
    if (at < lastChained && !isChained(entry)) {
      yield { seq, message: 'is followed by an entry without a number or hash' };
    }
  }
}

/** Heads whose signature is not of one of the keys. */
async function forgeriesIn({ heads, keys }: Evidence, orgUuid: string): Promise<ChainFault[]> {
  if (keys.length === 0 || orgUuid === '') return [];
  const faults: ChainFault[] = [];
  for (const head of heads) {
    if (await isSigned(head, orgUuid, 'newest', keys).catch(() => false)) continue;
    faults.push({ seq: head.seq, message: 'is named by a head that no given key has signed' });
  }
  return faults;
}

/** Where the export may rightly begin: at the first, or where retention says. A kept head is no such place. */
async function startOf(
  { removed, keys }: Evidence,
  first: Chained | undefined,
  orgUuid: string,
): Promise<{ start: Link; fault?: ChainFault }> {
  const trusted = removed && (await isSigned(removed, orgUuid, 'removed', keys).catch(() => false));
  if (first === undefined) return { start: (trusted && removed) || START };
  const before = first.seq - 1;
  if (before === START.seq) return { start: START };
  if (trusted && removed?.seq === before) return { start: removed };
  const message =
    removed?.seq === before && keys.length === 0
      ? 'is the first: give the public key to believe that retention removed those before it'
      : 'is the first: those before it are missing';
  return { start: { seq: before, hash: '' }, fault: { seq: first.seq, message } };
}

/** Numbers that do not follow each other, and hashes that are not those of their entries. */
async function breaksIn(chained: readonly Chained[], start: Link): Promise<ChainFault[]> {
  const faults: ChainFault[] = [];
  let before = start;
  for (const entry of chained) {
    const expected = before.seq + 1;
    if (entry.seq > expected) {
      const missing =
        entry.seq - expected === 1 ? `${expected} is` : `${expected} to ${entry.seq - 1} are`;
      faults.push({ seq: entry.seq, message: `follows ${before.seq}: ${missing} missing` });
    } else if (entry.seq < expected) {
      faults.push({ seq: entry.seq, message: `follows ${before.seq}: it is not in its place` });
    } else if (before.hash !== '') {
      if (!(await isLinked(entry, before))) {
        faults.push({ seq: entry.seq, message: 'is not what it was when it was chained' });
      }
    }
    before = entry;
  }
  return faults;
}

/** Whether the hash is that of the entry as it is shown, or of what was stored before hidden characters were written out. */
async function isLinked(entry: Chained, before: Link): Promise<boolean> {
  for (const each of [entry, asStored(entry)]) {
    const link = await linkOf(each, before).catch(() => undefined);
    if (link?.hash === entry.hash) return true;
  }
  return false;
}

function asStored(entry: Chained): Chained {
  const details = Object.entries(entry.details).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? revealed(value) : value,
  ]);
  return {
    ...entry,
    actor: revealed(entry.actor),
    resource: revealed(entry.resource),
    details: Object.fromEntries(details) as object,
  };
}

/** What a head knows and the export does not have, or has otherwise. */
function missedBy(head: SignedHead, chained: readonly Chained[], start: Link): ChainFault[] {
  const last = chained.at(-1)?.seq ?? start.seq;
  if (head.seq > last) {
    return [
      { seq: last, message: `is the last, but a head names ${head.seq}: the rest was cut off` },
    ];
  }
  const place = [start, ...chained].find(({ seq }) => seq === head.seq);
  // Older than what retention has left: the place it names is gone, and rightly.
  if (place === undefined && head.seq < start.seq) return [];
  if (place !== undefined && (place.hash === head.hash || place.hash === '')) return [];
  return [
    {
      seq: head.seq,
      message: 'is not the entry that a head names: it or one before it was changed',
    },
  ];
}
