/** Runs a workflow in memory to its end: calls answer as a test says, times come when nothing else is left. */
import { type Json, parseJson } from '../../../../proto/json.ts';
import type { Failure, Node } from '../journal.ts';
import { attemptEnded, beginRun, claimed, due } from '../machine.ts';
import { BEGINS_MAX } from '../turn.ts';
import { MemoryJournal, newRun, turnAt, workflowOf } from './memory-journal.ts';

/** What an attempt answers: its output, or a failure by its code. */
type Answer = { readonly output: Json } | { readonly code: string; readonly details?: Json };

/** Answers the attempt of an action. @param attempt from 1 */
export type Answers = (path: string, attempt: number, input: Json) => Answer;

/** A workflow under test. */
export class World {
  readonly journal = new MemoryJournal();
  readonly workflow;
  readonly run;
  /** Attempts, in the order in which they began: `path#attempt`. */
  readonly made: string[] = [];
  now = 1000;
  /** Nodes that a transition begins at most where others can wait. */
  beginsMax = BEGINS_MAX;
  readonly #answers: Answers;

  constructor(
    definition: { readonly [member: string]: Json },
    input: Json = {},
    answers: Answers = () => ({ output: null }),
  ) {
    this.workflow = workflowOf(definition);
    this.run = newRun(this.journal, input);
    this.#answers = answers;
  }

  turn() {
    return turnAt(this.workflow, this.journal, this.run, this.now, this.beginsMax);
  }

  begin(): this {
    beginRun(this.turn());
    return this;
  }

  /** Answers calls and lets times come, until there is nothing more to do. @param most of times */
  go(most = 1000): this {
    for (let step = 0; step < most; step += 1) {
      this.#claims();
      const call = this.journal.calls.shift();
      if (call) this.reply(call);
      else if (!this.nextDue()) return this;
    }
    throw new Error('The run does not end');
  }

  /** Answers what is in flight, and lets no time come. */
  answer(): this {
    this.#claims();
    for (let call = this.journal.calls.shift(); call; call = this.journal.calls.shift()) {
      this.reply(call);
      this.#claims();
    }
    return this;
  }

  #claims(): void {
    for (const effect of this.journal.effects.splice(0)) {
      if (effect.do === 'claim') claimed(this.turn(), effect.path, { is: 'own' });
      else this.told.push(effect.do === 'tell' ? effect.event : effect.do);
    }
  }

  /** What was asked for outside, by its name. */
  readonly told: string[] = [];

  /** Answers one call. */
  reply({ path, attempt }: { path: string; attempt: number }): void {
    this.now += 1;
    this.made.push(`${path}#${attempt}`);
    const node = this.node(path);
    const input = node.input === undefined ? null : parseJson(this.journal.text(node.input));
    const answer = this.#answers(path, attempt, input);
    if ('output' in answer) {
      const output = this.journal.keep(JSON.stringify(answer.output));
      attemptEnded(this.turn(), path, attempt, { output });
      return;
    }
    const failure: Failure = { ...answer, message: 'as the test says', action: node.action };
    attemptEnded(this.turn(), path, attempt, { failure });
  }

  /** Lets the next time come; answers whether there is one. */
  nextDue(): boolean {
    const next = this.journal.dues
      .filter(({ kind }) => kind !== 'deadline')
      .sort((a, b) => a.at - b.at)[0];
    if (!next) return false;
    this.now = Math.max(this.now, next.at);
    const turn = this.turn();
    turn.journal.undue(next.path, next.kind);
    due(turn, next.path, next.kind);
    return true;
  }

  node(path: string): Node {
    const node = this.journal.node(path);
    if (!node) throw new Error(`There is no node ${path}`);
    return node;
  }

  /** The state of every action, in the order of their starts. */
  statuses(): Record<string, string> {
    return Object.fromEntries(this.journal.nodes.map(({ path, status }) => [path, status]));
  }

  get output(): Json | undefined {
    return this.run.output === undefined
      ? undefined
      : parseJson(this.journal.text(this.run.output));
  }

  get error(): Json | undefined {
    return this.run.error === undefined ? undefined : parseJson(this.journal.text(this.run.error));
  }
}
