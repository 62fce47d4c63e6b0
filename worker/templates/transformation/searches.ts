/**
 * Lets long searches of a run give way to others. Rules run at once and cannot be interrupted: when
 * searches among them take long, what the rules did so far is dropped, the search goes on in
 * pieces, and the rules begin again, with what is found already. Nothing is charged twice.
 */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { FILTER_STEPS_MAX, Budget as PathBudget } from '../../language/paths/budget.ts';
import { PAUSE } from '../../language/paths/match.ts';
import type { Path } from '../../language/paths/path.ts';
import type { Search } from '../../language/paths/walk.ts';
import type { Execution } from './execution.ts';
import { RuleFault, RunOver } from './failure.ts';

/** Steps of searches that rules take at once, before the next search goes on in pieces. */
const STEPS_AT_ONCE = 500_000;
/** Searches of fewer steps are made again, which is dearer for others. */
const STEPS_KEPT = 1_000;
/** Steps of a search between two pauses: about a millisecond. */
const STEPS_OF_A_PIECE = 80_000;
/** Bytes that a match takes. */
const MATCH_BYTES = 8;

/** Thrown out of the rules where a search goes on in pieces; no rule decides on it. */
class Suspended extends Error {
  override readonly name = 'Suspended';
}

/** What a search came to. */
interface SearchOutcome {
  readonly found: readonly Json[];
  readonly steps: number;
  readonly error: unknown;
}

/** Charges what a search takes to its run, or while the run waits counts it against what is left of it. */
class Charged extends PathBudget {
  readonly #x: Execution;
  /** Steps and bytes that were left when the run began to wait; undefined as long as it does not. */
  #left: { fuel: number; memory: number } | undefined;
  /** Steps of the charge that there was no more fuel for. */
  over = 0;

  constructor(x: Execution) {
    super(Number.POSITIVE_INFINITY, tooMuchOfAFilter);
    this.#x = x;
  }

  override charge(steps: number): void {
    if (this.#left === undefined) this.#x.spend(steps);
    else {
      this.#left.fuel -= steps;
      if (!(this.#left.fuel >= 0)) {
        this.over = steps;
        throw new RunOver('fuel');
      }
    }
    super.charge(steps);
  }

  take(bytes: number): void {
    if (this.#left === undefined) this.#x.take(bytes);
    else {
      this.#left.memory -= bytes;
      if (this.#left.memory < 0) throw new RunOver('memory');
    }
  }

  /** From now on counts by itself. */
  leaveRun(): void {
    const { fuel, memory } = this.#x.budget;
    this.#left = { fuel, memory };
  }
}

function tooMuchOfAFilter(): RuleFault {
  return new RuleFault(
    `a filter of a path takes more than ${FILTER_STEPS_MAX} steps for one value; search for less in it`,
  );
}

/** One search, at once or in pieces. */
class Finding {
  readonly found: Json[] = [];
  readonly budget: Charged;
  readonly #search: Search;

  constructor(path: Path, value: Json, x: Execution) {
    this.budget = new Charged(x);
    this.#search = path.begin(value, this.budget);
  }

  /** Whether all is found within these steps. */
  goOn(until: number): boolean {
    for (;;) {
      const match = this.#search.next(until);
      if (match === undefined) return true;
      if (match === PAUSE) return false;
      this.budget.take(MATCH_BYTES);
      this.found.push(match.value);
    }
  }

  /** To the end, whatever that is. */
  *finish(): Pieces<SearchOutcome> {
    let error: unknown;
    try {
      while (!this.goOn(this.budget.spent + STEPS_OF_A_PIECE)) yield;
    } catch (thrown) {
      error = thrown;
    }
    return { found: this.found, steps: this.budget.spent + this.budget.over, error };
  }
}

/** The searches of one run, in the order in which its rules make them. */
export class Searches {
  /** What those came to that took long. */
  readonly #known = new Map<number, SearchOutcome>();
  /** The next one. */
  #next = 0;
  /** Steps that were taken since the rules began, besides those of what was known. */
  #steps = 0;
  #waiting: { readonly at: number; readonly finding: Finding } | undefined;

  /** All that a path finds. @throws RuleFault, RunOver, Suspended */
  find(path: Path, value: Json, x: Execution): Json[] {
    if (this.#waiting !== undefined) throw new Suspended();
    const at = this.#next;
    this.#next += 1;
    const known = this.#known.get(at);
    if (known !== undefined) return paid(known, x);
    const finding = new Finding(path, value, x);
    if (!finding.goOn(Math.max(STEPS_KEPT, STEPS_AT_ONCE - this.#steps))) {
      finding.budget.leaveRun();
      this.#waiting = { at, finding };
      throw new Suspended();
    }
    const { found, budget } = finding;
    if (budget.spent < STEPS_KEPT) return found;
    this.#steps += budget.spent;
    this.#known.set(at, { found, steps: budget.spent, error: undefined });
    return found.slice();
  }

  /** What goes on in pieces, if anything does. */
  takeWaiting(): Pieces<void> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting && this.#finish(waiting.at, waiting.finding);
  }

  *#finish(at: number, finding: Finding): Pieces<void> {
    this.#known.set(at, yield* finding.finish());
  }

  /** Where the rules come back to. */
  mark(): () => void {
    const next = this.#next;
    return () => {
      this.#next = next;
      this.#steps = 0;
    };
  }
}

/** What is known, charged as if it were found now. @throws what ended the search */
function paid({ found, steps, error }: SearchOutcome, x: Execution): Json[] {
  const bytes = MATCH_BYTES * found.length;
  if (error instanceof RunOver && error.kind === 'memory') {
    x.spend(steps);
    x.take(bytes + MATCH_BYTES);
  }
  x.take(bytes);
  x.spend(steps);
  if (error !== undefined) throw error;
  return found.slice();
}

/** What a path finds in a value: an array of a path that may find several. @throws RuleFault, RunOver */
export function findIn(path: Path, value: Json, x: Execution): Json | undefined {
  try {
    const found =
      x.searches === undefined ? foundAtOnce(path, value, x) : x.searches.find(path, value, x);
    return path.isSingle ? found[0] : found;
  } catch (error) {
    // A regular expression of a filter that is too large, made of the input.
    if (error instanceof GatewayError) throw new RuleFault(error.message);
    throw error;
  }
}

function foundAtOnce(path: Path, value: Json, x: Execution): Json[] {
  const finding = new Finding(path, value, x);
  finding.goOn(Number.POSITIVE_INFINITY);
  return finding.found;
}

/**
 * Does what rules do, again while searches among them have to wait. A promise only then.
 * @throws what the rules throw
 */
export function withSearches<Made>(x: Execution, make: () => Made): Made | Promise<Made> {
  const { inPieces } = x.run;
  if (inPieces === undefined) return make();
  x.searches ??= new Searches();
  const { searches } = x;
  const goBack = x.mark();
  let made: Made | undefined;
  let error: unknown;
  let isMade = false;
  try {
    made = make();
    isMade = true;
  } catch (thrown) {
    error = thrown;
  }
  const waiting = searches.takeWaiting();
  if (waiting !== undefined) {
    goBack();
    return inPieces(waiting).then(() => withSearches(x, make));
  }
  if (!isMade) throw error;
  return made as Made; // It was made.
}
