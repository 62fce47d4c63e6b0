/** Flags of `npm run fuzz`. */
import { parseArgs } from 'node:util';
import { Failure } from '../../server/failure.ts';

/** What `npm run fuzz` was asked for. */
export interface FuzzOptions {
  /** How many are sent at least. */
  readonly requests: number;
  /** The same seed makes the same requests, as far as replies are the same. */
  readonly seed: number;
  readonly help: boolean;
}

const DEFAULT_REQUESTS = 20_000;
const REQUESTS_MAX = 10_000_000;
const SEED_MAX = 2 ** 32 - 1;

/** What `--help` prints. */
export const FUZZ_HELP = `Sends valid and invalid requests, made of the OpenAPI document, to a gateway of its own, and ends
with exit code 1 when a reply is one that may not be: a 5xx, one that the document does not have,
one that takes too long, or one that tells something of another organization.

Usage: npm run fuzz -- [flags]

  --requests N   sends at least so many (${DEFAULT_REQUESTS})
  --seed S       makes the same requests again; of each run it is printed (a new one)
  --help         this text

Needs Python 3.11 or newer: the generator, schemathesis, is installed from PyPI into .downloads.
`;

/**
 * Reads the flags.
 * @throws Failure when one is unknown or its value cannot be used
 */
export function readFuzzOptions(args: readonly string[]): FuzzOptions {
  const flags = parseFlags(args);
  return {
    requests: numberOf('requests', flags.requests ?? String(DEFAULT_REQUESTS), 1, REQUESTS_MAX),
    seed:
      flags.seed === undefined
        ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
        : numberOf('seed', flags.seed, 0, SEED_MAX),
    help: flags.help ?? false,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (thrown) {
    const [sentence] = thrown instanceof Error ? thrown.message.split('. ') : [];
    throw new Failure(`${sentence}; see --help.`, { cause: thrown });
  }
}

function numberOf(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Failure(`--${flag} takes a number from ${min} to ${max}, not '${text}'.`);
  }
  return value;
}
