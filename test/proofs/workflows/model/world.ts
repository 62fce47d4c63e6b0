/** What the model knows of a run: actions that ran, what happened outside, keys, events. */
import type { Json } from '../../../../proto/json.ts';
import type { Fate } from '../fate.ts';
import { Clock } from './clock.ts';
import type { Tree } from './tree.ts';

/** Which element each loop around an action is at. */
export type Env = ReadonlyMap<string, number>;

/** One action of a run, as far as it went. */
export interface Ran {
  readonly path: string;
  readonly id: string;
  readonly env: Env;
  readonly started: number;
  ended: number;
  /** Place in the order of ends. */
  order: number;
  status: string;
  attempts: number;
  output: Json | undefined;
  /** Of a condition: what it decided itself. */
  holds: boolean | undefined;
  error: Json | undefined;
  by: string | undefined;
  /** To be undone when the run fails. */
  toUndo: boolean;
  /** It is unknown whether an attempt had its effect. */
  isUnknown: boolean;
  hasEscalated: boolean;
  key: string | undefined;
}

/** The state of an idempotency key. */
export type Key =
  | { readonly is: 'held'; readonly path: string }
  | { readonly is: 'done'; readonly output: Json | undefined }
  | { readonly is: 'unknown' };

/** A wait for an event. */
interface EventWaiter {
  readonly began: number;
  readonly wants: (event: number) => boolean;
  readonly take: (event: number) => void;
}

/** Everything that the model of one run shares. */
export class World {
  readonly clock = new Clock();
  readonly tree: Tree;
  readonly fate: Fate;
  readonly input: Json;
  /** Those that expressions see, by their paths. */
  readonly ran = new Map<string, Ran>();
  /** Those of attempts of containers that were made again. */
  readonly before: Ran[] = [];
  /** What happened outside: moment, what, where, with what. */
  readonly effects: string[] = [];
  readonly keys = new Map<string, Key>();
  /** When each key was last taken, and when it last came to an end. */
  readonly keysTaken = new Map<string, number>();
  readonly keysEnded = new Map<string, number>();
  readonly keyWaiters: { readonly name: string; readonly ask: () => void }[] = [];
  readonly eventWaiters: EventWaiter[] = [];
  /** Events that were taken, and when the wait of each began. */
  readonly taken = new Map<number, number>();
  readonly escalations: Promise<unknown>[] = [];
  readonly told = new Set<string>();
  readonly elements = new Map<string, Json[]>();
  routed: Json | undefined;
  error: Json | undefined;
  undone = 0;
  notUndone = 0;
  isTied = false;
  isOpenInPieces = false;
  #order = 0;
  readonly #calls = new Map<string, number>();

  constructor(tree: Tree, fate: Fate, input: Json) {
    this.tree = tree;
    this.fate = fate;
    this.input = input;
  }

  begin(path: string, id: string, env: Env): Ran {
    const ran: Ran = {
      ...{ path, id, env, started: this.clock.now, ended: -1, order: 0, status: 'running' },
      ...{ attempts: 0, output: undefined, error: undefined, by: undefined, toUndo: false },
      ...{ isUnknown: false, hasEscalated: false, key: undefined, holds: undefined },
    };
    this.ran.set(path, ran);
    return ran;
  }

  end(ran: Ran, status: string): void {
    this.#order += 1;
    Object.assign(ran, { status, ended: this.clock.now, order: this.#order });
  }

  /** How often something was called at a path, this time counted. */
  nth(what: string): number {
    const nth = (this.#calls.get(what) ?? 0) + 1;
    this.#calls.set(what, nth);
    return nth;
  }

  log(what: string, path: string, value?: Json): void {
    this.effects.push(effectOf(this.clock.now, what, path, value));
  }

  /** Something failed at this moment: what else began at it might as well not have begun. */
  noteTies(below: string, except: string): void {
    for (const { path, started } of this.ran.values()) {
      const isBeside = isBelow(path, below) && path !== except && !isBelow(except, path);
      if (isBeside && started === this.clock.now && !isBelow(path, except)) this.isTied = true;
    }
  }
}

/** An effect as it is compared. */
export function effectOf(at: number, what: string, path: string, value?: Json): string {
  const shown = value === undefined ? '' : ` ${JSON.stringify(value)}`;
  return `${String(at).padStart(12)} ${what} ${path}${shown}`;
}

/** Whether a path is part of another; of everything, with an empty one. */
export function isBelow(path: string, container: string): boolean {
  if (container === '') return true;
  return path.startsWith(`${container}.`) || path.startsWith(`${container}[`);
}
