/** Random definitions in which nothing is wrong. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../proto/json.ts';

/** Actions of one definition at most, except those that a last one holds. */
const MOST = 40;

/** Makes a definition out of a list of choices, so that it shrinks with them. */
class Making {
  readonly #choices: readonly number[];
  #at = 0;
  #count = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  /** One of some, in turn by the choices; without any left the first. */
  pick<Item>(first: Item, ...others: readonly Item[]): Item {
    const choice = this.#choices[this.#at] ?? 0;
    this.#at += 1;
    return [first, ...others][choice % (others.length + 1)] ?? first;
  }

  /** @param seen ids that its expressions may name */
  list(seen: readonly string[], depth: number): JsonObject[] {
    const ids = Array.from({ length: this.pick(1, 2, 3, 4) }, () => this.#id());
    const isGraph = this.pick(false, false, true);
    return ids.map((id, at) => {
      const before = [...seen, ...ids.slice(0, at)];
      const action = this.#action(id, before, { depth, isGraph });
      const previous = ids[at - 1];
      // In a graph each comes after the one before it, so that it sees all of them.
      if (isGraph) return { ...action, after: previous === undefined ? [] : [previous] };
      return { ...action, ...this.#ways(action, ids.slice(at + 1)) };
    });
  }

  #id(): string {
    this.#count += 1;
    return `${this.pick('a', 'b-', 'C_')}${this.#count}`;
  }

  /** What follows, always also the next of the list. */
  #ways(action: JsonObject, later: readonly string[]): JsonObject {
    const [next = null, ...others] = later;
    const other = this.pick<string | null>(null, next, ...others);
    if (action.type === 'condition') return { true: next, false: other };
    const choice = {
      condition: `$.actions["${action.id}"].status === 'ok'`,
      true: next,
      false: other,
    };
    return { next: this.pick<Json>(next, choice) };
  }

  #value(seen: readonly string[]): Json {
    const id = this.pick('', ...seen);
    const named = id === '' ? '$.input.x' : `$.actions["${id}"].output`;
    return this.pick<Json>(
      named,
      { a: named, b: ['$$.text', `$(${named} ?? 1)`] },
      '$.trigger.time',
      7,
      '$',
    );
  }

  #action(
    id: string,
    seen: readonly string[],
    { depth, isGraph }: { readonly depth: number; readonly isGraph: boolean },
  ): JsonObject {
    const common = { id, ...this.#common(seen) };
    const leaf = { ...common, type: 'template', template: 't', input: this.#value(seen) };
    const leaves: JsonObject[] = [
      leaf,
      {
        ...common,
        type: 'endpoint',
        endpoint: 'sql',
        operation: 'read',
        input: { query: 'select $1', params: [this.#value(seen)] },
      },
      { ...common, type: 'subworkflow', workflow: 'w', waitForCompletion: this.pick(true, false) },
      { ...common, type: 'wait', mode: 'duration', duration: this.pick('PT1S', '$.input.time') },
      { ...common, type: 'humanTask', title: 'T', assignees: { roles: ['Admin'] } },
      ...(isGraph ? [] : [{ ...common, type: 'condition', condition: '$.input.x' }]),
    ];
    if (depth === 0 || this.#count > MOST) return this.pick(leaf, ...leaves);
    const inner = () => this.list(seen, depth - 1);
    const options = {
      x: { type: 'template', template: 't' },
      y: this.#action(this.#id(), seen, { depth: depth - 1, isGraph: false }),
    };
    return this.pick<() => JsonObject>(
      () => this.pick(leaf, ...leaves),
      () => ({ ...common, type: 'parallel', branches: [inner(), inner()], joinResults: true }),
      () => ({
        ...common,
        type: 'loop',
        collection: '$.input.all',
        as: 'row',
        index: 'at',
        action: inner(),
      }),
      () => ({
        ...common,
        type: 'dynamicAction',
        selection: { expression: '$.input.k', options: { [this.#id()]: options.x, y: options.y } },
      }),
    )();
  }

  #common(seen: readonly string[]): JsonObject {
    const compensation = {
      id: this.#id(),
      type: 'template',
      template: 'u',
      input: this.#value(seen),
    };
    return this.pick<() => JsonObject>(
      () => ({}),
      () => ({ name: 'N', output: '$.output' }),
      () => ({ idempotencyKey: '$.input.id' }),
      () => ({ compensation }),
    )();
  }
}

/** A definition that is taken. */
export const definitions: fc.Arbitrary<JsonObject> = fc
  .array(fc.nat({ max: 1_000 }), { minLength: 60, maxLength: 400 })
  .map((choices) => {
    const making = new Making(choices);
    const actions = making.list([], 2);
    const fallback = { id: 'fallback', type: 'template', template: 't' };
    const retry = { maxAttempts: making.pick(1, 5), retryableErrors: ['*'] };
    return {
      name: 'w',
      actions,
      errorHandler: making.pick<JsonObject>({}, { default: { retry, fallback } }),
    };
  });
