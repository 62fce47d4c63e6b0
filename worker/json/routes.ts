/** The JSON utilities. Spec: "JSON utilities". Contract §7. */

import type { UtilityName } from '../../proto/body-work.ts';
import { onAnything } from '../access/access.ts';
import type { Context } from '../context.ts';
import { FILTER_STEPS_MAX } from '../language/paths/budget.ts';
import { inPieces } from '../limits/heavy-work.ts';
import { JsonBytes, type Result } from '../outcome.ts';
import { type AnyRoute, type Input, route } from '../route.ts';
import { STEPS_MAX } from './limits.ts';
import { Flat, Mapped, Parsed, Reduced, Unflat } from './schema.ts';
import { utilities } from './utilities.ts';

/** What all of them have in common. */
const COMMON = {
  method: 'POST',
  tag: 'JSON utilities',
  access: onAnything('Read'),
  changes: 'nothing',
  idempotency: { reads: true },
  reply: 'bare',
  asWritten: true,
} as const;

/** The part of a declaration that follows from which utility it is. */
function by(name: UtilityName) {
  const { body, work } = utilities[name];
  return {
    body,
    elsewhere: () => ({ name }),
    async handle(
      ctx: Context,
      { body: checked, worked }: Pick<Input<unknown, unknown, unknown, unknown>, 'body' | 'worked'>,
    ): Promise<Result> {
      if (worked) return new JsonBytes(worked.bytes());
      const result = await inPieces(ctx, work(checked, ctx.settings));
      return result instanceof Uint8Array ? new JsonBytes(result) : result;
    },
  };
}

/** What searching may take. */
const SEARCHES = `All paths of a call together look at up to ${STEPS_MAX} values, and a filter at up to ${FILTER_STEPS_MAX} for each that it is asked about.`;

export const jsonRoutes: AnyRoute[] = [
  route({
    ...COMMON,
    ...by('flatten'),
    path: '/json/flatten',
    summary: 'Flatten a value to one object of paths and leaves',
    description:
      'Paths are dotted, `a.b[0].c`; `\\` stands before `.`, `[`, `]` and `\\` of a name, and `\\0` is the empty name. A value that is no object and has no elements stands under the prefix. The result is at most four times as large as a body may be.',
    errors: ['RESULT_TOO_LARGE'],
    result: Flat,
  }),
  route({
    ...COMMON,
    ...by('unflatten'),
    path: '/json/unflatten',
    summary: 'Make the value again that was flattened',
    description:
      'The body is the flattened object itself. A path that is both a leaf and the parent of others is refused, and so are more than 1000000 elements without a value.',
    errors: [],
    result: Unflat,
  }),
  route({
    ...COMMON,
    ...by('map'),
    path: '/json/map',
    summary: 'Map a value to another shape',
    description:
      'Builds an output from `mappings` and checks it against `schema`; what does not fit is told with its path. A source that is not there leaves its target out; one that can find several values gives an array of them. The output is no larger than a result of a database may be, `RESULT_MAX_BYTES`.',
    errors: ['RESULT_TOO_LARGE'],
    result: Mapped,
  }),
  route({
    ...COMMON,
    ...by('parse'),
    path: '/json/parse',
    summary: 'Get the values at paths of a document',
    description: `${SEARCHES} The result is at most four times as large as a body may be.`,
    errors: ['RESULT_TOO_LARGE'],
    result: Parsed,
  }),
  route({
    ...COMMON,
    ...by('reduce'),
    path: '/json/reduce',
    summary: 'Keep only the paths of a document',
    description: `Objects keep the order of their members and arrays stay arrays: an array ends after the last element that is kept, or keeps its length if a path counts from the end of an array. ${SEARCHES}`,
    errors: [],
    result: Reduced,
  }),
];
