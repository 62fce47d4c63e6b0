/** A journal in memory, and a world that does what the engine asks for: for tests of the engine alone. */
import { type Json, parseJson } from '../../../../proto/json.ts';
import { readWorkflow } from '../../definition/read.ts';
import type { Workflow } from '../../definition/tree.ts';
import type { Effect } from '../effect.ts';
import { hasEnded } from '../graph.ts';
import type { DueKind, ElementEnd, Journal, Node, Ref, Run } from '../journal.ts';
import { isBelow } from '../paths.ts';
import { joinedText, type TextPart } from '../text-parts.ts';
import { BEGINS_MAX, newTurn, type Turn } from '../turn.ts';

/** Something that is due. */
interface Due {
  readonly at: number;
  readonly path: string;
  readonly kind: DueKind;
}

export class MemoryJournal implements Journal {
  nodes: Node[] = [];
  archived: Node[] = [];
  values: string[] = [''];
  dues: Due[] = [];
  effects: Effect[] = [];
  calls: { path: string; attempt: number }[] = [];
  readonly #elements = new Map<string, Json[]>();
  readonly #results = new Map<string, Map<number, ElementEnd>>();
  readonly #taken = new Set<number>();
  readonly callbacks = new Map<string, Ref>();

  node(path: string): Node | undefined {
    return this.nodes.find((node) => node.path === path);
  }
  readAhead(_paths: readonly string[]): void {}
  add(node: Node): void {
    if (this.node(node.path)) throw new Error(`There is a node ${node.path}`);
    this.nodes.push(node);
  }
  touch(): void {}
  active(): Node[] {
    return this.nodes.filter(({ phase }) => phase !== 'ended');
  }
  activeAfter(below: string, after: string, most: number): Node[] {
    return this.active()
      .filter(({ path }) => path > after && (below === '' || isBelow(path, below)))
      .sort((one, other) => (one.path < other.path ? -1 : 1))
      .slice(0, most);
  }
  isActiveBelow(below: string, fits: (path: string) => boolean): boolean {
    return this.active().some(({ path }) => (below === '' || isBelow(path, below)) && fits(path));
  }
  inFrame(frame: string): Node[] {
    return this.nodes.filter((node) => node.owner === frame);
  }
  ended(): ReadonlySet<string> {
    const main = this.nodes.filter(({ owner, role }) => owner === '' && role === 'step');
    return new Set(main.filter(hasEnded).map(({ action }) => action));
  }
  unfinished(owner: string): Node[] {
    return this.nodes.filter(
      (node) =>
        node.owner === owner &&
        node.phase === 'ended' &&
        (node.role === 'step' || node.role === 'option') &&
        (node.state.held === true ||
          (['failed', 'cancelled'].includes(node.status) && node.state.handled !== true)),
    );
  }
  unfinishedAfter(owner: string, after: string, most: number): Node[] {
    return this.unfinished(owner)
      .filter(({ path }) => path > after)
      .sort((one, other) => (one.path < other.path ? -1 : 1))
      .slice(0, most);
  }
  lastToUndo(below?: string): Node | undefined {
    return this.nodes
      .filter(({ undo, path }) => undo === 'todo' && (below === undefined || isBelow(path, below)))
      .sort((a, b) => b.ended - a.ended)[0];
  }
  archive(below: string): void {
    const isOld = ({ path, phase }: Node) => phase === 'ended' && isBelow(path, below);
    this.archived.push(...this.nodes.filter(isOld));
    this.nodes = this.nodes.filter((node) => !isOld(node));
    for (const path of [...this.#results.keys()]) {
      if (path === below || isBelow(path, below)) this.#results.delete(path);
    }
  }
  hasEscalated(path: string): boolean {
    return this.archived.some((node) => node.path === path && node.state.told === true);
  }
  text(ref: Ref): string {
    const text = this.values[ref];
    if (text === undefined) throw new Error(`There is no value ${ref}`);
    return text;
  }
  ready(): undefined {}
  keep(text: string): Ref {
    return this.values.push(text) - 1;
  }
  sizeOf(): number {
    return 0;
  }
  join(parts: readonly TextPart[]): Ref {
    return this.keep(joinedText(parts, (ref) => this.text(ref)));
  }
  due(at: number, path: string, kind: DueKind): void {
    this.undue(path, kind);
    this.dues.push({ at, path, kind });
  }
  undue(path: string, kind?: DueKind): void {
    this.dues = this.dues.filter(
      (due) => due.path !== path || (kind !== undefined && due.kind !== kind),
    );
  }
  effect(effect: Effect): void {
    this.effects.push(effect);
  }
  call({ path, attempts }: Node): void {
    this.calls.push({ path, attempt: attempts });
  }
  putElements(path: string, first: number, text: string): void {
    const known = first === 0 ? [] : (this.#elements.get(path) ?? []);
    this.#elements.set(path, [...known, ...(parseJson(text) as Json[])]);
  }
  element(path: string, index: number): Json {
    return this.#elements.get(path)?.[index] ?? null;
  }
  putResult(path: string, index: number, end: ElementEnd): void {
    const known = this.#results.get(path) ?? new Map<number, ElementEnd>();
    this.#results.set(path, known.set(index, end));
  }
  *results(path: string, most: number) {
    const known = [...(this.#results.get(path) ?? [])].sort(([a], [b]) => a - b);
    for (const [index, end] of known.slice(0, most)) yield { ...end, index, size: 0 };
  }
  dropResults(path: string, before: number): void {
    const known = this.#results.get(path);
    for (const index of [...(known?.keys() ?? [])]) if (index < before) known?.delete(index);
  }
  hasTaken(event: number): boolean {
    return this.#taken.has(event);
  }
  take(event: number): void {
    this.#taken.add(event);
  }
  takeCallback(path: string): Ref | undefined {
    return this.callbacks.get(path);
  }
  keepCallback(path: string, body: Ref): void {
    this.callbacks.set(path, body);
  }
  callbackUrl(path: string): string {
    return `https://gateway.test/hooks/acme/-/${path}`;
  }
  idOf(what: 'child' | 'task', path: string, ...numbers: readonly number[]): string {
    return [what, path, ...numbers].join(':');
  }
  keyName(action: string, value: string): string {
    return `${action}:${value}`;
  }
  random(): number {
    return 0.5;
  }
}

/** A workflow of actions, read as a stored one is. @throws Error with its first fault */
export function workflowOf(definition: { readonly [member: string]: Json }): Workflow {
  const { workflow, faults } = readWorkflow(
    { name: 'Test', ...definition },
    { kindOf: () => 'http', isStored: true },
  );
  if (!workflow) throw new Error(JSON.stringify(faults));
  return workflow;
}

/** A run that has not begun. */
export function newRun(journal: MemoryJournal, input: Json): Run {
  return {
    id: 'run',
    depth: 1,
    status: 'queued',
    stop: undefined,
    undoing: 'no',
    undone: 0,
    notUndone: 0,
    startedAt: 0,
    endedAt: 0,
    deadline: 0,
    trigger: { type: 'api' },
    version: '1.0.0',
    key: undefined,
    input: journal.keep(JSON.stringify(input)),
    output: undefined,
    error: undefined,
    routed: undefined,
    eventsAfter: 0,
    inFlight: 0,
    order: 0,
    closing: false,
    finishing: undefined,
    last: undefined,
  };
}

/** A transition at a time. @param beginsMax nodes that it begins at most where others can wait */
export function turnAt(
  workflow: Workflow,
  journal: MemoryJournal,
  run: Run,
  now: number,
  beginsMax = BEGINS_MAX,
): Turn {
  const bounds = { fuel: 1_000_000, depth: 100, outputBytes: 10_000_000 };
  return newTurn({ workflow, journal, run, now, bounds }, beginsMax);
}
