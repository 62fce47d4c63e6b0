/**
 * The level that keys yield, on random rules, owners' levels and keys' levels, against a model that is
 * written from the text alone; and that nobody makes a key with more than they may grant.
 * Spec: keys-and-doors.md §1; contract §4.
 */
import { env } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rules } from '../db/schema.ts';
import { LEVELS, type Level } from '../levels.ts';
import { insertEndpoint, NOW, startGateway, type TestGateway } from '../test/gateway.ts';
import { freeName, makeKey, makeOwnKey } from '../test/keys.ts';

const db = drizzle(env.DB);
const RUNS = 40;
const PLACES = ['organization', 'one', 'two'] as const;
type Place = (typeof PLACES)[number];

const level = fc.constantFrom(...LEVELS);
const maybe = fc.option(level, { nil: undefined, freq: 3 });
/** A level, or none, on the organization and on each of two endpoints. */
const levels = fc.record({ organization: maybe, one: maybe, two: maybe });
/** Of who may make keys more often than not. */
const makers = fc.record({
  organization: fc.constantFrom('Admin', 'Admin', 'SuperAdmin', 'Write', undefined),
  one: maybe,
  two: maybe,
});
type Levels = { readonly [place in Place]: Level | undefined };

const rank = (each: Level) => LEVELS.indexOf(each);
const lower = (one: Level, other: Level) => (rank(one) < rank(other) ? one : other);

/** Contract §4, "Resolution", one sentence a line. */
function byRules(held: Levels, place: Place): Level {
  if (held.organization === 'None') return 'None';
  if (held.organization === 'SuperAdmin') return 'SuperAdmin';
  const onResource = place === 'organization' ? undefined : held[place];
  return onResource ?? held.organization ?? 'None';
}

/** "The lower of its owner's present level and the level in the key"; "the more specific level counts". */
function byOwnKey(owner: Levels, key: Levels, place: Place): Level {
  const own = key[place] ?? key.organization;
  const present = byRules(owner, place);
  return own === undefined ? present : lower(own, present);
}

/** Two endpoints, and what stands for them. */
async function start() {
  const gateway = await startGateway('SuperAdmin', { bindings: { RATE_LIMITS: 'off' } });
  const ids = { one: await insertEndpoint(gateway), two: await insertEndpoint(gateway) };
  const uuidOf = async (id: string) => {
    const { body } = await gateway.call('GET', `/endpoints/${id}`);
    return (body as { data: { uuid: string } }).data.uuid;
  };
  const uuids = {
    organization: gateway.organization.uuid,
    one: await uuidOf(ids.one),
    two: await uuidOf(ids.two),
  };
  return { gateway, ids, uuids };
}
type Start = Awaited<ReturnType<typeof start>>;

/** A member with these rules. */
async function memberWith({ gateway, uuids }: Start, held: Levels) {
  const { uuid: orgUuid } = gateway.organization;
  const user = await gateway.addUser(undefined);
  for (const place of PLACES) {
    const given = held[place];
    if (given === undefined) continue;
    await db.insert(rules).values({
      orgUuid,
      resourceKind: place === 'organization' ? 'organization' : 'endpoint',
      resourceUuid: uuids[place],
      subject: user.uuid,
      level: given,
      createdAt: NOW,
      createdBy: 'test',
    });
  }
  return user;
}

function bodyOf({ ids }: Start, { organization, one, two }: Levels) {
  const endpoints = {
    ...(one === undefined ? {} : { [ids.one]: one }),
    ...(two === undefined ? {} : { [ids.two]: two }),
  };
  return { endpoints, ...(organization === undefined ? {} : { access_level: organization }) };
}

