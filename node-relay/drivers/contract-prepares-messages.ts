/** Promises of drivers that prepare: a share comes to the same however few messages its server is sent. Spec: transactions.md §3. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import type { PreparesCase, PreparesSuite } from './contract-prepares.ts';
import { beginning, share, shareName } from './contract-shares.ts';
import { callOf, jsonOf } from './test/host.ts';

/** What a share may hold. */
const STEPS = ['add', 'first', 'count', 'increment', 'number', 'refused'] as const;
/** Milliseconds after which a connection is not taken to be alive. */
const LATER_MS = 1_500;
const CASES = { seed: 21, numRuns: 25 };

type Step = readonly [step: (typeof STEPS)[number], pick: number];

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.constantFrom(...STEPS), fc.nat()),
  { minLength: 1, maxLength: 3 },
);

/** Of shares of one to three random operations, some of which fail. */
export function describeMessages<Request>({ kind, open, count }: PreparesSuite<Request>): void {
  test('comes to the same in one message as step by step', { timeout: 60_000 }, async () => {
    const [client, other] = [await open(1), await open()];
    const outcomes = new Set<unknown>();
    const comesTo = async (steps: readonly Step[], prepare: typeof client.prepare) => {
      const name = shareName();
      const requests = steps.map((step) => requestOf(kind(), step, name));
      const outcome = await prepare(beginning(name), share(requests), callOf('write')).then(
        ({ results, prepared, onlyRead }) => ({ results: jsonOf(results), prepared, onlyRead }),
        (failure: unknown) => shownOf(failure),
      );
      const prefix = name.replace(/\d+$/, '');
      const listed = await other.recover(prefix, callOf('write'));
      const { status } = await client.rollback(name, '', callOf('write'));
      const left = await count(other, name);
      const seen = { outcome, listed: listed.length, status, left };
      return JSON.parse(JSON.stringify(seen).replaceAll(name, 'its name'));
    };
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        // On a connection that has served a share, the next one goes in one message.
        await comesTo([['add', 0]], (...call) => client.prepare(...call));
        const together = await comesTo(steps, (...call) => client.prepare(...call));
        const apart = await comesTo(steps, (...call) => later(() => client.prepare(...call)));
        expect(together).toEqual(apart);
        outcomes.add(together.outcome.code ?? together.outcome.prepared);
      }),
      CASES,
    );
    expect([...outcomes]).toEqual(expect.arrayContaining([true, false, 'CONSTRAINT_VIOLATED']));
  });
}

function requestOf<Request>(kind: PreparesCase<Request>, [step, pick]: Step, name: string) {
  if (step === 'refused') return kind.refused[pick % kind.refused.length]?.request ?? kind.number;
  return step === 'increment' || step === 'number' ? kind[step] : kind[step](name);
}

function shownOf(failure: unknown) {
  if (!(failure instanceof GatewayError)) throw failure;
  const { code, message, details } = failure;
  return { code, message, details };
}

/** Does work as if all connections had been idle for long. */
async function later<Value>(work: () => Promise<Value>): Promise<Value> {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + LATER_MS);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
