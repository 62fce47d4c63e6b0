/** The promises about writes that a backend keeps once, for drivers that declare them. Spec: transactions.md §7. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { BackendClient } from '../../proto/driver.ts';
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../proto/once.ts';
import { failureOf } from './contract.ts';
import { able, given } from './contract-parts.ts';
import { beginning, share, shareName } from './contract-shares.ts';
import type { Suite } from './contract-strain.ts';
import { callOf, jsonOf } from './test/host.ts';

/** A kind's words for what marks are tried with. */
export interface OnceCase<Request> {
  /** Where marks are kept: not there when the suite starts. */
  readonly place: string;
  /** Adds one entry of that name, and answers more than is kept. */
  big(name: string): OnceWork<Request>;
  /** Adds an entry of the name, then does what the backend refuses: none of it stays. */
  failing(name: string): OnceWork<Request>;
  /** Ends connections under a write, where that is not what `dropIdle` does. */
  endConnections?(): Promise<void>;
}

/** A digest of any text, as marks have them. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Keeping<Request> = BackendClient<Request> & KeepsOnce<Request>;

/** Words of the tests. */
function wordsOf<Request>({ kind, open }: Suite<Request>) {
  return {
    mark: (key: string, body = key): OnceMark => ({
      key: digestOf(key),
      body: digestOf(body),
      place: given(kind().once, 'once').place,
      secret: digestOf(`secret of ${key}`),
    }),
    add: (name: string): OnceWork<Request> => ({ request: kind().add(name) }),
    start: async (): Promise<Keeping<Request>> => able(await open('write'), 'once'),
    told: ({ result, isReplay }: OnceAnswer) => [jsonOf(result), isReplay],
    call: () => callOf('write'),
  };
}

/** Declares these tests. */
export function describeOnce<Request>(suite: Suite<Request>): void {
  describeRepeats(suite);
  describeFailures(suite);
  describeSettling(suite);
}

function describeRepeats<Request>(suite: Suite<Request>): void {
  const { kind, parts, count } = suite;
  const { mark, add, start, told, call } = wordsOf(suite);

  parts.test('once', 'does a write with a mark once, and answers its reply again', async () => {
    const write = await start();
    const [first, isReplay] = told(await write.once(add('marked'), mark('marked'), call()));
    expect(isReplay).toBe(false);
    expect(told(await write.once(add('marked'), mark('marked'), call()))).toEqual([first, true]);
    const other = await write.once(add('marked'), mark('marked 2'), call());
    expect([other.isReplay, await count(write, 'marked')]).toEqual([false, 2]);
  });

  parts.test('once', 'does a write with a mark once, however many come together', async () => {
    const write = await start();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => write.once(add('crowd'), mark('crowd'), call())),
    );
    expect(all.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(new Set(all.map(({ result }) => Buffer.from(result).toString())).size).toBe(1);
    expect(await count(write, 'crowd')).toBe(1);
  });

  parts.test('once', 'does several requests with one mark together, once', async () => {
    const write = await start();
    const work = { operations: [kind().add('both once'), kind().add('both once')] };
    const [first, isReplay] = told(await write.once(work, mark('both'), call()));
    expect([(first as unknown[]).length, isReplay]).toEqual([2, false]);
    expect(told(await write.once(work, mark('both'), call()))).toEqual([first, true]);
    expect(await count(write, 'both once')).toBe(2);
  });

  parts.test('once', 'tells what became of a write whose connections were ended', async () => {
    const write = await start();
    for (let round = 0; round < 5; round += 1) {
      const name = `ended ${round}`;
      const running = write.once(add(name), mark(name), call()).catch(() => undefined);
      await (given(kind().once, 'once').endConnections ?? kind().dropIdle)?.();
      await running;
      await write.once(add(name), mark(name), call());
      expect(await count(write, name)).toBe(1);
    }
  });
}

