/** Who is who, whatever happens in whichever order: random events against a model. Contract §3. */
import { env } from 'cloudflare:test';
import { inArray } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accounts } from '../db/schema.ts';
import { command, World } from '../test/identity/commands.ts';
import { TIMES } from '../test/runs.ts';

const RUNS = 3 * TIMES;
const LONGEST_MS = 120_000 * TIMES;

test(
  'a token works from its issue to the first event that ends it, and what is verified is the present name',
  async () => {
    const commands = fc.array(command, { minLength: 40, maxLength: 60, size: 'max' });
    const done = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(commands, async (events) => {
        const world = await World.make();
        for (const event of events) {
          await world.run(event);
          const { seen, promised } = await world.tokens();
          expect(seen).toEqual(promised);
          expect(await stored(world)).toEqual(promisedOf(world));
        }
        for (const [what, count] of world.done) done.set(what, (done.get(what) ?? 0) + count);
      }),
      { numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: LONGEST_MS },
    );
    // A generator under which nothing happens proves nothing.
    for (const what of ['renamed', 'completed a reset', 'added']) {
      expect([what, (done.get(what) ?? 0) * 3 >= RUNS]).toEqual([what, true]);
    }
  },
  LONGEST_MS * 2,
);

function promisedOf({ model }: World) {
  return new Map(model.people.map((each) => [each.uuid, [each.name, each.isVerified]]));
}

/** By account: the name, and whether it counts as verified. */
async function stored({ model }: World) {
  const uuids = model.people.map(({ uuid }) => uuid);
  const rows = await drizzle(env.DB).select().from(accounts).where(inArray(accounts.uuid, uuids));
  return new Map(rows.map((row) => [row.uuid, [row.username, row.verifiedAt !== null]]));
}
