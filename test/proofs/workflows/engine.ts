/** The gateway's engine over a journal in memory, in the same world as the model. */
import { type Json, parseJson } from '../../../proto/json.ts';
import {
  calledBack,
  childEnded,
  childUndone,
  eventArrived,
  taskEnded,
} from '../../../worker/workflows/engine/arrivals.ts';
import type { Effect } from '../../../worker/workflows/engine/effect.ts';
import type { Failure, Run } from '../../../worker/workflows/engine/journal.ts';
import {
  attemptEnded,
  beginRun,
  cancel,
  claimed,
  due,
} from '../../../worker/workflows/engine/machine.ts';
import {
  MemoryJournal,
  newRun,
  turnAt,
  workflowOf,
} from '../../../worker/workflows/engine/test/memory-journal.ts';
import { compensationOf } from '../../../worker/workflows/runs/compensation.ts';
import { plain, readAnew, type Ways } from './anew.ts';
import { EngineKeys } from './engine-keys.ts';
import { EngineTasks } from './engine-tasks.ts';
import type { Answer, Fate } from './fate.ts';
import { EPOCH, eventOf, isNamed } from './model/leaves.ts';
import type { Told } from './model/run.ts';
import { effectOf } from './model/world.ts';
import type { Definition } from './written.ts';

/** Transitions of one run: more is a run that never ends. */
const TURNS_MAX = 20_000;

interface Later {
  readonly at: number;
  readonly of: string;
  readonly run: () => void;
}

/** Runs a definition. @throws Error when it is none, or its run does not end */
export function runEngine(definition: Definition, input: Json, fate: Fate, ways: Ways = {}): Told {
  return new EngineRun(definition, input, fate, ways).go();
}

class EngineRun {
  readonly #journal = new MemoryJournal();
  readonly #workflow;
  #run: Run;
  readonly #fate: Fate;
  readonly #ways: Ways;
  #now = EPOCH;
  #later: Later[] = [];
  readonly #effects: string[] = [];
  readonly #calls = new Map<string, number>();
  readonly #children = new Set<string>();
  readonly #callbacks = new Set<string>();
  readonly #keys: EngineKeys;
  readonly #tasks: EngineTasks;
  #listeners: Extract<Effect, { do: 'listen' }>[] = [];

