/** What one call of the JSON utilities may take. Spec silent on all of it. */
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { Pace } from '../../proto/work/pieces.ts';
import { Budget, FILTER_STEPS_MAX } from '../language/paths/budget.ts';
import type { Settings } from '../settings.ts';

/** Most paths, or pairs of paths, of one call. */
export const PATHS_MAX = 1_000;

/** Steps of all paths together: a quarter of a second at most. */
export const STEPS_MAX = 20_000_000;

/** How many times as large as a body a result may be: flattening repeats names. */
const GROWTH_MAX = 4;

/** What all paths of a call may cost together. @param member where the paths are in the body */
export function searchBudget(member: string): Budget {
  return new Budget(STEPS_MAX, (scale) => {
    const message =
      scale === 'all'
        ? `take more than ${STEPS_MAX} steps in this document; ask for less at once`
        : `have a filter that takes more than ${FILTER_STEPS_MAX} steps for one value; search for less in it`;
    return badRequest(member, message);
  });
}

/** The settings that bound results. */
export type ResultLimits = Pick<Settings, 'BODY_MAX_BYTES' | 'RESULT_MAX_BYTES'>;

/** Largest result, in bytes. */
export function resultMaxBytes({ BODY_MAX_BYTES }: ResultLimits): number {
  return GROWTH_MAX * BODY_MAX_BYTES;
}

/** Largest result of a mapping, in bytes: no larger than a result of a database. */
export function mappedMaxBytes(settings: ResultLimits): number {
  return Math.min(resultMaxBytes(settings), settings.RESULT_MAX_BYTES);
}

/** The error for a result over the limit. */
export function resultTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('RESULT_TOO_LARGE', `The result is larger than ${maxBytes} bytes`);
}

/** Leaves, where their paths are short, between which long work gives way. */
const LEAVES_OF_A_PIECE = 1_024;
/** Characters of a path that cost as much as a leaf. */
const PATH_OF_A_LEAF = 64;

/** Counts leaves: `leafCost` gives what each costs. */
export function paceOfLeaves(): Pace {
  return new Pace(LEAVES_OF_A_PIECE);
}

/** What a leaf costs that is under this path. */
export function leafCost(path: string): number {
  return 1 + path.length / PATH_OF_A_LEAF;
}
