/** Which values a task's form takes, type by type. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { parseWritten } from '../../proto/written-json.ts';
import { formFaults } from './form.ts';

const OPTIONS = ['a', { value: 'b', label: 'B' }];

test.each<[field: JsonObject, value: Json, message: string | undefined]>([
  [{ type: 'select', options: OPTIONS }, 'b', undefined],
  [{ type: 'select', options: OPTIONS }, 'B', 'must be one of "a", "b"'],
  [{ type: 'multiselect', options: OPTIONS }, ['a', 'b'], undefined],
  [{ type: 'multiselect', options: OPTIONS }, ['a', 'c'], 'must be one of "a", "b"'],
  [{ type: 'multiselect', options: OPTIONS }, 'a', 'must be a list'],
  [{ type: 'integer' }, 1.5, 'must be a whole number'],
  [{ type: 'integer' }, parseWritten('1.50'), 'must be a whole number'],
  [{ type: 'integer' }, parseWritten('1.0'), undefined],
  [{ type: 'integer' }, parseWritten('1e400'), 'must be a whole number'],
  [{ type: 'date' }, '2026-02-30', 'must be a date, such as 2026-01-31'],
  [{ type: 'string', required: true }, null, 'is required'],
  [{ type: 'string' }, null, undefined],
])('%j with %j', (field, value, message) => {
  expect(formFaults([{ id: 'field', ...field }], { field: value })).toEqual(
    message === undefined ? [] : [{ path: 'form.field', message }],
  );
});
