/** Holds the routes against the specification's list of operations. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import { facades, routes } from '../app.ts';
import { LEVELS, reaches } from '../levels.ts';
import { type AnyRoute, methodsOf, pathsOf } from '../route.ts';
import { failure, insertEndpoint, startGateway, type TestGateway } from './gateway.ts';
import { makeKey, makeOwnKey } from './keys.ts';
import { ADDITIONS, FACADES, OPERATIONS } from './operations.ts';
import { insertNode } from './registered-node.ts';
import { insertTemplate } from './template.ts';
import { insertWorkflow } from './workflow.ts';

const rowsOf = (all: readonly AnyRoute[]) =>
  all.flatMap((each) =>
    pathsOf(each).flatMap((path) =>
      methodsOf(each).map((method) => [method, path, each.access.level] as const),
    ),
  );
const served = rowsOf(routes);
const line = (row: readonly string[]) => row.join(' ');
const expected = [...OPERATIONS, ...ADDITIONS].map(line);
const servedLines = served.map(line);

test('every operation of the specification is served at its level', () => {
  expect(OPERATIONS.map(line).filter((each) => !servedLines.includes(each))).toEqual([]);
});

test('nothing is served that neither the specification nor the contract names', () => {
  expect(servedLines.filter((each) => !expected.includes(each))).toEqual([]);
});

test('next to the API stand just the facades that the contract names, each at its level', () => {
  expect(rowsOf(facades)).toEqual(FACADES);
});

const guarded = served.filter(([, , level]) => level !== 'Public');
/** A path with its parameters filled in. */
const filled = (path: string, resource = 'unknown', user = 'unknown') =>
  path
    .replace(/:(?:endpoint|template|workflow|node|key)\b/, resource)
    .replace(/:(?:subject|user)$/, encodeURIComponent(user))
    .replace(/:subject(?=\/)/, encodeURIComponent(user))
    .replaceAll(/:(\w+)/g, 'unknown');

describe('without a token that is in force', () => {
  let gateway: TestGateway;
  let expired: string;
  let strangers: string;
  beforeAll(async () => {
    gateway = await startGateway('SuperAdmin');
    expired = await gateway.token();
    gateway.clock.now += 1000 * gateway.settings.JWT_LIFETIME_S;
    strangers = await gateway.token((await startGateway('SuperAdmin')).user);
  });
  const refused = (code: ErrorCode, message: string) => ({
    status: 401,
    body: failure(code, message),
  });

  test.each(guarded)('%s %s is refused with none', async (method, path) => {
    expect(await gateway.call(method, filled(path), undefined, '')).toEqual(
      refused('TOKEN_REQUIRED', 'Authentication token required'),
    );
  });

  test.each(guarded)('%s %s is refused with one that has expired', async (method, path) => {
    expect(await gateway.call(method, filled(path), undefined, expired)).toEqual(
      refused('TOKEN_EXPIRED', 'Token has expired'),
    );
  });

  test.each(guarded)('%s %s is refused to who is no member', async (method, path) => {
    expect(await gateway.call(method, filled(path), undefined, strangers)).toEqual(
      refused('TOKEN_REVOKED', 'Token is no longer valid'),
    );
  });
});

describe('what another organization has is not there', () => {
  let gateway: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    [gateway, other] = await Promise.all([startGateway('SuperAdmin'), startGateway('SuperAdmin')]);
  });

  test.each(guarded.filter(([, path]) => path.includes('/:endpoint')))(
    'for %s %s',
    async (method, path) => {
      const id = await insertEndpoint(other);
      expect(await gateway.call(method, filled(path, id))).toEqual({
        status: 404,
        body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${id} does not exist`),
      });
    },
  );

  test.each(guarded.filter(([, path]) => path.includes('/:node')))(
    'for %s %s',
    async (method, path) => {
      const uuid = await insertNode(other);
      expect(await gateway.call(method, filled(path, uuid))).toEqual({
        status: 404,
        body: failure('NODE_NOT_FOUND', `Node ${uuid} does not exist`),
      });
    },
  );

  test.each(guarded.filter(([, path]) => path.includes('/:key')))(
    'for %s %s',
    async (method, path) => {
      const { id } = await makeKey(other);
      expect(await gateway.call(method, filled(path, id))).toEqual({
        status: 404,
        body: failure('KEY_NOT_FOUND', `Key ${id} does not exist`),
      });
    },
  );

  test.each(guarded.filter(([, path]) => path.includes('/:template')))(
    'for %s %s',
    async (method, path) => {
      const id = await insertTemplate(other);
      expect(await gateway.call(method, filled(path, id))).toEqual({
        status: 404,
        body: failure('TEMPLATE_NOT_FOUND', `Template ${id} does not exist`),
      });
    },
  );

  test.each(guarded.filter(([, path]) => path.includes('/:workflow')))(
    'for %s %s',
    async (method, path) => {
      const { id } = await insertWorkflow(other);
      expect(await gateway.call(method, filled(path, id))).toEqual({
        status: 404,
        body: failure('WORKFLOW_NOT_FOUND', `Workflow ${id} does not exist`),
      });
    },
  );

  test.each(guarded.filter(([, path]) => /:(user|subject)\b/.test(path)))(
    'for %s %s',
    async (method, path) => {
      const reply = await gateway.call(method, filled(path, '', other.user.username));
      expect(reply).toEqual({
        status: 404,
        body: failure('USER_NOT_FOUND', 'User not found in organization'),
      });
    },
  );
});

const rows = guarded.flatMap(([method, path, level]) =>
  LEVELS.map((held) => [method, path, level, held] as const),
);
const isEnough = ([, , level, held]: (typeof rows)[number]) =>
  level === 'Member' || (level !== 'Public' && reaches(held, level));

/**
 * A user of that level calls an operation on what their organization has: where any member may, on
 * themselves, else on a user who holds less than an Admin may take.
 */
async function callAt([method, path, level, held]: (typeof rows)[number]) {
  const gateway = await startGateway(held);
  const id = await resourceIn(gateway, path);
  const { username } = level === 'Member' ? gateway.user : await gateway.addUser('Read');
  return gateway.call(method, filled(path, id, username));
}

/** The resource that a path names, where it names one. */
async function resourceIn(gateway: TestGateway, path: string): Promise<string> {
  if (path.includes('/:template')) return insertTemplate(gateway);
  if (path.includes('/:workflow')) return (await insertWorkflow(gateway)).id;
  if (path.includes('/:node')) return insertNode(gateway);
  if (path.includes('/:key')) return (await makeOwnKey(gateway)).id;
  return path.includes('/:endpoint') ? insertEndpoint(gateway) : '';
}

describe('a level that is too low', () => {
  test.each(rows.filter((row) => !isEnough(row)))(
    'of %s %s, which needs %s, refuses %s',
    async (...row) => {
      expect(await callAt(row)).toEqual({
        status: 403,
        body: failure(
          'FORBIDDEN',
          expect.stringMatching(
            /:(?:endpoint|template|workflow)/.test(row[1])
              ? new RegExp(
                  `^This operation needs ${row[2]} access on (?:endpoint|template|workflow) [\\w-]+$`,
                )
              : new RegExp(`^This operation needs ${row[2]} access on the organization$`),
          ),
        ),
      });
    },
  );
});

describe('a level that is enough', () => {
  test.each(rows.filter(isEnough))('of %s %s, which needs %s, lets %s through', async (...row) => {
    const { status } = await callAt(row);
    expect([401, 403, 405, 500]).not.toContain(status);
  });
});