/** What a key yields: as `check` explains it, as the list shows it, and as calls are answered. */
async function yielded({ gateway, ids }: Start, key: string) {
  const told = async (resource: string) => {
    const path = `/iam/rbac/check?resource=${resource}&operation=get`;
    const { body } = await gateway.call('GET', path, undefined, key);
    return (body as { level: Level }).level;
  };
  const status = async (method: string, path: string) =>
    (await gateway.call(method, path, method === 'PATCH' ? {} : undefined, key)).status;
  const { body } = await gateway.call('GET', '/endpoints?limit=2', undefined, key);
  const { data } = body as { data?: { endpoints: { id: string }[] } };
  const listed = (data?.endpoints ?? []).map(({ id }) => id);
  const on = async (id: string) => ({
    level: await told(`endpoint:${id}`),
    isListed: listed.includes(id),
    isRead: (await status('GET', `/endpoints/${id}`)) === 200,
    isChanged: (await status('PATCH', `/endpoints/${id}`)) === 200,
  });
  return {
    organization: await told('organization'),
    audit: await status('GET', '/audit?limit=1'),
    one: await on(ids.one),
    two: await on(ids.two),
  };
}

function expected(levelOn: (place: Place) => Level) {
  const on = (place: Place) => {
    const has = levelOn(place);
    const isRead = rank(has) >= rank('Read');
    return { level: has, isListed: isRead, isRead, isChanged: rank(has) >= rank('Admin') };
  };
  const organization = levelOn('organization');
  const audit = rank(organization) >= rank('Admin') ? 200 : 403;
  return { organization, audit, one: on('one'), two: on('two') };
}

test('a personal key has resource by resource the lower of two levels', async () => {
  const started = await start();
  await fc.assert(
    fc.asyncProperty(levels, levels, async (owner, given) => {
      const user = await memberWith(started, owner);
      const { key } = await makeOwnKey(started.gateway, bodyOf(started, given), user);
      expect(await yielded(started, key)).toEqual(
        expected((place) => byOwnKey(owner, given, place)),
      );
    }),
    { numRuns: RUNS },
  );
}, 120_000);

test('a key of the organization has what its rules give', async () => {
  const started = await start();
  await fc.assert(
    fc.asyncProperty(levels, async (given) => {
      const { key } = await makeKey(started.gateway, bodyOf(started, given));
      expect(await yielded(started, key)).toEqual(expected((place) => byRules(given, place)));
    }),
    { numRuns: RUNS },
  );
}, 120_000);

/** Whether somebody may grant each of these levels by the operations on rules, to subjects that have none. */
async function grantsAll({ gateway, ids }: Start, token: string, given: Levels): Promise<boolean> {
  for (const place of PLACES) {
    const access = given[place];
    if (access === undefined) continue;
    const subject = `group:${freeName()}`;
    const [path, entity] =
      place === 'organization' ? ['organizations', {}] : ['endpoints', { entity: ids[place] }];
    const body = { subject, access, ...entity };
    const { status } = await gateway.call('POST', `/iam/rbac/${path}/subjects`, body, token);
    if (status !== 200) return false;
  }
  return true;
}

async function isAdmin(gateway: TestGateway, token: string): Promise<boolean> {
  return (await gateway.call('GET', '/audit?limit=1', undefined, token)).status === 200;
}

test('a key is made, changed and rotated by Admins who may grant each of its levels, and by nobody else', async () => {
  const started = await start();
  const { gateway } = started;
  await fc.assert(
    fc.asyncProperty(makers, levels, levels, async (maker, given, next) => {
      const token = await gateway.token(await memberWith(started, maker));
      const admin = await isAdmin(gateway, token);
      const mayFirst = admin && (await grantsAll(started, token, given));
      const mayNext = admin && (await grantsAll(started, token, next));
      const call = async (method: string, path: string, body: object) =>
        (await gateway.call(method, `/iam/keys${path}`, { ...body }, token)).status === 200;
      const made = await call('POST', '', { name: freeName(), ...bodyOf(started, given) });
      const { id } = await makeKey(gateway, bodyOf(started, given));
      const rotated = await call('POST', `/${id}/rotate`, {});
      const described = await call('PATCH', `/${id}`, { description: 'x' });
      const body = bodyOf(started, next);
      const changed = await call('PATCH', `/${id}`, { access_level: null, ...body });
      expect({ made, rotated, described, changed }).toEqual({
        made: mayFirst,
        rotated: mayFirst,
        described: mayFirst,
        changed: mayFirst && mayNext,
      });
    }),
    { numRuns: RUNS },
  );
}, 180_000);
