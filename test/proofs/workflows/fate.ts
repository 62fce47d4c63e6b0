/** What the world outside does to a run, by a seed: model and engine meet the same. */
import type { Json } from '../../../proto/json.ts';
import { Choices } from '../random.ts';

/** How a call, a child's run or a task ends. */
export type Answer =
  | { readonly output: Json }
  | { readonly code: string; readonly details?: Json; readonly retryAfterMs?: number };

/** An answer, and after how many milliseconds it comes. */
interface Timed<Of> {
  readonly ms: number;
  readonly is: Of;
}

/** An event of the log. */
interface Happening {
  readonly at: number;
  readonly source: string;
  readonly event: string;
  readonly data: Json;
}

/** The state of a key of an earlier run. */
type EarlierKey =
  | { readonly is: 'done'; readonly output: Json }
  | { readonly is: 'unknown' }
  | { readonly is: 'held'; readonly until: number; readonly ends: 'done' | 'free' };

const CODES: readonly [string, ...string[]] = [
  'CONNECTION_FAILED',
  'CONNECTION_FAILED',
  'RATE_LIMITED',
  'REQUEST_FAILED',
  'UPSTREAM_STATUS',
  'OUTCOME_UNKNOWN',
  'FORBIDDEN',
  'TIMED_OUT',
  'INTERNAL',
];
/** Longest answer, in milliseconds; times are odd, so that no two things happen at one moment. */
const SLOWEST_MS = 40_000;

/** Everything that a run meets. */
export class Fate {
  readonly #seed: number;
  readonly #failing: number;
  readonly events: readonly Happening[];
  /** When somebody cancels the run. */
  readonly cancelAt: number | undefined;

  constructor(seed: number) {
    this.#seed = seed;
    const choices = new Choices(seed);
    this.#failing = choices.pick([0, 0.1, 0.3, 0.5, 0.8]);
    this.events = eventsOf(choices);
    this.cancelAt = choices.chance(0.12) ? Math.floor(choices.next() * 120_000) + 1 : undefined;
  }

  /** The end of the nth call of an action at a path. @param isTask also a person's, who may say no */
  call(path: string, nth: number): Timed<Answer> {
    const choices = this.#choices(`call ${path} ${nth}`);
    const ms = timeOf(choices);
    if (!choices.chance(this.#failing)) {
      const n = Math.floor(choices.next() * 10);
      const list = Array.from({ length: Math.floor(choices.next() * 4) }, (_, at) => n + at);
      return { ms, is: { output: { n, list, of: `${path}#${nth}` } } };
    }
    const code = choices.pick(CODES);
    if (code === 'UPSTREAM_STATUS') {
      return { ms, is: { code, details: { status: choices.pick([404, 503, 408, 500]) } } };
    }
    const wanted = code === 'RATE_LIMITED' && choices.chance(0.3) ? { retryAfterMs: 20_003 } : {};
    return { ms, is: { code, ...wanted } };
  }

  /** The end of a child's run; undefined where it was started only. */
  child(path: string, nth: number): Timed<Answer> {
    return this.call(`child ${path}`, nth);
  }

  /** Milliseconds until a child that is cancelled has ended. */
  cancelling(path: string): number {
    return timeOf(this.#choices(`cancel ${path}`));
  }

  /** How the undoing of a child's run ends. */
  undoing(path: string): Timed<'none' | 'complete' | 'partial'> {
    const choices = this.#choices(`undo ${path}`);
    return { ms: timeOf(choices), is: choices.pick(['none', 'complete', 'complete', 'partial']) };
  }

  /** What a person does; never where that takes for ever. */
  task(path: string, nth: number): Timed<{ form: Json } | { rejected: string }> | undefined {
    const choices = this.#choices(`task ${path} ${nth}`);
    const ms = timeOf(choices);
    if (choices.chance(0.2)) return undefined;
    if (choices.chance(this.#failing / 2)) return { ms, is: { rejected: 'no' } };
    return { ms, is: { form: { n: Math.floor(choices.next() * 10) } } };
  }

  /** When a callback comes after the wait began. */
  callback(path: string, nth: number): Timed<Json> | undefined {
    const choices = this.#choices(`callback ${path} ${nth}`);
    const ms = timeOf(choices);
    if (choices.chance(0.3)) return undefined;
    return { ms, is: { n: Math.floor(choices.next() * 10) } };
  }

  earlierKey(name: string): EarlierKey | undefined {
    const choices = this.#choices(`key ${name}`);
    if (choices.chance(0.6)) return undefined;
    const output = { n: Math.floor(choices.next() * 10), list: [1], of: 'an earlier run' };
    if (choices.chance(0.4)) return { is: 'done', output };
    if (choices.chance(0.3)) return { is: 'unknown' };
    return { is: 'held', until: timeOf(choices) * 2 + 1, ends: choices.pick(['done', 'free']) };
  }

  #choices(what: string): Choices {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < what.length; at += 1) {
      hash = Math.imul(hash ^ what.charCodeAt(at), 0x01000193);
    }
    const choices = new Choices(hash);
    choices.next();
    return choices;
  }
}

function timeOf(choices: Choices): number {
  return Math.floor(choices.next() * SLOWEST_MS) + 1;
}

function eventsOf(choices: Choices): Happening[] {
  const events = Array.from({ length: 6 }, () => ({
    at: Math.floor(choices.next() * 90_000) + 1,
    source: choices.pick(['shop', 'bank']),
    event: choices.pick(['paid.all', 'paid.part', 'sent']),
    data: { n: Math.floor(choices.next() * 10) },
  }));
  return events.sort((a, b) => a.at - b.at);
}
