/** Random templates that nest each other, as doors or not, against a small model of who may run them. Spec: keys-and-doors.md §2. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { rules } from '../../db/schema.ts';
import type { Level } from '../../levels.ts';
import { insertEndpoint, NOW } from '../../test/gateway.ts';
import { type Person, startDoors } from './test/doors.ts';

const LEVELS = ['None', 'Read', 'Write'] as const;
const AUTHORS = 3;
const ENDPOINTS = ['one', 'two'] as const;

/** A template: whose door it is, if it is one, and what it reaches of those before it. */
interface Made {
  readonly author: number;
  readonly isDoor: boolean;
  readonly nests: readonly number[];
  readonly endpoints: readonly { readonly at: number; readonly writes: boolean }[];
}

interface World {
  readonly templates: readonly Made[];
  /** Of each person, the caller first: the level on the organization, on each endpoint, on each template. */
  readonly levels: readonly {
    readonly all: (typeof LEVELS)[number];
    readonly endpoints: readonly ((typeof LEVELS)[number] | null)[];
    readonly templates: readonly ((typeof LEVELS)[number] | null)[];
  }[];
}

const SIZE = 5;
const some = fc.constantFrom(...LEVELS, null, null);
const person = fc.record({
  all: fc.constantFrom('None' as const, 'Read' as const, 'Write' as const, 'Write' as const),
  endpoints: fc.tuple(some, some),
  templates: fc.array(some, { minLength: SIZE, maxLength: SIZE }),
});
const made = (at: number): fc.Arbitrary<Made> =>
  fc.record({
    author: fc.integer({ min: 1, max: AUTHORS }),
    isDoor: fc.boolean(),
    nests: at === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(at - 1), { maxLength: 2 }),
    endpoints: fc.uniqueArray(fc.record({ at: fc.nat(1), writes: fc.boolean() }), {
      maxLength: 1,
      selector: (each) => each.at,
    }),
  });
const world: fc.Arbitrary<World> = fc.record({
  templates: fc.tuple(...Array.from({ length: SIZE }, (_, at) => made(at))),
  levels: fc.array(person, { minLength: AUTHORS + 1, maxLength: AUTHORS + 1 }),
});

/** The specification's sentences, one after the other. */
function isAllowed({ templates, levels }: World, root: number): boolean {
  const of = (at: number) => templates[at] as Made;
  const writes = (at: number): boolean =>
    of(at).endpoints.some((each) => each.writes) || of(at).nests.some(writes);
  const holds = (who: number, kind: 'endpoints' | 'templates', at: number, needed: Level) => {
    const own = levels[who] as World['levels'][number];
    const level = own.all === 'None' ? 'None' : (own[kind][at] ?? own.all);
    return LEVELS.indexOf(level) >= LEVELS.indexOf(needed as 'Read');
  };
  const inside = (at: number, who: number): boolean => {
    const rights = of(at).isDoor ? of(at).author : who;
    return (
      of(at).endpoints.every((each) =>
        holds(rights, 'endpoints', each.at, each.writes ? 'Write' : 'Read'),
      ) &&
      of(at).nests.every((nested) => {
        const needed = of(nested).isDoor && writes(nested) ? 'Write' : 'Read';
        return holds(rights, 'templates', nested, needed) && inside(nested, rights);
      })
    );
  };
  return holds(0, 'templates', root, writes(root) ? 'Write' : 'Read') && inside(root, 0);
}

function requestOf(id: string, { at, writes }: Made['endpoints'][number]): Json {
  const query = writes ? 'insert into t values (1)' : 'select 1';
  const endpoint = ENDPOINTS[at] ?? 'one';
  return { id, request: writes ? 'Write' : 'Read', template: { endpoint, query } };
}

/** Its own request is in a template of its own, which everybody may read and nobody else names. */
async function build({ templates, levels }: World) {
  const doors = await startDoors({ POLICY_TTL_MS: 0 });
  for (const id of ENDPOINTS) await insertEndpoint(doors.gateway, id);
  const people: Person[] = [];
  for (let at = 0; at <= AUTHORS; at += 1) people.push(await doors.person('Admin'));
  for (const [at, { author, isDoor, nests, endpoints }] of templates.entries()) {
    const by = people[author];
    for (const each of endpoints) {
      await doors.demand('POST', '/templates', requestOf(`own-${at}`, each), by);
    }
    const named = [...nests.map((each) => `t${each}`), ...endpoints.map(() => `own-${at}`)];
    const transformationRules = named.map((template) => ({
      target: template,
      template,
      input: '$',
    }));
    const runAs = isDoor ? 'author' : 'caller';
    const body = { id: `t${at}`, name: `t${at}`, runAs, transformationRules };
    await doors.demand('POST', '/templates', body, by);
  }
  const { organization } = doors;
  const db = drizzle(env.DB);
  const all = await db.$client
    .prepare(
      'select uuid, id, 1 as is_template from templates where org_uuid = ?1 union select uuid, id, 0 from endpoints where org_uuid = ?1',
    )
    .bind(organization.uuid)
    .all<{ uuid: string; id: string; is_template: number }>();
  const uuidOf = (id: string) => all.results.find((each) => each.id === id)?.uuid ?? '';
  const made = { orgUuid: organization.uuid, createdAt: NOW, createdBy: 'test' };
  for (const [at, { uuid }] of people.entries()) {
    const own = levels[at] as World['levels'][number];
    const rule = (kind: 'endpoint' | 'template', id: string, level: Level | null | undefined) =>
      level
        ? [{ ...made, resourceKind: kind, resourceUuid: uuidOf(id), subject: uuid, level }]
        : [];
    await doors.setLevel(people[at] as Person, own.all);
    const given = [
      ...ENDPOINTS.flatMap((id, each) => rule('endpoint', id, own.endpoints[each])),
      ...templates.flatMap((_, each) => rule('template', `t${each}`, own.templates[each])),
      ...templates.flatMap((_, each) =>
        uuidOf(`own-${each}`) === '' ? [] : rule('template', `own-${each}`, 'Read'),
      ),
    ];
    if (given.length > 0) await db.insert(rules).values(given);
  }
  return { doors, caller: people[0] as Person };
}

test('a run is allowed exactly if the model says so, and refused before anything is sent', async () => {
  const tally = { allowed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(world, async (each) => {
      const { doors, caller } = await build(each);
      for (let root = 0; root < SIZE; root += 1) {
        const before = doors.seen.length;
        const { status } = await doors.run(`t${root}`, caller);
        const allowed = isAllowed(each, root);
        expect([root, status]).toEqual([root, allowed ? 200 : 403]);
        if (!allowed) expect(doors.seen).toHaveLength(before);
        tally[allowed ? 'allowed' : 'refused'] += 1;
      }
    }),
    { numRuns: 25 },
  );
  // Neither is rare, so that both are tested.
  expect(Math.min(tally.allowed, tally.refused)).toBeGreaterThan(10);
}, 120_000);
