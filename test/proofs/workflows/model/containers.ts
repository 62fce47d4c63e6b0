/** Actions that run others: parallel, loop, dynamicAction. Spec: workflows.md §3. */
import type { Json } from '../../../../proto/json.ts';
import { listOf, type Written } from '../written.ts';
import type { Stop } from './clock.ts';
import { evaluate } from './scope.ts';
import { type Act, type At, type Ended, type Made, runList, toldOf } from './steps.ts';
import type { Ran, World } from './world.ts';

/** What runs inside one attempt of a container. */
class Inside {
  readonly stop: Stop;
  failed: Extract<Ended, { is: 'failed' }> | undefined;
  isCut = false;
  readonly #world: World;
  readonly #ran: Ran;
  readonly #outer: Stop;
  readonly #disarm: () => void;

  constructor(world: World, ran: Ran, { timeout }: Written, outer: Stop) {
    this.#world = world;
    this.#ran = ran;
    this.#outer = outer;
    this.stop = outer.inner();
    const failure = { code: 'TIMED_OUT', action: ran.id };
    this.#disarm =
      typeof timeout === 'string'
        ? world.clock.later(msOf(timeout), () => this.fail({ is: 'failed', failure }, ran.path))
        : () => {};
  }

  /** The first failure is the container's, and stops the rest. */
  fail(ended: Extract<Ended, { is: 'failed' }>, where: string): void {
    if (this.failed || this.#outer.isStopped) return;
    this.failed = ended;
    this.#world.noteTies(this.#ran.path, where);
    this.stop.stop();
  }

  end(output: () => Json | undefined): Made {
    this.#disarm();
    if (this.failed) return this.failed;
    return this.isCut ? { is: 'cut' } : { is: 'output', output: output() };
  }
}

/** All branches at once. */
export async function runParallel(
  world: World,
  action: Written,
  ran: Ran,
  { at, act }: { readonly at: At; readonly act: Act },
): Promise<Made> {
  const inside = new Inside(world, ran, action, at.stop);
  const branches = (action.branches ?? []).map(listOf);
  const outputs = await Promise.all(
    branches.map(async (list, branch) => {
      const where = `${ran.path}[${branch}]`;
      const ended = await runList(
        world,
        list,
        { ...at, frame: `${where}.`, stop: inside.stop },
        { act },
      );
      if (ended.is === 'failed') inside.fail(ended, where);
      if (ended.is === 'stopped') inside.isCut = true;
      return ended.is === 'done' ? (ended.output ?? null) : null;
    }),
  );
  return inside.end(() => {
    if (action.joinResults !== true) return null;
    return Object.fromEntries(
      branches.map(([first], branch) => [first?.id ?? '', outputs[branch] ?? null]),
    );
  });
}

/** Element by element, some at a time. @throws ExpressionFailed */
export async function runLoop(
  world: World,
  action: Written,
  ran: Ran,
  { at, act }: { readonly at: At; readonly act: Act },
): Promise<Made> {
  const elements = evaluate(world, action.collection ?? '', at);
  if (!Array.isArray(elements)) {
    return { is: 'failed', failure: { code: 'INVALID_INPUT', action: action.id } };
  }
  world.elements.set(ran.path, elements);
  const inside = new Inside(world, ran, action, at.stop);
  const results: Json[] = [];
  const element = async (index: number) => {
    const where = `${ran.path}[${index}]`;
    const env = new Map([...at.env, [action.id, index]]);
    const inner = { ...at, frame: `${where}.`, env, stop: inside.stop };
    const ended = await runList(world, listOf(action.action ?? []), inner, { act });
    if (ended.is === 'done') results[index] = ended.output ?? null;
    else if (ended.is === 'stopped') inside.isCut = true;
    else if (action.continueOnError === true && ended.route === undefined) {
      results[index] = { error: toldOf(ended.failure) };
    } else inside.fail(ended, where);
  };
  let next = 0;
  const worker = async () => {
    while (next < elements.length && !inside.stop.isStopped) {
      next += 1;
      await element(next - 1);
    }
  };
  const most = action.mode === 'parallel' ? (action.maxConcurrency ?? 10) : 1;
  await Promise.all(Array.from({ length: Math.min(most, elements.length) }, worker));
  return inside.end(() => loopOutput(world, action, at, results));
}

function loopOutput(world: World, action: Written, at: At, results: Json[]): Json {
  const count = results.length;
  if (!action.aggregation) return { results, count };
  const made = Object.entries(action.aggregation).flatMap(([name, source]) => {
    const value = evaluate(world, source, at, { results });
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(made), count };
}

/** One of several. @throws ExpressionFailed */
export async function runDynamic(
  world: World,
  { id, selection }: Written,
  ran: Ran,
  { at, act }: { readonly at: At; readonly act: Act },
): Promise<Made> {
  const chosen = selection && evaluate(world, selection.expression, at);
  const { options = {}, default: otherwise } = selection ?? {};
  const key = typeof chosen === 'string' ? chosen : JSON.stringify(chosen);
  const byDefault = typeof otherwise === 'string' ? options[otherwise] : otherwise;
  const option = key !== undefined && Object.hasOwn(options, key) ? options[key] : byDefault;
  if (!option) return { is: 'failed', failure: { code: 'NO_OPTION', action: id } };
  const ended = await act(world, option, { ...at, frame: `${ran.path}.` });
  if (ended.is === 'stopped') return { is: 'cut' };
  if (ended.is === 'failed') return at.stop.isStopped ? { is: 'cut' } : ended;
  return { is: 'output', output: ended.output };
}

/** Milliseconds of a duration that the generator wrote. */
export function msOf(duration: string): number {
  return Math.round(Number(/^PT([\d.]+)S$/.exec(duration)?.[1]) * 1000);
}

/** A list in which each action waits for others. Its failures are those of branches. */
export async function runGraph(
  world: World,
  list: readonly Written[],
  at: At,
  {
    act,
    onFailure,
  }: { readonly act: Act; onFailure(ended: Extract<Ended, { is: 'failed' }>, where: string): void },
): Promise<Map<string, Ended>> {
  const running = new Map<string, Promise<Ended>>();
  const begin = (action: Written): Promise<Ended> => {
    const known = running.get(action.id);
    if (known !== undefined) return known;
    const before = (action.after ?? []).map((id) => begin(find(list, id)));
    const started = afterAll(before, async () => {
      const ended = await act(world, action, at);
      if (ended.is === 'failed') onFailure(ended, at.frame + action.id);
      return ended;
    });
    running.set(action.id, started);
    return started;
  };
  const ends = await Promise.all(
    list.map(async (action) => [action.id, await begin(action)] as const),
  );
  return new Map(ends);
}

async function afterAll(before: Promise<Ended>[], run: () => Promise<Ended>): Promise<Ended> {
  const ends = await Promise.all(before);
  return ends.every(({ is }) => is === 'done') ? run() : { is: 'stopped' };
}

function find(list: readonly Written[], id: string): Written {
  const found = list.find((action) => action.id === id);
  if (!found) throw new Error(`The graph has no action ${id}`);
  return found;
}
