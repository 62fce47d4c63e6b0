/** Names within a definition are found in pieces, and large ones are not copied where nothing in them is read. */
import { expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../proto/json.ts';
import { parseInPieces } from '../../proto/json-pieces.ts';
import { whole } from '../../proto/work/pieces.ts';
import { readWorkflow } from './definition/read.ts';
import { namesIn } from './named.ts';

const many = Array.from({ length: 60_000 }, (_, at) => `"k${at}":{"a":1}`).join();

test('what is named at any depth is found once, in many pieces', () => {
  const deep = '[{"template":"two","x":[{"endpoint":"one"}]},{"endpoint":"One"},{"template":7}]';
  const json = parseJson(`{"documentation":{${many}},"actions":${deep}}`);
  const pieces = namesIn(json);
  let pauses = 0;
  let step = pieces.next();
  for (; !step.done; step = pieces.next()) pauses += 1;
  expect(pauses).toBeGreaterThan(10);
  const found = step.value.map(({ kind, id }) => `${kind} ${id}`);
  expect(found.toSorted()).toEqual(['endpoint One', 'endpoint one', 'template two']);
});

test('a large constant is what was written, and no copy', () => {
  const text = `{"actions":[{"id":"a","type":"template","template":"t","input":{${many}}}]}`;
  const json = whole(parseInPieces(text)) as JsonObject; // As it is written above.
  const [{ input } = {}] = json.actions as { readonly input?: Json }[];
  const { workflow } = readWorkflow(
    { name: 'a', version: '1.0.0', description: '', ...json },
    { kindOf: () => undefined, isStored: true },
  );
  const action = workflow?.byId.get('a');
  expect(action && 'input' in action && action.input?.constant === input).toBe(true);
});

test('a text with an escape is not what was written, and all that holds it is a copy', () => {
  const input = { a: { b: ['$$.x', 1] }, c: { d: 1 } };
  const action = { id: 'a', type: 'template', template: 't', input };
  const { workflow } = readWorkflow(
    { name: 'a', version: '1.0.0', description: '', actions: [action] },
    { kindOf: () => undefined, isStored: true },
  );
  const read = workflow?.byId.get('a');
  expect(read && 'input' in read && read.input?.constant).toEqual({
    a: { b: ['$.x', 1] },
    c: { d: 1 },
  });
  expect(input.a.b).toEqual(['$$.x', 1]);
});
