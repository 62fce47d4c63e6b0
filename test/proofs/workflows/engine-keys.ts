/** Idempotency keys next to the engine, as the objects that own them keep them. */
import type { Json } from '../../../proto/json.ts';
import type { Effect } from '../../../worker/workflows/engine/effect.ts';
import type { Journal } from '../../../worker/workflows/engine/journal.ts';
import type { Claimed } from '../../../worker/workflows/engine/machine.ts';
import type { Fate } from './fate.ts';
import { EARLIER } from './model/keys.ts';

type Key =
  | { readonly is: 'held'; readonly path: string }
  | { readonly is: 'done'; readonly text: string | undefined }
  | { readonly is: 'unknown' };

/** What the keys of one run are kept in. */
interface Around {
  readonly fate: Fate;
  readonly journal: Pick<Journal, 'keep' | 'text'>;
  /** Milliseconds since the run's start. */
  now(): number;
  after(ms: number, end: () => void): void;
  answer(path: string, answer: Claimed): void;
}

/** Keys that runs claim and settle. */
export class EngineKeys {
  readonly #around: Around;
  readonly #keys = new Map<string, Key>();
  readonly #asked = new Set<string>();
  #waiters: { readonly name: string; readonly path: string }[] = [];

  constructor(around: Around) {
    this.#around = around;
  }

  /** Answers a node that asks for a key, at once or when the key has ended. */
  claim(path: string, name: string): void {
    const key = this.#keyOf(name);
    let answer: Claimed = { is: 'elsewhere' };
    if (!key) {
      this.#keys.set(name, { is: 'held', path });
      answer = { is: 'own' };
    } else if (key.is === 'unknown') answer = { is: 'unknown' };
    else if (key.is === 'done') {
      const output = key.text === undefined ? undefined : this.#around.journal.keep(key.text);
      answer = { is: 'done', output };
    } else if (key.path === path) answer = { is: 'own' };
    else this.#waiters.push({ name, path });
    this.#around.answer(path, answer);
  }

  /** Takes the end of a key from the node that holds it. */
  settle({ path, key: name, as, output }: Extract<Effect, { do: 'settle' }>): void {
    const key = this.#keys.get(name);
    const isOwn = key?.is === 'done' || key?.is === 'unknown' || key?.path === path;
    if (!isOwn || (key?.is !== 'held' && as !== 'free')) {
      this.#waiters = this.#waiters.filter((each) => each.path !== path || each.name !== name);
      return;
    }
    const text = output === undefined ? undefined : this.#around.journal.text(output);
    const known: Record<typeof as, Key | undefined> = {
      done: { is: 'done', text },
      unknown: { is: 'unknown' },
      free: undefined,
    };
    this.#end(name, known[as]);
  }

  #keyOf(name: string): Key | undefined {
    const known = this.#keys.get(name);
    if (known || this.#asked.has(name)) return known;
    this.#asked.add(name);
    const earlier = this.#around.fate.earlierKey(name);
    if (!earlier) return undefined;
    const key = this.#earlierKey(name, earlier);
    this.#keys.set(name, key);
    return key;
  }

  /** The key of an earlier run, which may end while this one runs. */
  #earlierKey(name: string, earlier: NonNullable<ReturnType<Fate['earlierKey']>>): Key {
    const done = (output: Json): Key => ({ is: 'done', text: JSON.stringify(output) });
    if (earlier.is === 'done') return done(earlier.output);
    if (earlier.is === 'unknown') return { is: 'unknown' };
    const { until, ends } = earlier;
    const output = { n: 1, list: [], of: EARLIER };
    const end = () => this.#end(name, ends === 'free' ? undefined : done(output));
    this.#around.after(Math.max(1, until - this.#around.now()), end);
    return { is: 'held', path: EARLIER };
  }

  #end(name: string, key: Key | undefined): void {
    if (key) this.#keys.set(name, key);
    else this.#keys.delete(name);
    const told = this.#waiters.filter((each) => each.name === name);
    this.#waiters = this.#waiters.filter((each) => each.name !== name);
    for (const { path } of told) this.claim(path, name);
  }
}
