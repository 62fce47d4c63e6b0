/** Definitions that cannot be: all that is wrong is told at once, each fault with its path. */
import { describe, expect, test } from 'vitest';
import { readWorkflow } from './read.ts';
import { ACTIONS } from './test/bad-actions.ts';
import { CONTAINERS } from './test/bad-containers.ts';
import { EXPRESSIONS } from './test/bad-expressions.ts';
import { GRAPHS } from './test/bad-graphs.ts';
import { HANDLERS } from './test/bad-handlers.ts';
import { PEOPLE } from './test/bad-people.ts';
import { REQUESTS } from './test/bad-requests.ts';
import { TRIGGERS } from './test/bad-triggers.ts';
import { WORKFLOW } from './test/bad-workflow.ts';
import { flow, loop, read, template } from './test/builders.ts';

describe.each([
  ['a workflow', WORKFLOW],
  ['actions', ACTIONS],
  ['actions that hold others', CONTAINERS],
  ['waits and human tasks', PEOPLE],
  ['expressions', EXPRESSIONS],
  ['requests', REQUESTS],
  ['handlers', HANDLERS],
  ['triggers', TRIGGERS],
  ['graphs', GRAPHS],
])('of %s', (_of, cases) => {
  test.each(cases)('%s', (_what, members, told) => {
    const definition = Object.keys(members).length === 0 ? members : { name: 'w', ...members };
    const { workflow, faults } = read(definition);
    const found = faults.map(({ path, message, line, column }) =>
      line === undefined ? `${path}: ${message}` : `${path}: ${message} (${line}:${column})`,
    );
    expect({ workflow, found }).toEqual({ workflow: undefined, found: told });
  });
});

test('what was stored before an element could not be called output is still read', () => {
  const definition = { name: 'w', ...flow(loop(template('a'), { as: 'output' })) };
  const lookups = { kindOf: () => undefined, isStored: true };
  expect(readWorkflow(definition, lookups).faults).toEqual([]);
});
