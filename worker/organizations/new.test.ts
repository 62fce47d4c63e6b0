/** POST /new: who may, and which bodies are refused. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { PASSWORD } from '../test/accounts.ts';
import { failure, startGateway } from '../test/gateway.ts';

const ADA = { username: 'ada', password: PASSWORD };

describe('a body that is not as it should be is refused, naming what is wrong', () => {
  const refused: [string, Json | undefined, string, string][] = [
    ['no body', undefined, 'body', 'is required'],
    ['no object', 'acme', 'body', 'must be an object, not a string'],
    [
      'an unknown member',
      { id: 'a', super_admins: [ADA], colour: 1 },
      'body',
      '"colour" is not known; known are id, description, super_admins',
    ],
    [
      'an unknown member of a user',
      { id: 'a', super_admins: [{ ...ADA, level: 'Read' }] },
      'super_admins.0',
      '"level" is not known; known are username, password, description',
    ],
    [
      'an unknown setting',
      { name: 'a', adminEmail: 'a@b.test', settings: { maxEndpoints: 9 } },
      'settings',
      '"maxEndpoints" is not known; known are defaultRegion, enableAdvancedFeatures',
    ],
    [
      'members of both shapes',
      { id: 'a', super_admins: [ADA], name: 'a' },
      'body',
      '"name" is not known; known are id, description, super_admins',
    ],
    ['a UUID as id', { id: crypto.randomUUID(), super_admins: [ADA] }, 'id', 'may not be a UUID'],
    [
      'a UUID as username',
      { id: 'a', super_admins: [{ ...ADA, username: crypto.randomUUID() }] },
      'super_admins.0.username',
      'may not be a UUID',
    ],
    [
      'a username like a group',
      { id: 'a', super_admins: [{ ...ADA, username: 'group:admins' }] },
      'super_admins.0.username',
      'must be 1 to 255 characters, without control characters and colons',
    ],
    [
      'a short password',
      { id: 'a', super_admins: [{ ...ADA, password: 'short' }] },
      'super_admins.0.password',
      'must have at least 8 characters',
    ],
    [
      'no password',
      { id: 'a', super_admins: [{ username: 'ada' }] },
      'super_admins.0.password',
      'is required',
    ],
    ['no users', { id: 'a', super_admins: [] }, 'super_admins', 'may not be empty'],
    [
      'eleven users',
      {
        id: 'a',
        super_admins: Array.from({ length: 11 }, (_, at) => ({ ...ADA, username: `u${at}` })),
      },
      'super_admins',
      'must have at most 10 elements',
    ],
    [
      'one user twice',
      { id: 'a', super_admins: [ADA, { ...ADA, username: 'ADA' }] },
      'super_admins',
      'names a user twice',
    ],
    [
      'an address that is none',
      { name: 'a', adminEmail: 'ada' },
      'adminEmail',
      'must be an email address',
    ],
    [
      'a name that makes no id',
      { name: '株式会社', adminEmail: 'a@b.test' },
      'name',
      'makes no id: create the organization with id and super_admins',
    ],
    [
      'a name that makes a UUID',
      { name: crypto.randomUUID(), adminEmail: 'a@b.test' },
      'name',
      'makes no id: create the organization with id and super_admins',
    ],
  ];

  test.each(refused)('%s', async (_what, body, path, message) => {
    const gateway = await startGateway('Read');
    expect(await gateway.call('POST', '/new', body, '')).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `${path}: ${message}`, [{ path, message }]),
    });
  });

  test('several faults, all of them', async () => {
    const gateway = await startGateway('Read');
    const { body } = await gateway.call('POST', '/new', { id: '-', description: 1, x: 1 }, '');
    expect(body).toMatchObject({
      details: [
        { path: 'id' },
        { path: 'description' },
        { path: 'super_admins' },
        { path: 'body' },
      ],
    });
  });
});

describe('NEW_ORG_TOKEN', () => {
  const bindings = { NEW_ORG_TOKEN: 'let-me-in' };
  const REQUIRED = failure('TOKEN_REQUIRED', 'Authentication token required');
  const hint = 'send the token as Authorization: Bearer <token>; Basic is for the login alone';
  const BASIC = failure('TOKEN_REQUIRED', `Authentication token required: ${hint}`, [
    { path: 'Authorization', message: hint },
  ]);
  const INVALID = failure('TOKEN_INVALID', 'Invalid token format');

  test.each([
    ['no header', undefined, REQUIRED],
    ['another scheme', 'Basic bGV0', BASIC],
    ['another token', 'Bearer let-me-in-too', INVALID],
    ['an empty token', 'Bearer ', REQUIRED],
    ['the beginning of it', 'Bearer let', INVALID],
  ])('refuses %s, before the body is looked at', async (_what, authorization, body) => {
    const gateway = await startGateway('Read', { bindings });
    const headers = {
      'Content-Type': 'application/json',
      ...(authorization && { Authorization: authorization }),
    };
    const reply = await gateway.send('/new', { method: 'POST', headers, body: 'no JSON' });
    expect({ status: reply.status, body: await reply.json() }).toEqual({ status: 401, body });
  });

  test('admits who brings it', async () => {
    const gateway = await startGateway('Read', { bindings });
    const { status, body } = await gateway.call('POST', '/new', {}, 'let-me-in');
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'BAD_REQUEST' })]);
  });
});