function describeFailures<Request>(suite: Suite<Request>): void {
  const { kind, parts, count } = suite;
  const { mark, add, start, call } = wordsOf(suite);

  parts.test('once', 'refuses a mark that stands for another body', async () => {
    const write = await start();
    await write.once(add('body'), mark('body'), call());
    const failure = await failureOf(write.once(add('body'), mark('body', 'other'), call()));
    expect(failure).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await count(write, 'body')).toBe(1);
  });

  parts.test('once', 'says of a reply that is too large that its mark has none', async () => {
    const write = await start();
    const work = given(kind().once, 'once').big('big');
    const first = await write.once(work, mark('big'), call());
    expect(first.result.byteLength).toBeGreaterThan(64 * 1024);
    const failure = await failureOf(write.once(work, mark('big'), call()));
    expect(failure).toMatchObject({ code: 'REPLY_NOT_KEPT' });
    expect(await count(write, 'big')).toBe(1);
  });

  parts.test('once', 'leaves neither mark nor effect of a write that failed', async () => {
    const write = await start();
    const work = given(kind().once, 'once').failing('failed');
    const failure = await failureOf(write.once(work, mark('failed'), call()));
    expect(failure).toMatchObject({ code: expect.not.stringMatching('OUTCOME_UNKNOWN') });
    expect(await count(write, 'failed')).toBe(0);
    const anew = await write.once(add('failed'), mark('failed', 'anew'), call());
    expect([anew.isReplay, await count(write, 'failed')]).toEqual([false, 1]);
  });
}

function describeSettling<Request>(suite: Suite<Request>): void {
  const { kind, parts, count } = suite;
  const { mark, add, start, call } = wordsOf(suite);
  const settled = (key: string): OnceMark => ({ ...mark(key), settled: true });

  parts.test('once', 'tells by its mark that a write has taken effect', async () => {
    const write = await start();
    const own = settled('settled');
    await write.once(add('settled'), own, call());
    expect(await write.settleMark(own, '', call())).toBe('committed');
    expect(await write.settleMark(own, '', call())).toBe('committed');
    expect((await write.once(add('settled'), own, call())).isReplay).toBe(true);
    expect(await count(write, 'settled')).toBe(1);
  });

  parts.test('once', 'keeps a write from coming that was settled before', async () => {
    const write = await start();
    const own = settled('forestalled');
    expect(await write.settleMark(own, '', call())).toBe('rolled_back');
    const failure = await failureOf(write.once(add('forestalled'), own, call()));
    expect(failure).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await write.settleMark(own, '', call())).toBe('rolled_back');
    expect(await count(write, 'forestalled')).toBe(0);
  });

  parts.test('join', 'tells by its mark that a share has committed', async () => {
    const write = await start();
    const { participant, recovery } = await begun(write, kind().add('share settled'));
    const own = settled('share settled');
    await participant.commitMarked(own, call());
    await participant.close();
    expect(await write.settleMark(own, recovery, call())).toBe('committed');
    expect(await count(write, 'share settled')).toBe(1);
  });

  parts.test('join', 'keeps a share from committing that was settled before', async () => {
    const write = await start();
    const { participant, recovery } = await begun(write, kind().add('share forestalled'));
    const own = settled('share forestalled');
    expect(await write.settleMark(own, recovery, call())).toBe('rolled_back');
    await failureOf(participant.commitMarked(own, call()));
    await participant.close();
    expect(await write.settleMark(own, recovery, call())).toBe('rolled_back');
    expect(await count(write, 'share forestalled')).toBe(0);
  });
}

/** A share in which that was done. */
async function begun<Request>(write: BackendClient<Request>, request: Request) {
  const name = shareName();
  const onePhase = { ...beginning(name), onePhase: true };
  const participant = await able(write, 'join').join(onePhase, callOf('write'));
  const performed = share([request], { recoverable: true });
  const { recovery } = await participant.perform(performed, callOf('write'));
  return { participant, recovery };
}
