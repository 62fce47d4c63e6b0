/**
 * Results that rules name by `as`: which names are visible where, and how many rounds of requests
 * have to be over before each is known. Contract §8, `as`.
 */
import type { ValueRead } from '../../language/expressions/index.ts';
import type { Path } from '../../language/paths/path.ts';
import { type Apply, type Execution, type Gather, Output, type Rule } from './execution.ts';
import { TooManyFaults } from './failure.ts';
import type { Members, Report } from './report.ts';
import { ResultNames } from './result-names.ts';
import { inputsResultsFault } from './result-paths.ts';
import { RESULTS_NAME } from './scope.ts';

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const HOW = 'read it as results.<name>, by the name that a rule before gives with as';

/** How far requests of some rules reach. */
interface Extent {
  /** The last round in which one of them sends; -1 where none does. */
  calls: number;
  /** The last round that one of them waits for. */
  waits: number;
}

/** Visible names and what the rule at hand reads of them, while rules are read. */
export class Naming {
  readonly known: ResultNames;
  readonly extent: Extent;
  /** Names that the rule at hand reads by itself. */
  readonly uses = new Set<string>();
  readonly #base: number;

  constructor(
    known: ResultNames = new ResultNames(),
    extent: Extent = { calls: -1, waits: 0 },
    base = 0,
  ) {
    this.known = known;
    this.extent = extent;
    this.#base = base;
  }

  /** The round before which all is known that the rule at hand, and those around it, read. */
  get round(): number {
    let round = this.#base;
    for (const name of this.uses) round = Math.max(round, this.known.get(name) ?? 0);
    return round;
  }

  /** Names that rules within give, which see those that are visible here. */
  branch(): ResultNames {
    return new ResultNames(this.known);
  }

  /** For one rule of the same list. */
  ofRule(): Naming {
    return new Naming(this.known, this.extent, this.#base);
  }

  /** For rules within the rule at hand. @param known names that they see, where others do not see theirs */
  within(known = this.known, extent = this.extent): Naming {
    return new Naming(known, extent, this.round);
  }

  /** Notes what an expression reads of results and of its input; reports what it cannot. */
  note(reads: readonly ValueRead[], at: string, report: Report): void {
    for (const { name, steps, place } of reads) {
      if (name === RESULTS_NAME) this.#use(steps[0], at, report, place);
      else if (steps[0] === RESULTS_NAME && this.known.has(steps[1] ?? ''))
        report.add(at, inputsResultsFault(`$.${steps.slice(0, 2).join('.')}`), place);
    }
  }

  /** Notes that a path begins with `results`; reports what it cannot read. */
  notePath({ steps, text }: Path, at: string, report: Report): void {
    const step = steps === undefined ? text.split('/')[1] : steps[1];
    const name = typeof step === 'object' ? step.token : step;
    this.#use(typeof name === 'string' ? name : undefined, at, report);
  }

  #use(
    name: string | undefined,
    at: string,
    report: Report,
    place: { readonly line?: number; readonly column?: number } = {},
  ): void {
    if (name !== undefined && this.known.has(name)) this.uses.add(name);
    else if (name === undefined)
      report.add(at, `${RESULTS_NAME} is no value by itself: ${HOW}`, place);
    else {
      const [one] = this.known.all();
      const hint = one === undefined ? '; none gives a name' : report.hint(name, this.known.all());
      report.add(at, `${RESULTS_NAME}.${name}: no rule before gives that name${hint}`, place);
    }
  }
}

/** What a rule has to do with results in a run; filled in while the rule is read. */
export class OwnResults {
  /** What it names its own result. */
  name: string | undefined;
  /** Names that are not known where it is left out: its own, and of a block those within. */
  gives: readonly string[] = [];
  /** How far the requests of rules within reach. */
  readonly within: Extent = { calls: -1, waits: 0 };
  /** Of a rule that sends: the round in which it does, from 0. */
  sends: number | undefined;
  readonly uses: ReadonlySet<string>;

  constructor({ uses }: Naming) {
    this.uses = uses;
  }

