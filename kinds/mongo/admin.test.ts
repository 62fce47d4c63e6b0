/** Which requests to MongoDB need Admin for the databases that they name. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../proto/json.ts';
import { kindSpec, parseRequest } from '../index.ts';

function levelOf(body: JsonObject): string | undefined {
  const { request } = parseRequest('mongo', body);
  return kindSpec('mongo').needs?.(request);
}

test.each([
  ['shop.customers', undefined],
  ['shop.admin', undefined],
  ['admin.system.users', 'Admin'],
  ['Config.settings', 'Admin'],
  ['local.oplog.rs', 'Admin'],
])('writes of client.bulk_write to %s need %s', (namespace, level) => {
  const operations = [
    { insert_one: { namespace: 'shop.orders', document: { namespace: 'admin.x' } } },
    { delete_one: { namespace, filter: {} } },
  ];
  expect(levelOf({ type: 'client.bulk_write', operations })).toBe(level);
});

test.each([
  ['upload', { filename: 'a', content: '' }, 'Admin'],
  ['drop', {}, 'Admin'],
  ['find', {}, undefined],
])('%s of a file in a database of the server needs %s', (type, members, level) => {
  const body = { type: `gridfs.${type}`, database: 'admin', ...members };
  expect(levelOf(body)).toBe(level);
});
