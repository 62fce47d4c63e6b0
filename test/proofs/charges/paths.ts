/** Whether searches by paths cost what their steps say: depth, wildcards, selectors, slices, filters, functions. */

import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { Places } from '../../../worker/json/places.ts';
import { Size } from '../../../worker/json/size.ts';
import { Budget } from '../../../worker/language/paths/budget.ts';
import { PathFault } from '../../../worker/language/paths/fault.ts';
import { Path } from '../../../worker/language/paths/path.ts';
import { cpuMs } from '../processor-time.ts';
import type { Choices } from '../random.ts';
import type { Case } from './proof.ts';

/** What a step stands for: twenty million of them, which a call has, are a quarter of a second. */
export const STEP_NS = 12.5;
/** Steps of one case; less than a part of them is too little to be measured. */
const STEPS = 2_000_000;
const STEPS_LEAST = 400_000;

const SEGMENTS = [
  ...['..*', '..a', '..[0]', '[*]', '.a', '[0]', '[-1]', '[::2]', '[::-1]', '[0:9]', "['a','b',0]"],
  ...[
    '[*,*]',
    '..[*,*]',
    '[?@.a]',
    '[?@ > 5]',
    '[?@ == $[0]]',
    '[?@.a == $.a]',
    '[?length(@) > 2]',
  ],
  ...[
    '[?count(@..*) > 3]',
    "[?match(@, 'a*b?')]",
    "[?search(@, '(a|b)+c')]",
    '[?value($..a) == 1]',
  ],
  ...['[?$[?@ == 1]]', '[?@..a && !@.b]', "[?search(@, '[a-z]{300}')]", '[?match(@, @)]'],
] as const;

const wide = (size: number, make: (at: number) => Json) =>
  Array.from({ length: size }, (_, at) => make(at));
const deep = (depth: number, wrap: (inner: Json) => Json) =>
  Array.from({ length: depth }).reduce<Json>((inner) => wrap(inner), 1);

const DOCUMENTS: readonly (() => Json)[] = [
  () => wide(5_000, (at) => at),
  () => wide(2_000, (at) => ({ a: at, b: `x${at}`, c: [1, 2] })),
  () => Object.fromEntries(wide(5_000, (at) => [`k${at}`, at]) as [string, Json][]),
  () => Object.fromEntries(wide(300, (at) => [`k${at}`, { a: { b: at } }]) as [string, Json][]),
  () => deep(200, (inner) => ({ a: inner })),
  () => deep(900, (inner) => ({ a: inner })),
  () => deep(900, (inner) => [inner]),
  () => deep(60, (inner) => [inner, 1, { a: 2 }, 'text']),
  () => deep(300, (inner) => ({ ['n'.repeat(100)]: inner, z: 'y' })),
  () => wide(300, (at) => 'a'.repeat(3_000) + at),
  () => wide(3_000, (at) => `ab😀${at}`),
];

/** Characters of a list of selectors; a path is no longer than 4,096. */
const LIST_MAX = 4_000;

/** A document and paths by chance. */
export function caseBy(choices: Choices): Case {
  const document = (choices.pickAny(DOCUMENTS) ?? (() => 1))();
  const texts = Array.from({ length: 1 + Math.floor(choices.next() * 3) }, () => pathBy(choices));
  return {
    name: `${texts.join(' and ')} in ${JSON.stringify(document).slice(0, 60)}`,
    nsPerStep: () => nsPerStep(document, texts),
  };
}

function pathBy(choices: Choices): string {
  if (choices.chance(0.2)) {
    const selector = choices.pick(['*', '0', "'a'", '0:5000', '::-1', '?@.a']);
    const most = Math.floor(LIST_MAX / (selector.length + 1));
    return `$[${wide(2 + Math.floor(choices.next() * most), () => selector).join()}]`;
  }
  return `$${wide(1 + Math.floor(choices.next() * 4), () => choices.pick(SEGMENTS)).join('')}`;
}

function nsPerStep(document: Json, texts: readonly string[]): number | undefined {
  const paths = texts.map((text) => new Path(text));
  let left = STEPS;
  const budget = new Counted((steps) => {
    left -= steps;
    if (left < 0) throw SPENT;
  });
  const ms = cpuMs(() => attempt(() => search(document, paths, budget)));
  const steps = STEPS - Math.max(0, left);
  return steps < STEPS_LEAST ? undefined : (ms * 1e6) / steps;
}

/** As `/json/parse` does it. */
function search(json: Json, paths: readonly Path[], budget: Budget): void {
  const places = new Places();
  for (const path of paths) {
    path.each(json, budget, (match) => {
      if (!places.add(match, budget)) return;
      JSON.stringify(path.pathOf(match, budget));
      new Size(match.value, budget).measure(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    });
  }
}

const SPENT = new Error('The steps are spent');

class Counted extends Budget {
  readonly #count: (steps: number) => void;

  constructor(count: (steps: number) => void) {
    super(Number.POSITIVE_INFINITY, () => SPENT);
    this.#count = count;
  }

  override charge(steps: number): void {
    super.charge(steps);
    this.#count(steps);
  }
}

/** A pattern that is too large is refused. */
function attempt(run: () => void): void {
  try {
    run();
  } catch (error) {
    const isRefusal = error instanceof GatewayError || error instanceof PathFault;
    if (error !== SPENT && !isRefusal) throw error;
  }
}