  constructor(definition: Definition, input: Json, fate: Fate, ways: Ways) {
    this.#ways = ways;
    // A definition as JSON has it.
    this.#workflow = workflowOf(
      JSON.parse(JSON.stringify(definition)) as { [member: string]: Json },
    );
    this.#run = newRun(this.#journal, input);
    this.#fate = fate;
    this.#keys = new EngineKeys({
      fate,
      journal: this.#journal,
      now: () => this.#now - EPOCH,
      after: (ms, end) => this.#in(ms, 'key', end),
      answer: (path, answer) => claimed(this.#turn(), path, answer),
    });
    this.#tasks = new EngineTasks({
      fate,
      nth: (path) => this.#nth(`task ${path}`),
      after: (ms, path, end) => this.#in(ms, `task ${path}`, end),
      log: (what, path) => this.#log(what, path),
      end: (path, ended) => taskEnded(this.#turn(), path, ended),
    });
  }

  go(): Told {
    for (const [index, { at }] of this.#fate.events.entries()) {
      this.#in(at, 'event', () => this.#happened(index));
    }
    const { cancelAt } = this.#fate;
    if (cancelAt !== undefined) this.#in(cancelAt, 'cancel', () => cancel(this.#turn()));
    beginRun(this.#turn());
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      this.#perform();
      if (this.#run.endedAt !== 0) return this.#told();
      this.#next();
    }
    throw new Error('The run does not end');
  }

  #turn() {
    const { beginsMax, isReadAnew } = this.#ways;
    if (isReadAnew) this.#journal.nodes = this.#journal.nodes.map(readAnew);
    if (isReadAnew) this.#run = { ...this.#run, ...readAnew(this.#run) };
    return turnAt(this.#workflow, this.#journal, this.#run, this.#now, beginsMax);
  }

  #in(ms: number, of: string, run: () => void): void {
    this.#later.push({ at: this.#now + ms, of, run });
  }

  #forget(of: string): void {
    this.#later = this.#later.filter((each) => each.of !== of);
  }

  #nth(what: string): number {
    const nth = (this.#calls.get(what) ?? 0) + 1;
    this.#calls.set(what, nth);
    return nth;
  }

  #log(what: string, path: string, value?: Json): void {
    const shown = value === undefined ? undefined : plain(value);
    this.#effects.push(effectOf(this.#now - EPOCH, what, path, shown));
  }

  /** Lets the next thing happen. */
  #next(): void {
    const [first] = this.#later.sort((one, other) => one.at - other.at);
    // What was put off comes first, as if it had not been: the model knows of no pieces.
    const [due1] = [...this.#journal.dues].sort(
      (one, other) => one.at - other.at || Number(other.kind === 'go') - Number(one.kind === 'go'),
    );
    if (!first && !due1) throw new Error('Nothing more happens, and the run has not ended');
    if (due1 && (!first || due1.at <= first.at)) {
      this.#now = Math.max(this.#now, due1.at);
      this.#journal.undue(due1.path, due1.kind);
      due(this.#turn(), due1.path, due1.kind);
    } else if (first) {
      this.#later = this.#later.filter((each) => each !== first);
      this.#now = Math.max(this.#now, first.at);
      first.run();
    }
  }

  #perform(): void {
    const { effects, calls } = this.#journal;
    while (effects.length > 0 || calls.length > 0) {
      for (const { path, attempt } of calls.splice(0)) this.#call(path, attempt);
      for (const effect of effects.splice(0)) this.#do(effect);
    }
    for (const { path, phase, state, attempts } of this.#journal.active()) {
      if (phase === 'wait' && state.wait === 'callback') this.#expectCallback(path, attempts);
    }
  }

  #input(path: string): Json {
    const { input } = this.#node(path);
    return input === undefined ? null : parseJson(this.#journal.text(input));
  }

  #node(path: string) {
    const node = this.#journal.node(path);
    if (!node) throw new Error(`There is no node ${path}`);
    return node;
  }

  #failure(path: string, answer: Exclude<Answer, { output: Json }>): Failure {
    return { ...answer, message: 'as the seed says', action: this.#node(path).action };
  }

  #call(path: string, attempt: number): void {
    this.#log('call', path, this.#input(path));
    const { ms, is } = this.#fate.call(path, this.#nth(`call ${path}`));
    this.#in(ms, `call ${path}`, () => {
      const outcome =
        'output' in is
          ? { output: this.#journal.keep(JSON.stringify(is.output)) }
          : { failure: this.#failure(path, is) };
      attemptEnded(this.#turn(), path, attempt, outcome);
    });
  }

  #expectCallback(path: string, attempts: number): void {
    const { begun } = this.#node(path);
    const place = `${path}#${attempts}#${begun}`;
    if (this.#callbacks.has(place)) return;
    this.#callbacks.add(place);
    const coming = this.#fate.callback(path, this.#nth(`callback ${path}`));
    if (!coming) return;
    this.#in(coming.ms, `callback ${path}`, () => {
      const node = this.#journal.node(path);
      if (node?.begun !== begun || node.attempts !== attempts) return;
      calledBack(this.#turn(), path, JSON.stringify(coming.is));
    });
  }

  #do(effect: Effect): void {
    if (effect.do === 'claim') this.#keys.claim(effect.path, effect.key);
    else if (effect.do === 'settle') this.#keys.settle(effect);
    else if (effect.do === 'start-child') this.#startChild(effect);
    else if (effect.do === 'cancel-child') this.#cancelChild(effect.path, effect.child);
    else if (effect.do === 'undo-child') this.#undoChild(effect.path);
    else if (effect.do === 'tell') this.#tell(effect);
    else this.#attend(effect);
  }

  /** Tasks and waits for events. */
  #attend(effect: Effect): void {
    if (effect.do === 'open-task') this.#tasks.open(effect);
    else if (effect.do === 'listen') this.#listen(effect);
    else if (effect.do === 'unlisten') {
      this.#listeners = this.#listeners.filter(({ path }) => path !== effect.path);
    } else if (effect.do === 'close-task') {
      this.#log('close-task', effect.path, effect.status);
      this.#forget(`task ${effect.path}`);
    }
  }

  #tell({ event, path, data: { action: _, ...data } }: Extract<Effect, { do: 'tell' }>): void {
    if (event === 'action.escalated') this.#log('escalated', path, data);
  }

  #startChild({ path, child, waits }: Extract<Effect, { do: 'start-child' }>): void {
    this.#log('start-child', path, this.#input(path));
    if (this.#children.has(child)) throw new Error(`Two runs have the id ${child}`);
    this.#children.add(child);
    const { ms, is } = this.#fate.child(path, this.#nth(`child ${path}`));
    this.#in(ms, `child ${child}`, () => {
      if (!waits) childEnded(this.#turn(), path, child, { is: 'started' });
      else if ('output' in is) {
        const output = this.#journal.keep(JSON.stringify(is.output));
        childEnded(this.#turn(), path, child, { is: 'succeeded', output });
      } else
        childEnded(this.#turn(), path, child, { is: 'failed', failure: this.#failure(path, is) });
    });
  }

  #cancelChild(path: string, child: string): void {
    if (this.#later.some(({ of }) => of === `end ${child}`)) return;
    this.#log('cancel-child', path);
    this.#forget(`child ${child}`);
    this.#in(this.#fate.cancelling(path), `end ${child}`, () => {
      const failure = this.#failure(path, { code: 'CANCELLED' });
      childEnded(this.#turn(), path, child, { is: 'failed', failure });
    });
  }

  #undoChild(path: string): void {
    this.#log('undo-child', path);
    const { ms, is } = this.#fate.undoing(path);
    this.#in(ms, `undo ${path}`, () => childUndone(this.#turn(), path, is));
  }

  #listen(effect: Extract<Effect, { do: 'listen' }>): void {
    this.#listeners.push(effect);
    const { after } = effect;
    if (after === undefined) return;
    for (const [index, { at }] of this.#fate.events.entries()) {
      const isThere = EPOCH + at <= this.#now && index + 1 > after;
      if (isThere && this.#offer(effect, index)) return;
    }
  }

  #happened(index: number): void {
    for (const listener of [...this.#listeners]) {
      if (this.#offer(listener, index) && this.#journal.hasTaken(index + 1)) return;
    }
  }

  #offer({ path, source, pattern }: Extract<Effect, { do: 'listen' }>, index: number): boolean {
    const event = this.#fate.events[index];
    if (!event || event.source !== source || !isNamed(pattern, event.event)) return false;
    const offered = { seq: index + 1, text: JSON.stringify(eventOf(event)) };
    return eventArrived(this.#turn(), path, offered);
  }

  #told(): Told {
    const { status, output, error, endedAt } = this.#run;
    const value = (ref: number | undefined) =>
      ref === undefined ? undefined : plain(parseJson(this.#journal.text(ref)));
    return {
      ...{ status, output: value(output), error: value(error) },
      ...{ compensation: compensationOf(this.#run), endedAt: endedAt - EPOCH },
      effects: [...this.#effects].sort(),
      actions: [...this.#journal.archived, ...this.#journal.nodes]
        .map((node) => `${node.path} ${node.status}`)
        .sort(),
    };
  }
}
