/** Schemas that several kinds share. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { ConnectionParts, patchOf } from './members.ts';

const Patch = patchOf(
  z.strictObject({
    write_conn: z.strictObject({ url: z.string() }).meta({ description: 'For writes' }),
    read_conn: z.strictObject({ url: z.string() }).optional().meta({ description: 'For reads' }),
    transport: z.enum(['edge', 'relay']).meta({ description: 'By whom' }).optional(),
  }),
);
const Reached = patchOf(z.strictObject({ read_conn: ConnectionParts.optional() }));

test.each([
  [{}, true],
  [{ write_conn: { url: 'a' }, read_conn: null, transport: null }, true],
  [{ write_conn: null }, false],
  [{ read_conn: { url: 1 } }, false],
  [{ other: 1 }, false],
])('of a patch of a configuration, %j is right: %j', (patch, right) => {
  expect(Patch.safeParse(patch).success).toBe(right);
});

test.each([
  [{ url: 'a', auth: null }, true],
  [{ url: null }, false],
  [{ host: 'a', port: null, auth: { username: 'b', password: 'c' } }, true],
  [{ host: 'a', auth: { username: null } }, false],
])('of a connection in a patch, %j is right: %j', (read_conn, right) => {
  expect(Reached.safeParse({ read_conn }).success).toBe(right);
});

test('a patch describes its members as the configuration does', () => {
  const { properties = {} } = z.toJSONSchema(Patch, { io: 'input' });
  const described = Object.entries(properties).map(([name, member]) => [
    name,
    typeof member === 'object' && member.description,
  ]);
  expect(Object.fromEntries(described)).toEqual({
    write_conn: 'For writes',
    read_conn: 'For reads',
    transport: 'By whom',
  });
});
