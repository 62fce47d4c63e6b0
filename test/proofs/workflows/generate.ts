/** Random definitions by a seed: all types of actions, nested, with every way to go on and to fail. Spec: workflows.md §1 to §4. */
import type { Json } from '../../../proto/json.ts';
import { Choices } from '../random.ts';
import { expressionsOf, type Visible } from './expressions.ts';
import { addHandlers } from './handlers.ts';
import { EPOCH } from './model/leaves.ts';
import type { Choice, Definition, Target, Written } from './written.ts';

/** Most actions of a definition, those for and beside others counted. */
const ACTIONS_MAX = 12;
const DEPTH_MAX = 3;

/** What an action keeps instead of its output: for none it may be what the output was. */
const REPLACING: [Json, ...Json[]] = [
  { was: '$.output' },
  { n: '$.output?.n', was: '$.output?.of' },
  '$.input.n',
  '$(!$.output)',
  true,
  null,
];

/** Where an action is made. */
interface Spot {
  readonly visible: Visible;
  readonly depth: number;
  readonly isGraph?: boolean;
}

/** A generated workflow with the input of its run. */
interface Case {
  readonly definition: Definition;
  readonly input: Json;
}

/** Makes a definition. */
export function generate(seed: number): Case {
  const choices = new Choices(seed);
  const maker = new Maker(choices, 1 + Math.floor(choices.next() * ACTIONS_MAX));
  const visible: Visible = { ids: [], loops: [], hasError: false };
  const isGraph = choices.chance(0.2);
  const actions = isGraph ? maker.graph(visible) : maker.list({ visible, depth: 0 }, 5);
  const definition: Definition = { name: 'Generated', actions };
  addHandlers(maker, definition, isGraph);
  if (choices.chance(0.15)) {
    const [id] = choices.shuffled(actions.map((action) => action.id));
    definition.output = { kept: `$.actions.${id}?.output`, input: '$.input', text: '$$.input' };
  }
  if (choices.chance(0.1)) definition.executionSettings = { timeout: maker.duration(120) };
  const list = Array.from({ length: Math.floor(choices.next() * 5) }, (_, at) => at);
  return { definition, input: { n: Math.floor(choices.next() * 10), list } };
}

/** Makes actions until there are enough. */
export class Maker {
  readonly choices: Choices;
  #left: number;
  #made = 0;

  constructor(choices: Choices, most: number) {
    this.choices = choices;
    this.#left = most;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** An id that no other action has. */
  id(): string {
    this.#left -= 1;
    this.#made += 1;
    return `a${this.#made}`;
  }

  duration(most: number): string {
    return `PT${(this.choices.next() * most + 0.002).toFixed(3)}S`;
  }

  /** Actions one after the other: each leads to the next, some also elsewhere. */
  list(spot: Spot, most: number): Written[] {
    const { choices } = this;
    const { ids } = spot.visible;
    const known = [...ids];
    const made: Written[] = [];
    const wanted = 1 + Math.floor(choices.next() * most);
    while (made.length === 0 || (made.length < wanted && !this.isFull)) {
      const action = this.action({ ...spot, visible: { ...spot.visible, ids: known } });
      made.push(action);
      known.push(...seenAfter(action));
    }
    for (const [index, action] of made.entries())
      this.#lead(action, made.slice(index + 1), spot, known);
    return made;
  }

  graph(visible: Visible): Written[] {
    const { choices } = this;
    const made: Written[] = [];
    const above = new Map<string, Set<string>>();
    const wanted = 2 + Math.floor(choices.next() * 5);
    while (made.length === 0 || (made.length < wanted && !this.isFull)) {
      const after = made.filter(() => choices.chance(0.4)).map(({ id }) => id);
      const before = new Set(after.flatMap((id) => [id, ...(above.get(id) ?? [])]));
      const ids = made.filter(({ id }) => before.has(id)).flatMap(seenAfter);
      const action = this.action({ visible: { ...visible, ids }, depth: 0, isGraph: true });
      above.set(action.id, before);
      made.push({ ...action, after });
    }
    return made;
  }

  /** What follows an action of a list. */
  #lead(action: Written, later: readonly Written[], spot: Spot, known: readonly string[]): void {
    const { choices } = this;
    const [next] = later;
    const others: Target[] = [...later.map(({ id }) => id), null];
    const ways = (): Pick<Choice, 'true' | 'false'> => {
      const other = choices.pickAny(others) ?? null;
      const pair = [next?.id ?? null, other] as const;
      return choices.chance(0.5)
        ? { true: pair[0], false: pair[1] }
        : { true: pair[1], false: pair[0] };
    };
    if (action.type === 'condition') Object.assign(action, ways());
    else if (next && choices.chance(0.3)) {
      const ids = known.slice(0, known.indexOf(action.id) + 1);
      const condition = expressionsOf(choices, { ...spot.visible, ids }).truth();
      action.next = { condition, ...ways() };
    } else if (next || choices.chance(0.5)) action.next = next?.id ?? null;
    const { timeout } = action;
    if (typeof timeout === 'object' && choices.chance(0.5))
      timeout.action = choices.pickAny(others) ?? null;
  }

