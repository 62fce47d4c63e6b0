/** Regular expressions of the language, run in time linear in the text. */
import { type Matcher, MatcherInputBase, RE2JS } from 're2js';
import type { Budget } from './budget.ts';
import { toLinear, Unsupported } from './regex/translate.ts';

/** Longest source of an expression, in UTF-16 units. */
const LONGEST = 2_000;
/** Most instructions of a compiled one. */
const LARGEST = 2_000;
/** Instructions that a character costs a step of. */
const INSTRUCTIONS_PER_STEP = 2;

/** What beginning a search costs. */
const SEARCH_STEPS = 60;

/** A compiled regular expression, shared by the values that its literal makes. */
interface Program {
  readonly source: string;
  readonly flags: string;
  readonly expression: RE2JS;
  readonly names: readonly (readonly [name: string, group: number])[];
  readonly isGlobal: boolean;
  /** Steps that a look at a character costs. */
  readonly cost: number;
}

/** A regular expression as a value; with the flag `g` it remembers where its last match ended. */
export class Pattern {
  readonly program: Program;
  lastIndex = 0;

  constructor(program: Program) {
    this.program = program;
  }

  get source(): string {
    return this.program.source;
  }

  get flags(): string {
    return this.program.flags;
  }
}

/** One match: places of the whole and of each group, -1 for a group that took no part. */
export interface Match {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Compiles a literal. @throws Unsupported with words for why it cannot be run */
export function compiled(source: string, flags: string): Program {
  if (source.length > LONGEST) throw new Unsupported(`is longer than ${LONGEST} characters`);
  const unknown = /[^gimsud]/.exec(flags);
  if (unknown !== null) throw new Unsupported(`has the flag ${unknown[0]}, which is not taken`);
  let options = 0;
  if (flags.includes('i')) options |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) options |= RE2JS.MULTILINE;
  const expression = build(
    toLinear(source, { captures: true, dotAll: flags.includes('s') }),
    options,
  );
  const size = expression.programSize();
  if (size > LARGEST) throw new Unsupported('is too large: its repetitions come to too many steps');
  const names = Object.entries(expression.namedGroups());
  const cost = Math.ceil(size / INSTRUCTIONS_PER_STEP);
  return { source, flags, expression, names, isGlobal: flags.includes('g'), cost };
}

function build(source: string, options: number): RE2JS {
  try {
    return RE2JS.compile(source, options);
  } catch {
    throw new Unsupported(
      'uses what cannot be matched in linear time, or repeats more than 1000 times',
    );
  }
}

/** The matches in one text, each found when asked for. */
export class Search {
  readonly #text: string;
  readonly #matcher: Matcher;
  readonly #groups: number;
  readonly #budget: Budget;

  constructor(program: Program, text: string, budget: Budget) {
    this.#budget = budget;
    budget.touch(text);
    budget.spend(SEARCH_STEPS);
    this.#text = text;
    this.#matcher = program.expression.matcher(new ChargedInput(text, program.cost, budget));
    this.#groups = program.expression.groupCount();
  }

  /** The first match at or after a place. @throws BudgetFault */
  from(at: number): Match | undefined {
    this.#budget.spend(SEARCH_STEPS);
    if (at > this.#text.length || !this.#matcher.find(at)) return undefined;
    const [start, end] = [this.#matcher.start(0), this.#matcher.end(0)];
    const groups: (string | undefined)[] = [];
    for (let group = 1; group <= this.#groups; group += 1) {
      const from = this.#matcher.start(group);
      groups.push(from < 0 ? undefined : this.#text.slice(from, this.#matcher.end(group)));
    }
    return { text: this.#text.slice(start, end), start, end, groups };
  }

  /** Every match, in order. @throws BudgetFault */
  *all(): Generator<Match> {
    let at = 0;
    for (let match = this.from(at); match !== undefined; match = this.from(at)) {
      yield match;
      at = match.end > match.start ? match.end : this.after(match.end);
    }
  }

  /** Where to go on after an empty match: behind the whole next character. */
  after(at: number): number {
    return at + ((this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }
}

/** A text that charges for every character that the engine looks at: its searches may look far ahead. */
class ChargedInput extends MatcherInputBase {
  readonly #text: ChargedText;

  constructor(text: string, cost: number, budget: Budget) {
    super();
    this.#text = new ChargedText(text, cost, budget);
  }

  override isUTF8Encoding(): boolean {
    return false;
  }

  override isUTF16Encoding(): boolean {
    return true;
  }

  override length(): number {
    return this.#text.length;
  }

  override asCharSequence(): string {
    // The engine asks a sequence for length, charCodeAt, indexOf and substring alone.
    return this.#text as unknown as string;
  }
}

class ChargedText {
  readonly #text: string;
  readonly #cost: number;
  readonly #budget: Budget;
  readonly length: number;

  constructor(text: string, cost: number, budget: Budget) {
    this.#text = text;
    this.#cost = cost;
    this.#budget = budget;
    this.length = text.length;
  }

  /** By this the engine takes it for a text. */
  get [Symbol.toStringTag](): string {
    return 'String';
  }

  charCodeAt(at: number): number {
    this.#budget.spend(this.#cost);
    return this.#text.charCodeAt(at);
  }

  indexOf(part: string, from: number): number {
    const at = this.#text.indexOf(part, from);
    const looked = Math.max(0, (at < 0 ? this.length : at) - from);
    this.#budget.spend(1 + Math.floor((looked * (part.length + 1)) / 64));
    return at;
  }

  substring(start: number, end: number): string {
    return this.#text.substring(start, end);
  }
}
