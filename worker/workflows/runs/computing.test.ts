/** What computing of runs leaves to others, also where nobody else is known of. */
import { expect, test, vi } from 'vitest';
import { isAlone } from '../../limits/neighbours.ts';
import { Computing } from './computing.ts';
import type { Keeper } from './keeper.ts';

/** Steps of 2 ms. */
const STEPS = 480_000;

/** Who goes on first: the run, or another who waits for the thread. */
async function first(computing: Computing): Promise<string> {
  const other = scheduler.wait(0).then(() => 'another');
  return Promise.race([computing.turn().then(() => 'the run'), other]);
}

test('transitions that together took long give the thread to others once', async () => {
  const keeper = { owner: { orgUuid: crypto.randomUUID() } } as unknown as Keeper; // All that is looked at.
  const computing = new Computing(keeper);
  // Callers of tests before this one are others who are about.
  await vi.waitFor(() => expect(isAlone(keeper.owner.orgUuid)).toBe(true), 5_000);
  const seen: string[] = [await first(computing)];
  for (let transition = 0; transition < 4; transition += 1) {
    computing.spent(STEPS);
    seen.push(await first(computing));
  }
  expect(seen).toEqual(['the run', 'the run', 'another', 'the run', 'another']);
});
