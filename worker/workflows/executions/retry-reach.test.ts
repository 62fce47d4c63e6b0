/** Random definitions: a retry is refused exactly if the run can reach an endpoint that its caller may not write. Spec: workflows.md §6. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { type Doors, startDoors } from '../../reach/doors/test/doors.ts';
import { insertEndpoint } from '../../test/gateway.ts';

const CASES = 10;
const SEED = 20_261_128;

/** Wraps actions in one another; each way makes of one that is reached one that still is. */
class Wrapping {
  readonly #doors: Doors;
  #count = 0;

  constructor(doors: Doors) {
    this.#doors = doors;
  }

  id(): string {
    this.#count += 1;
    return `x${this.#count}`;
  }

  readonly ways: readonly ((inner: JsonObject) => Promise<JsonObject> | JsonObject)[] = [
    (inner) => ({ id: this.id(), type: 'parallel', branches: [inner] }),
    (inner) => ({ id: this.id(), type: 'loop', collection: '[1]', action: inner }),
    (inner) => ({
      ...{ id: this.id(), type: 'dynamicAction' },
      selection: { expression: "'a'", options: { a: inner } },
    }),
    (inner) => ({ ...this.pure(), compensation: inner }),
    (inner) => this.stored(inner, {}),
    (inner) => {
      const failing = this.pure();
      const errorHandler = { actions: { [String(failing.id)]: { fallback: inner } } };
      return this.stored(failing, { errorHandler });
    },
  ];

  pure(): JsonObject {
    return { id: this.id(), type: 'template', template: 'pure', input: {} };
  }

  /** A subworkflow of one action. */
  async stored(action: JsonObject, more: JsonObject): Promise<JsonObject> {
    const id = this.id();
    await this.#doors.demand('POST', '/workflows', { id, name: id, actions: [action], ...more });
    return { id: this.id(), type: 'subworkflow', workflow: id, input: {} };
  }
}

/** An action that writes, by itself or by a template. */
async function leafOf(doors: Doors, wrapping: Wrapping, endpoint: string, isTemplate: boolean) {
  const query = 'insert into orders values (1)';
  const id = wrapping.id();
  if (!isTemplate) {
    return { id, type: 'endpoint', endpoint, operation: 'write', input: { query } };
  }
  const template = { endpoint, query };
  await doors.demand('POST', '/templates', { id, name: id, request: 'Write', template });
  return { id, type: 'template', template: id, input: {} };
}

test('a retry is refused exactly where something is reached that its caller may not write', async () => {
  const doors = await startDoors({ POLICY_TTL_MS: 0 });
  await insertEndpoint(doors.gateway, 'shop');
  await insertEndpoint(doors.gateway, 'open');
  const transformationRules = [{ target: 'x', expression: '1' }];
  await doors.demand('POST', '/templates', { id: 'pure', name: 'pure', transformationRules });
  const bob = await doors.person('Write');
  await doors.grant(bob, 'None', 'endpoint', 'shop');
  const wrapping = new Wrapping(doors);
  const branch = fc.record({
    endpoint: fc.constantFrom('shop', 'open', 'open'),
    isTemplate: fc.boolean(),
    ways: fc.array(fc.nat(wrapping.ways.length - 1), { maxLength: 4 }),
  });
  const branches = fc.array(branch, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(branches, async (all) => {
      const made: JsonObject[] = [];
      for (const { endpoint, isTemplate, ways } of all) {
        let action: JsonObject = await leafOf(doors, wrapping, endpoint, isTemplate);
        for (const way of ways) action = (await wrapping.ways[way]?.(action)) ?? action;
        made.push(action);
      }
      const odd = { id: 'odd', type: 'condition', condition: '$.input.n.a.b()', false: null };
      const rest = { id: 'rest', type: 'parallel', branches: made };
      const flow = wrapping.id();
      const actions = [{ ...odd, true: 'rest' }, rest];
      await doors.demand('POST', '/workflows', { id: flow, name: flow, actions });
      const run = await doors.demand('POST', `/workflows/${flow}?synchronous=true`, { n: 1 });
      expect(run).toMatchObject({ status: 'failed' });
      const path = `/workflows/${flow}/executions/${String(run.run_id)}/retry`;
      const { status } = await doors.call('POST', path, undefined, bob);
      expect(status).toBe(all.some(({ endpoint }) => endpoint === 'shop') ? 403 : 202);
    }),
    { seed: SEED, numRuns: CASES },
  );
}, 120_000);
