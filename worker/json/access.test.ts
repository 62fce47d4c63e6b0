/** Who may use the JSON utilities. Contract §4: Read on the organization or on anything in it. */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { type ResourceKind, rules } from '../db/schema.ts';
import { LEVELS, type Level, reaches } from '../levels.ts';
import { NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { countTrips } from '../test/trips.ts';

const trips = countTrips(env.DB);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway('Admin', { bindings: { DB: trips.binding } });
});

/** A call of each, with what it answers. */
const CALLS: Readonly<Record<string, readonly [body: JsonObject, result: JsonObject]>> = {
  flatten: [{ json: { a: { b: 1 } } }, { 'a.b': 1 }],
  unflatten: [{ 'a.b': 1 }, { a: { b: 1 } }],
  map: [{ json: { a: 1 }, schema: { b: 'number' }, mappings: { a: 'b' } }, { b: 1 }],
  parse: [{ json: { a: 1, b: 2 }, paths: ['a'] }, { a: 1 }],
  reduce: [{ json: { a: 1, b: 2 }, paths: ['a'] }, { a: 1 }],
};

interface Rule {
  readonly kind: ResourceKind;
  readonly level: Level;
}

/** The token of a new member with these rules, each on something of its own. */
async function memberWith(given: readonly Rule[]): Promise<string> {
  const user = await gateway.addUser(undefined);
  const orgUuid = gateway.organization.uuid;
  for (const { kind, level } of given) {
    await drizzle(env.DB)
      .insert(rules)
      .values({
        orgUuid,
        resourceKind: kind,
        resourceUuid: kind === 'organization' ? orgUuid : crypto.randomUUID(),
        subject: user.uuid,
        level,
        createdAt: NOW,
        createdBy: 'test',
      });
  }
  return gateway.token(user);
}

const rule = fc.record<Rule>({
  kind: fc.constantFrom('organization', 'endpoint', 'template', 'workflow'),
  level: fc.constantFrom(...LEVELS),
});
const someRules = fc
  .array(rule, { maxLength: 3 })
  .filter((all) => all.filter(({ kind }) => kind === 'organization').length < 2);

/** None on the organization denies, whatever else is granted: contract §4, "Resolution". */
function mayUse(given: readonly Rule[]): boolean {
  const isDenied = given.some(({ kind, level }) => kind === 'organization' && level === 'None');
  return !isDenied && given.some(({ level }) => reaches(level, 'Read'));
}

test('callers with Read on the organization or on anything in it may use them, others may not', () =>
  fc.assert(
    fc.asyncProperty(someRules, async (given) => {
      const token = await memberWith(given);
      const allowed = mayUse(given);
      for (const [name, [body, result]] of Object.entries(CALLS)) {
        const reply = await gateway.call('POST', `/json/${name}`, body, token);
        expect(reply).toEqual(
          allowed
            ? { status: 200, body: result }
            : {
                status: 403,
                body: expect.objectContaining({
                  message: 'This operation needs Read access on the organization',
                }),
              },
        );
      }
    }),
    { numRuns: 40, seed: 15 },
  ));

test('a steady caller makes no trip to D1', async () => {
  const token = await memberWith([{ kind: 'template', level: 'Read' }]);
  const flatten = () => gateway.call('POST', '/json/flatten', { json: 1 }, token);
  await flatten();
  const before = trips.count();
  expect(await flatten()).toEqual({ status: 200, body: { '': 1 } });
  expect(trips.count()).toBe(before);
});
