/** Cases by seed: functions of a real server by every way of SQL. */
import type { Json } from '../../../proto/json.ts';
import type { Choices } from '../random.ts';
import type { Catalog, ServerFunction } from './catalog.ts';
import { NOTATIONS } from './notations.ts';
import { OBJECTS } from './objects.ts';
import { OPERATORS } from './operators.ts';
import { placesOf } from './positions.ts';
import type { Values } from './values.ts';
import { callOf, type Made, type Subject, type Way } from './way.ts';

/** How a statement reaches the driver. */
type Channel =
  | 'query'
  | 'query_typed'
  | 'simple_read_only'
  | 'copy_out'
  | 'stream'
  | 'on a write connection';

/** One try. */
export interface Case {
  readonly way: string;
  readonly called: ServerFunction;
  /** Sent by somebody else before, as superuser. */
  readonly setup: readonly string[];
  readonly query: string;
  readonly params: readonly Json[];
  readonly channel: Channel;
}

/** Every way. */
export const WAYS: Readonly<Record<string, Way>> = { ...NOTATIONS, ...OPERATORS, ...OBJECTS };

const CHANNELS = [
  'query',
  'query',
  'query',
  'query_typed',
  'simple_read_only',
  'copy_out',
  'stream',
  'on a write connection',
] as const;

/** Of cases, so many are of functions that may change something. */
const RISKY_PART = 0.75;
const TRIES = 12;

/** Types that no SQL statement has values of. */
const UNCALLABLE = /^(?:internal|trigger|event_trigger|\w+_handler)$/;

/** Makes cases without end. */
export class Cases {
  readonly #catalog: Catalog;
  readonly #values: Values;
  readonly #choices: Choices;
  readonly #version: number;
  readonly #risky: readonly ServerFunction[];
  readonly #tame: readonly ServerFunction[];
  readonly #waiting = new Map<string, ServerFunction[]>();
  #id = 0;

  constructor(of: { catalog: Catalog; values: Values; version: number }, choices: Choices) {
    this.#catalog = of.catalog;
    this.#values = of.values;
    this.#version = of.version;
    this.#choices = choices;
    const callable = of.catalog.functions.filter((each) => this.isCallable(each));
    this.#risky = callable.filter(isRisky);
    this.#tame = callable.filter((each) => !isRisky(each));
  }

  /** Functions that can be run on a read at all. */
  get callable(): readonly ServerFunction[] {
    return [...this.#risky, ...this.#tame];
  }

  /** Whether SQL can give it arguments. */
  isCallable({ args, kind, schema }: ServerFunction): boolean {
    const types = args.map((oid) => this.#catalog.types.get(oid)?.typname ?? 'internal');
    return kind !== 'p' && schema !== 'w' && !types.some((name) => UNCALLABLE.test(name));
  }

  /** A direct call: what the guard says about it, it must say of every other way. */
  direct(called: ServerFunction): Case | undefined {
    const subject = this.#subject(called);
    if (!subject) return undefined;
    const call = called.kind === 'f' ? { expression: callOf(subject) } : this.#aggregate(subject);
    if (!call || !('expression' in call)) return undefined;
    const query = `SELECT ${call.expression}`;
    return { way: 'direct', called, setup: [], query, params: [], channel: 'query' };
  }

  /** A case of that way, on the next function in line for it that it can run; undefined when there is none. */
  next(way: string): Case | undefined {
    const make = WAYS[way];
    for (let tries = 0; make && tries < TRIES * 20; tries += 1) {
      const called = this.#line(way, this.#choices.chance(RISKY_PART));
      const subject = called && this.#subject(called);
      const made = subject && make(subject);
      if (subject && made) return this.#placed(way, subject, made);
    }
    return undefined;
  }

  #aggregate(subject: Subject): Made | undefined {
    return (subject.called.kind === 'a' ? NOTATIONS.aggregate : NOTATIONS.window)?.(subject);
  }

  #subject(called: ServerFunction): Subject | undefined {
    const values = this.#values.of(called, this.#choices);
    if (!values) return undefined;
    this.#id += 1;
    const common = { catalog: this.#catalog, choices: this.#choices, version: this.#version };
    return { called, values, id: this.#id, ...common };
  }

  /** Each function has its turn before one has a second. */
  #line(way: string, risky: boolean): ServerFunction | undefined {
    const key = `${way} ${risky}`;
    let waiting = this.#waiting.get(key) ?? [];
    if (waiting.length === 0) {
      waiting = this.#choices.shuffled(risky ? this.#risky : this.#tame);
      this.#waiting.set(key, waiting);
    }
    return waiting.pop();
  }

  #placed(way: string, { called, version, catalog }: Subject, made: Made): Case {
    const channel = this.#choices.pick(CHANNELS);
    const setup = made.setup ?? [];
    if ('query' in made) {
      const { query, params = [] } = made;
      // Parameters are for requests of one statement.
      const direct = params.length > 0 && /^(?:simple|copy)/.test(channel) ? 'query' : channel;
      return this.#sent({ way, called, setup, query, params, channel: direct }, catalog);
    }
    const placing = {
      returnsSet: called.returnsSet,
      isAggregate: called.kind !== 'f' || /step|end of/.test(way),
      version,
    };
    const places = placesOf(placing);
    const place = this.#choices.chance(0.4) ? places[0] : this.#choices.pickAny(places);
    const query = place?.of(made.expression) ?? `SELECT ${made.expression}`;
    const full = `${way}, ${place?.name ?? 'select'}`;
    return this.#sent({ way: full, called, setup, query, params: [], channel }, catalog);
  }

  #sent(made: Case, { types }: Catalog): Case {
    const { channel, query, params } = made;
    if (channel === 'copy_out') {
      if (query.startsWith('EXPLAIN')) return { ...made, channel: 'query' };
      return { ...made, query: `COPY (${query}\n) TO STDOUT` };
    }
    if (channel === 'query_typed') {
      const text = [...types.values()].find(({ typname }) => typname === 'text');
      return { ...made, params: params.map((param) => [param, text?.typname ?? 'text']) };
    }
    return made;
  }
}

/** What is VOLATILE may change something; so may what runs a text, whatever it says about itself. */
export function isRisky({ volatility, name }: ServerFunction): boolean {
  return volatility === 'v' || /xml|crosstab|connectby|xpath|pg_input|txid|xact_id/.test(name);
}
