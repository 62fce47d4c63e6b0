/** In which passes the generator sends how much. */

/** Runs of the generator: by its phases, with a seed and a size of their own. */
export interface Pass {
  readonly phases: string;
  readonly seed: number;
  /** Requests made up for each operation in each phase; the coverage phase has its own size. */
  readonly examples: number;
}

/** Checks of the generator that ask for more than the document and the contract promise. */
const LEFT_OUT = [
  // Which 5xx are right is told by judge.ts, which knows what a request names.
  'not_a_server_error',
  // What a schema allows may still be refused: SQL that does not parse, an id that is taken.
  'positive_data_acceptance',
  // What is deleted is made again at once, and what is made may be mended away.
  'use_after_free',
  'ensure_resource_availability',
];

/** A run that is smaller has no room for the coverage phase: it alone sends about so many per operation. */
const COVERAGE_PER_OPERATION = 60;
/** The examples phase alone sends about so many. */
const EXAMPLES_PER_OPERATION = 6;
/** Of what a pass is asked for, the generator leaves some out as impossible or repeated. */
const EXPECTED_SHARE = 0.8;

/**
 * The next pass; undefined when enough was sent.
 * @param index of the pass, from 0
 */
export function nextPass(
  index: number,
  { wanted, sent, operations, seed }: PassInput,
): Pass | undefined {
  if (sent >= wanted) return undefined;
  const isLarge = wanted >= 2 * COVERAGE_PER_OPERATION * operations;
  if (index === 0 && isLarge) return { phases: 'examples,coverage', seed, examples: 1 };
  const each = (wanted - sent) / operations;
  if (index === 0) {
    const rest = Math.max(1, Math.ceil((each - EXAMPLES_PER_OPERATION) / EXPECTED_SHARE));
    return { phases: 'examples,fuzzing', seed, examples: rest };
  }
  return {
    phases: 'fuzzing,stateful',
    seed: (seed + index) % 2 ** 32,
    examples: Math.ceil(each / EXPECTED_SHARE),
  };
}

/** What decides on the next pass. */
export interface PassInput {
  readonly wanted: number;
  readonly sent: number;
  readonly operations: number;
  readonly seed: number;
}

/** The command line of a pass that reads the document of `gateway` and sends to `proxy`. */
export function argumentsOf(pass: Pass, gateway: string, proxy: string): string[] {
  const { phases, seed, examples } = pass;
  return [
    'run',
    `${gateway}/openapi.json`,
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
