/** Holds the routes against the specification's list of operations. */
import { describe, expect, test } from 'vitest';
import { routes } from '../app.ts';
import { methodsOf, pathsOf } from '../http/route.ts';
import { failure, insertEndpoint, startGateway } from './gateway.ts';
import { ADDITIONS, OPERATIONS } from './operations.ts';

/**
 * Operations of the specification that are not served yet, by what their paths begin with.
 * It only ever shrinks: an entry whose operations are served fails the test below.
 */
const STILL_MISSING = ['/templates', '/workflows', '/json/'];

const served = routes.flatMap((each) =>
  pathsOf(each).flatMap((path) =>
    methodsOf(each).map((method) => [method, path, each.access.level] as const),
  ),
);
const line = (row: readonly string[]) => row.join(' ');
const expected = [...OPERATIONS, ...ADDITIONS].map(line);
const servedLines = served.map(line);

test('every operation of the specification is served at its level, but those listed as missing', () => {
  const missing = OPERATIONS.filter((row) => !servedLines.includes(line(row)));
  const [unlisted, unneeded] = [
    missing.filter(([, path]) => !STILL_MISSING.some((start) => path.startsWith(start))),
    STILL_MISSING.filter((start) => !missing.some(([, path]) => path.startsWith(start))),
  ];
  console.error(`Operations of the specification still missing: ${missing.length}`);
  for (const row of missing) console.error(`  ${row[0]} ${row[1]}`);
  expect({ unlisted, unneeded }).toEqual({ unlisted: [], unneeded: [] });
});

test('nothing is served that neither the specification nor the contract names', () => {
  expect(servedLines.filter((each) => !expected.includes(each))).toEqual([]);
});

/** One level below the one that an operation needs. */
const BELOW = { Read: 'None', Write: 'Read', Admin: 'Write', SuperAdmin: 'Admin' } as const;
const guarded = served.filter(([, , level]) => level !== 'Public');
/** A path with its parameters filled in. */
const filled = (path: string, endpoint = 'unknown', user = 'unknown') =>
  path
    .replace(':endpoint', endpoint)
    .replace(/:(?:subject|user)$/, encodeURIComponent(user))
    .replaceAll(/:(\w+)/g, 'unknown');

test.each(guarded)('%s %s refuses a request without a token', async (method, path) => {
  const gateway = await startGateway('SuperAdmin');
  expect(await gateway.call(method, filled(path), undefined, '')).toEqual({
    status: 401,
    body: failure('TOKEN_REQUIRED', 'Authentication token required: see /docs'),
  });
});

test.each(guarded.filter(([, path]) => path.includes('/:endpoint')))(
  '%s %s does not find what another organization has',
  async (method, path) => {
    const gateway = await startGateway('SuperAdmin');
    const id = await insertEndpoint(await startGateway('SuperAdmin'));
    expect(await gateway.call(method, filled(path, id))).toEqual({
      status: 404,
      body: failure('ENDPOINT_NOT_FOUND', `Endpoint ${id} does not exist`),
    });
  },
);

describe('one level below what is needed', () => {
  // Nothing of these kinds can be made yet, and what is not there is 404 before it is 403.
  const isUnmade = (path: string) => path.endsWith('/:template') || path.endsWith('/:workflow');
  const levelled = guarded.flatMap(([method, path, level]) =>
    level === 'Member' || level === 'Public' || level === 'None' || isUnmade(path)
      ? []
      : [[method, path, level, BELOW[level]] as const],
  );
  test.each(levelled)('%s %s, which needs %s, refuses %s', async (method, path, level, below) => {
    const gateway = await startGateway(below);
    const id = await insertEndpoint(gateway);
    expect(await gateway.call(method, filled(path, id, gateway.user.username))).toEqual({
      status: 403,
      body: failure('FORBIDDEN', `This operation needs ${level} access`),
    });
  });
});