  action(spot: Spot): Written {
    const { choices } = this;
    const id = this.id();
    const holds = spot.depth < DEPTH_MAX && !this.isFull && choices.chance(0.4);
    const type = holds
      ? choices.pick(['parallel', 'loop', 'loop', 'parallel', 'dynamicAction'])
      : choices.pick([
          'template',
          'template',
          'endpoint',
          'condition',
          'wait',
          'humanTask',
          'subworkflow',
        ]);
    const isAllowed = !(type === 'condition' && spot.isGraph === true);
    const made = this.#ofType(id, isAllowed ? type : 'template', spot);
    return this.#common(made, spot);
  }

  #ofType(id: string, type: string, spot: Spot): Written {
    const { choices } = this;
    const express = expressionsOf(choices, spot.visible);
    switch (type) {
      case 'parallel':
        return this.#parallel(id, spot);
      case 'loop':
        return this.#loop(id, spot);
      case 'dynamicAction':
        return this.#dynamic(id, spot);
      case 'condition':
        return { id, type, condition: express.truth() };
      case 'wait':
        return this.#wait({ id, type });
      case 'humanTask': {
        const timeout = { duration: this.duration(40) };
        const escalation = choices.chance(0.5) ? { escalation: { roles: ['Admin'] } } : {};
        const timed = choices.chance(0.6) ? { timeout: { ...timeout, ...escalation } } : {};
        return { id, type, title: 'Look', assignees: { roles: ['Write'] }, ...timed };
      }
      case 'subworkflow': {
        const more = choices.chance(0.2) ? { timeout: this.duration(40) } : {};
        const waits = choices.chance(0.25) ? { waitForCompletion: false } : more;
        return { id, type, workflow: 'child', input: express.input(), ...waits };
      }
      case 'endpoint':
        return this.call(id, spot.visible, 'endpoint');
      default:
        return this.call(id, spot.visible, 'template');
    }
  }

  /** An action that is sent to something outside. */
  call(id: string, visible: Visible, type: 'endpoint' | 'template'): Written {
    const { choices } = this;
    const express = expressionsOf(choices, visible);
    const key = choices.chance(0.12) ? { idempotencyKey: express.key() } : {};
    const input = express.input();
    if (type === 'template') return { id, type, template: 't', input, ...key };
    const operation = choices.pick(['write', 'write', 'read'] as const);
    const sent =
      operation === 'read'
        ? { method: 'GET', path: '/x' }
        : { method: 'POST', path: '/x', body: input };
    return { id, type, endpoint: 'e', operation, input: sent, ...key };
  }

  #wait(base: Written): Written {
    const { choices } = this;
    const timed = choices.chance(0.6) ? { timeout: { duration: this.duration(40) } } : {};
    const mode = choices.pick(['event', 'event', 'duration', 'until', 'callback']);
    if (mode === 'duration') return { ...base, mode, duration: this.duration(30), ...timed };
    if (mode === 'callback') return { ...base, mode, ...timed };
    if (mode === 'until') {
      const until = new Date(EPOCH + Math.floor(choices.next() * 90_000)).toISOString();
      return { ...base, mode, until, ...timed };
    }
    const filter = choices.chance(0.4)
      ? { filter: `event.data.n > ${choices.pick(['3', '$.input.n'])}` }
      : {};
    const since = choices.chance(0.3) ? { since: 'wait' } : {};
    return {
      ...{ ...base, eventSource: choices.pick(['shop', 'bank']), ...filter, ...since, ...timed },
      eventPattern: choices.pick(['*', 'paid.*', '*l', 'sent', 'p*t']),
    };
  }

  #parallel(id: string, spot: Spot): Written {
    const { choices } = this;
    const branches: (Written | Written[])[] = [];
    const wanted = 1 + Math.floor(choices.next() * 3);
    while (branches.length === 0 || (branches.length < wanted && !this.isFull)) {
      const inner = { visible: spot.visible, depth: spot.depth + 1 };
      const list = this.list(inner, 2);
      branches.push(list.length === 1 && list[0] && choices.chance(0.5) ? list[0] : list);
    }
    const joined = choices.chance(0.7) ? { joinResults: true } : {};
    const timed = choices.chance(0.15) ? { timeout: this.duration(60) } : {};
    return { id, type: 'parallel', branches, ...joined, ...timed };
  }

  #loop(id: string, spot: Spot): Written {
    const { choices } = this;
    const express = expressionsOf(choices, spot.visible);
    const as = choices.chance(0.4) ? `${id}item` : 'item';
    const index = choices.chance(0.4) ? { index: `${id}at` } : {};
    const inner = [{ as, ...index }, ...spot.visible.loops.filter((loop) => loop.as !== as)];
    const body = this.list(
      { visible: { ...spot.visible, loops: inner }, depth: spot.depth + 1 },
      2,
    );
    const parallel = { mode: 'parallel', maxConcurrency: choices.pick([1, 2, 3, 10]) };
    return {
      ...{ id, type: 'loop', collection: express.list(), ...index },
      ...(as === 'item' ? {} : { as }),
      ...(choices.chance(0.5) ? parallel : {}),
      ...(choices.chance(0.3) ? { continueOnError: true } : {}),
      ...(choices.chance(0.2) ? { aggregation: { all: '$.results', n: '$.results.length' } } : {}),
      ...(choices.chance(0.15) ? { timeout: this.duration(60) } : {}),
      action: body.length === 1 && body[0] && choices.chance(0.5) ? body[0] : body,
    };
  }

  #dynamic(id: string, spot: Spot): Written {
    const { choices } = this;
    const express = expressionsOf(choices, spot.visible);
    const inner = { visible: spot.visible, depth: spot.depth + 1 };
    const options: Record<string, Written> = {};
    const wanted = 1 + Math.floor(choices.next() * 2);
    for (let at = 0; at === 0 || (at < wanted && !this.isFull); at += 1) {
      options[choices.chance(0.5) ? String(at) : `o${at}`] = this.action(inner);
    }
    const names = Object.keys(options);
    const named = choices.chance(0.6) ? { default: choices.pickAny(names) ?? '' } : {};
    const expression = choices.pick([`(${express.number()}) % 2`, "'o0'", "'o1'", "'none'"]);
    return { id, type: 'dynamicAction', selection: { expression, options, ...named } };
  }

  /** What every type may have. */
  #common(action: Written, spot: Spot): Written {
    const { choices } = this;
    if (choices.chance(0.05)) {
      action.idempotencyKey ??= expressionsOf(choices, spot.visible).key();
    }
    if (choices.chance(0.15)) action.output = choices.pick(REPLACING);
    if (this.isFull || action.type === 'condition' || !choices.chance(0.3)) return action;
    const visible: Visible = {
      ...spot.visible,
      ids: [...spot.visible.ids, action.id],
      hasError: true,
    };
    return {
      ...action,
      compensation: this.call(this.id(), visible, choices.pick(['template', 'endpoint'])),
    };
  }
}

/** Actions that can be named after one has ended: those inside it, too, except for loops. */
function seenAfter(action: Written): string[] {
  const branches = (action.branches ?? []).flat();
  const options = Object.values(action.selection?.options ?? {});
  return [action.id, ...[...branches, ...options].flatMap(seenAfter)];
}
