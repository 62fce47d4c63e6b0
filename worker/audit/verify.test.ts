/** What an export cannot hide from someone who kept a head. */
import { env } from 'cloudflare:test';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AuditEntry,
  type HeadSort,
  isSigned,
  type Link,
  linkOf,
  START,
  signHead,
} from './hash.ts';
import { verify } from './verify.ts';

const ORG = '6f1c1f6e-0d3e-4e54-9f55-3a2f0d9c9a01';
const NOW = Date.parse('2026-01-01T00:00:00Z');
const privateKey = JSON.parse(env.GATEWAY_KEY);
const keys = [JSON.parse(env.GATEWAY_PUBLIC_KEY)];
const OLD_HASH = /^[0-9a-f]{64}$/;

function bareEntry(at: number): AuditEntry {
  return {
    org_uuid: ORG,
    seq: null,
    time: new Date(NOW + at).toISOString(),
    actor: `user-${at % 3}`,
    action: 'endpoint.update',
    resource: 'endpoint:1',
    outcome: 'success',
    address: 'local',
    request_id: `request ${at}`,
    details: { id: 'orders', fields: ['description'] },
    repeats: 1,
    hash: null,
  };
}

/** As `GET /audit` would list them: newest first. */
async function chained(count: number, start: Link = START): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let before = start;
  for (let at = 0; at < count; at += 1) {
    const entry = bareEntry(at);
    before = await linkOf(entry, before);
    entries.unshift({ ...entry, ...before });
  }
  return entries;
}

/** The head at the time when the entry of that number was the last, or that retention left. */
async function headAt(entries: readonly AuditEntry[], seq: number, sort: HeadSort = 'newest') {
  const entry = entries.find((each) => each.seq === seq);
  return signHead(privateKey, ORG, { seq, hash: entry?.hash ?? START.hash }, { sort, now: NOW });
}

/** Hashes everything again from the oldest on, as an attacker with access to the database would. */
async function rehashed(entries: readonly AuditEntry[]): Promise<AuditEntry[]> {
  const made: AuditEntry[] = [];
  let before = START;
  for (const entry of entries.toReversed()) {
    before = await linkOf({ ...entry, seq: before.seq + 1 }, before);
    made.unshift({ ...entry, ...before });
  }
  return made;
}

const LENGTH = 12;
const whole = await chained(LENGTH);
const anyOf = fc.integer({ min: 0, max: LENGTH - 1 });
/** The number that the kept head names. */
const aHead = fc.integer({ min: 1, max: LENGTH });

async function faultsOf(entries: readonly AuditEntry[], headSeq: number) {
  const head = await headAt(whole, headSeq);
  return (await verify({ entries, heads: [head], keys })).faults;
}

describe('an export that nobody touched', () => {
  test('is whole under every earlier head, with and without a key', async () => {
    for (let seq = 0; seq <= LENGTH; seq += 1) {
      const heads = [await headAt(whole, seq)];
      const expected = { faults: [], first: 1, last: LENGTH, unchained: 0, vouched: seq };
      expect(await verify({ entries: whole, heads, keys })).toEqual(expected);
      expect(await verify({ entries: whole, heads, keys: [] })).toEqual(expected);
    }
  });

  test('tells how many entries are not chained yet', async () => {
    const entries = [bareEntry(20), bareEntry(19), ...whole];
    const verdict = await verify({ entries, heads: [await headAt(whole, 3)], keys });
    expect(verdict).toMatchObject({ faults: [], unchained: 2, last: LENGTH });
  });

  test('of nothing is whole under the head of an empty chain alone', async () => {
    const [empty, later] = [await headAt([], 0), await headAt(whole, 2)];
    expect((await verify({ entries: [], heads: [empty], keys })).faults).toEqual([]);
    expect((await verify({ entries: [], heads: [later], keys })).faults).toHaveLength(1);
  });
});

