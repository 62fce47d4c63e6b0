/** In which passes the generator sends how much. */

/** A run of the generator: by its phases, with a seed and a size of its own. */
interface Pass {
  readonly phases: string;
  readonly seed: number;
  /** Requests made up for each operation in each phase; the coverage phase has its own size. */
  readonly examples: number;
  /** Whether bodies are of all kinds, or of the one that there is a backend of. */
  readonly kinds: 'all' | 'served';
}

/** Checks of the generator that ask for more than the document and the contract promise. */
const LEFT_OUT = [
  // judge.ts decides which 5xx are right: it knows what a request names.
  'not_a_server_error',
  // What a schema allows may still be refused: SQL that does not parse, an id that is taken.
  'positive_data_acceptance',
  // What is deleted is made again at once, and what is made may be mended away.
  'use_after_free',
  'ensure_resource_availability',
];

/** Requests per operation that the coverage phase alone sends, about; a smaller run has no room for it. */
const COVERAGE_PER_OPERATION = 60;
/** Requests that the examples phase alone sends, about. */
const EXAMPLES_PER_OPERATION = 6;
/** Of what a pass is asked for, the generator leaves some out as impossible or repeated. */
const EXPECTED_SHARE = 0.8;

/** Of what is left after the first pass, so much is of all kinds: most of it is refused by its kind alone. */
const OF_ALL_KINDS = 1 / 3;

/**
 * The next pass; undefined when enough was sent.
 * @param index of the pass, from 0
 */
export function nextPass(
  index: number,
  { wanted, sent, operations, seed: first }: PassInput,
): Pass | undefined {
  if (sent >= wanted) return undefined;
  const isLarge = wanted >= 2 * COVERAGE_PER_OPERATION * operations;
  const each = (wanted - sent) / operations;
  const seed = (first + index) % 2 ** 32;
  if (index === 0 && isLarge) {
    return { phases: 'examples,coverage', seed, examples: 1, kinds: 'served' };
  }
  if (index === 0) {
    const examples = Math.max(1, Math.ceil((each - EXAMPLES_PER_OPERATION) / EXPECTED_SHARE));
    return { phases: 'examples,fuzzing', seed, examples, kinds: 'served' };
  }
  if (index === 1 && isLarge) {
    const examples = Math.ceil((each * OF_ALL_KINDS) / EXPECTED_SHARE);
    return { phases: 'fuzzing', seed, examples, kinds: 'all' };
  }
  const examples = Math.ceil(each / EXPECTED_SHARE);
  return { phases: 'fuzzing,stateful', seed, examples, kinds: 'served' };
}

/** What decides on the next pass. */
interface PassInput {
  readonly wanted: number;
  readonly sent: number;
  readonly operations: number;
  readonly seed: number;
}

/** The file with the description that a pass reads. */
export function documentOf({ kinds }: Pick<Pass, 'kinds'>): string {
  return `openapi-${kinds}.json`;
}

/** The command line of a pass that sends to `proxy`. */
export function argumentsOf(pass: Pass, proxy: string): string[] {
  const { phases, seed, examples } = pass;
  return [
    'run',
    documentOf(pass),
    '--url',
    proxy,
    '--phases',
    phases,
    '--seed',
    String(seed),
    '--max-examples',
    String(examples),
    '--exclude-checks',
    LEFT_OUT.join(),
    '--no-color',
  ];
}
