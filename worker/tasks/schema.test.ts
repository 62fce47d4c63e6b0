/** What completing a task takes, and what it says of anything else. Spec: workflows.md §6. */
import { expect, test } from 'vitest';
import { parse } from '../shapes/parse.ts';
import { CompleteBody } from './schema.ts';

test.each<[object, string | undefined]>([
  [{ form: {}, comment: 'as agreed' }, undefined],
  [{ reject: true, comment: 'no' }, undefined],
  [{ rejct: true, comment: 'no' }, 'body: "rejct" is not known; did you mean "reject"?'],
  [{ form: {}, nothing: 1 }, 'body: "nothing" is not known; known are form, comment, reject'],
  [{ form: {}, reject: true }, 'body: reject is not taken together with form'],
  [{ reject: true, nothing: 1 }, 'body: "nothing" is not known; known are reject, comment, form'],
])('%j', (body, message) => {
  const taken = () => parse(CompleteBody, body, 'body');
  if (message === undefined) expect(taken()).toEqual(body);
  else expect(taken).toThrow(message);
});