describe('found out, wherever it is done', () => {
  test('an edit of any member', async () => {
    const edit = fc.constantFrom<Partial<AuditEntry>>(
      { actor: 'someone else' },
      { time: new Date(NOW - 1).toISOString() },
      { action: 'endpoint.delete' },
      { resource: 'endpoint:2' },
      { outcome: 'denied' },
      { address: '192.0.2.1' },
      { request_id: 'another' },
      { details: {} },
      { details: { id: '\ud800' } },
      { repeats: 2 },
      { org_uuid: '00000000-0000-4000-8000-000000000000' },
      { hash: '1'.repeat(64) },
      { seq: 99 },
      { seq: null },
      { hash: null },
      JSON.parse('{"added": 1}'),
    );
    await fc.assert(
      fc.asyncProperty(anyOf, edit, aHead, async (at, change, headSeq) => {
        // The newest one made to look as if it waited for its number is a truncation.
        fc.pre(at > 0 || headSeq === LENGTH || !('hash' in change || 'seq' in change));
        const entries = whole.with(at, { ...(whole[at] ?? bareEntry(0)), ...change });
        expect(await faultsOf(entries, headSeq)).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('an edit of which all later hashes were made again', async () => {
    await fc.assert(
      fc.asyncProperty(anyOf, aHead, async (at, headSeq) => {
        const seq = LENGTH - at;
        fc.pre(seq <= headSeq);
        const edited = whole.with(at, { ...bareEntry(LENGTH), seq });
        expect(await faultsOf(await rehashed(edited), headSeq)).toEqual([
          {
            seq: headSeq,
            message: 'is not the entry that a head names: it or one before it was changed',
          },
        ]);
      }),
    );
  });

  test('a removal, which names what is missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: LENGTH - 2 }), aHead, async (at, headSeq) => {
        const [seq, missing] = [LENGTH - at + 1, LENGTH - at];
        const faults = await faultsOf(whole.toSpliced(at, 1), headSeq);
        expect(faults).toContainEqual({
          seq,
          message: `follows ${missing - 1}: ${missing} is missing`,
        });
      }),
    );
  });

  test('a removal of which all later entries were numbered and hashed again', async () => {
    await fc.assert(
      fc.asyncProperty(anyOf, aHead, async (at, headSeq) => {
        fc.pre(LENGTH - at <= headSeq);
        const entries = await rehashed(whole.toSpliced(at, 1));
        expect(await faultsOf(entries, headSeq)).not.toEqual([]);
      }),
    );
  });

  test('a change of order', async () => {
    await fc.assert(
      fc.asyncProperty(anyOf, anyOf, aHead, async (one, other, headSeq) => {
        fc.pre(one !== other);
        const [a, b] = [whole[one] ?? bareEntry(0), whole[other] ?? bareEntry(0)];
        expect(await faultsOf(whole.with(one, b).with(other, a), headSeq)).not.toEqual([]);
      }),
    );
  });

  test('an entry twice', async () => {
    await fc.assert(
      fc.asyncProperty(anyOf, aHead, async (at, headSeq) => {
        const entries = whole.toSpliced(at, 0, whole[at] ?? bareEntry(0));
        expect(await faultsOf(entries, headSeq)).not.toEqual([]);
      }),
    );
  });

  test('entries cut off at the new end, behind the head', async () => {
    await fc.assert(
      fc.asyncProperty(aHead, fc.nat(LENGTH - 1), async (headSeq, left) => {
        fc.pre(left < headSeq);
        const entries = whole.slice(LENGTH - left);
        expect(await faultsOf(entries, headSeq)).toEqual([
          {
            seq: left,
            message: `is the last, but a head names ${headSeq}: the rest was cut off`,
          },
        ]);
      }),
    );
  });

  test('entries cut off at the old end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: LENGTH - 1 }), aHead, async (left, headSeq) => {
        expect(await faultsOf(whole.slice(0, left), headSeq)).not.toEqual([]);
      }),
    );
  });
});

describe('where retention removed entries', () => {
  const REMOVED = 5;

  test('the chain begins at the place that the gateway signed', async () => {
    const removed = await headAt(whole, REMOVED, 'removed');
    const entries = whole.slice(0, LENGTH - REMOVED);
    for (const seq of [2, REMOVED, LENGTH]) {
      const heads = [await headAt(whole, seq)];
      expect(await verify({ entries, heads, removed, keys })).toMatchObject({ faults: [] });
    }
  });

  test.each([
    ['of another place', () => headAt(whole, REMOVED + 1, 'removed')],
    ['that was a newest head once', () => headAt(whole, REMOVED)],
    [
      'signed by nobody',
      async () => ({ ...(await headAt(whole, REMOVED, 'removed')), signature: 'AAAA' }),
    ],
    [
      'signed for another organization',
      async () => {
        const { seq, hash } = await headAt(whole, REMOVED);
        return signHead(privateKey, 'another', { seq, hash }, { sort: 'removed', now: NOW });
      },
    ],
  ])('a place %s is not believed', async (_what, make) => {
    const entries = whole.slice(0, LENGTH - REMOVED);
    const heads = [await headAt(whole, LENGTH)];
    const { faults } = await verify({ entries, heads, removed: await make(), keys });
    expect(faults).toEqual([
      { seq: REMOVED + 1, message: 'is the first: those before it are missing' },
    ]);
  });

  test('no place is believed without a key', async () => {
    const removed = await headAt(whole, REMOVED, 'removed');
    const entries = whole.slice(0, LENGTH - REMOVED);
    const heads = [await headAt(whole, LENGTH)];
    const { faults } = await verify({ entries, heads, removed, keys: [] });
    expect(faults[0]?.message).toContain('give the public key');
  });
});

describe('a head', () => {
  test('is refused under a key that is not the gateway’s', async () => {
    const head = await headAt(whole, 3);
    const forged = { ...head, hash: '2'.repeat(64) };
    expect(await isSigned(head, ORG, 'newest', keys)).toBe(true);
    expect(await isSigned(forged, ORG, 'newest', keys)).toBe(false);
    const { faults } = await verify({ entries: whole, heads: [forged], keys });
    expect(faults.map(({ message }) => message)).toContain(
      'is named by a head that no given key has signed',
    );
  });

  test('is the same for the same entries, whatever the order of their members', async () => {
    const [entry = bareEntry(0)] = whole;
    const turned = Object.fromEntries(Object.entries(entry).toReversed());
    const before = { seq: LENGTH - 1, hash: whole[1]?.hash ?? '' };
    expect(entry.hash).toMatch(OLD_HASH);
    expect(await linkOf(turned as unknown as AuditEntry, before)).toEqual({
      seq: LENGTH,
      hash: entry.hash,
    });
  });
});