  /** The first name that it reads and that has no value, because a request was not sent. */
  missing({ unsent }: Rounds): string | undefined {
    if (unsent.size === 0) return undefined;
    for (const name of this.uses) if (unsent.has(name)) return name;
    return undefined;
  }
}

/** Of one run: at which round of requests it is, and what is known of results so far. */
export class Rounds {
  /** The one that is gathered, from 0. */
  now = 0;
  /** A rule whose result others need has failed: nothing more is sent. */
  isStopped = false;
  /** Names without a value, because a request was not sent. */
  readonly unsent = new Set<string>();
  /** Rules that were left out for that. */
  leftOut = 0;
  /** By rule: the calls that it has made, in order. */
  readonly #calls = new Map<number, number[]>();
  /** By rule: how many of their outcomes were taken. */
  readonly #taken = new Map<number, number>();

  /** Rules are gone through from the first on, again. */
  begin(): void {
    this.unsent.clear();
    this.#taken.clear();
    this.leftOut = 0;
  }

  /** Learns of a call that was made. */
  made(rule: number, call: number): void {
    const known = this.#calls.get(rule);
    if (known === undefined) this.#calls.set(rule, [call]);
    else known.push(call);
  }

  /** The next call of a rule; undefined where it was not made. */
  take(rule: number): number | undefined {
    const at = this.#taken.get(rule) ?? 0;
    this.#taken.set(rule, at + 1);
    return this.#calls.get(rule)?.[at];
  }

  /** A rule, or a block of them, is left out because a request was not sent. */
  leave({ gives }: OwnResults): void {
    this.leftOut += 1;
    for (const name of gives) this.unsent.add(name);
  }
}

/** The name of `as`; undefined when it is absent or, with a fault, none that may be given. */
export function resultName(rule: Members, { known }: Naming): string | undefined {
  const name = rule.text('as');
  if (name === undefined) return undefined;
  if (!NAME.test(name))
    return rule.fault('as', 'must be a name, such as lines: letters, digits, _ and $');
  if (known.has(name)) return rule.fault('as', `is the name of a result before already: ${name}`);
  return name;
}

/** A rule that takes its turn: it sends in its round, and its result is known from then on. */
export function inRounds(
  rule: Rule,
  naming: Naming,
  results: OwnResults,
  { isGroup, within }: { readonly isGroup: boolean; readonly within: Extent },
): Rule {
  const { round, extent } = naming;
  const { name } = results;
  const { apply, gather, compute } = rule;
  const sends = !isGroup && gather !== undefined;
  if (sends) results.sends = round;
  extent.calls = Math.max(extent.calls, sends ? round : within.calls);
  extent.waits = Math.max(extent.waits, round, within.waits);
  const ready = isGroup ? Math.max(round, within.waits, within.calls + 1) : round + (sends ? 1 : 0);
  if (name !== undefined) naming.known.set(name, ready);
  const own: Gather = (x) => {
    const { rounds } = x;
    if (rounds === undefined || rounds.now < round || rounds.isStopped) return;
    if (name !== undefined && compute !== undefined && rounds.now >= ready) resolve(x, compute);
    else if (gather !== undefined && (isGroup || rounds.now === round)) {
      if (results.missing(rounds) === undefined) gather(x);
      else rounds.leave(results);
    }
  };
  const isNeeded = gather !== undefined || name !== undefined;
  return { apply, gather: isNeeded ? own : undefined };
}

/** Finds a result that requests may need, in silence: the rule itself runs after them, and reports its faults then. */
function resolve(x: Execution, compute: Apply): void {
  const { bytes, deciding, endedAt, refused } = x;
  const { length } = x.faults;
  const { memory } = x.budget;
  const goBack = x.trace?.mark();
  try {
    compute(x, new Output());
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error;
  }
  const isFailed = x.faults.length > length || x.refused !== refused;
  x.faults.length = length;
  Object.assign(x, { bytes, deciding, endedAt, refused });
  x.budget.memory = memory;
  goBack?.();
  if (isFailed && x.rounds !== undefined) x.rounds.isStopped = true;
}
