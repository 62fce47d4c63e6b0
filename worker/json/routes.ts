/** The JSON utilities. Spec: "JSON utilities". Contract §7. */
import { onAnything } from '../access/access.ts';
import { FILTER_STEPS_MAX } from '../language/paths/budget.ts';
import { inPieces } from '../limits/heavy-work.ts';
import { type AnyRoute, route } from '../route.ts';
import { flattenValue } from './flatten.ts';
import { STEPS_MAX } from './limits.ts';
import { mapValue } from './map.ts';
import { parsePaths } from './parse.ts';
import { reduce } from './reduce.ts';
import {
  Flat,
  FlattenBody,
  MapBody,
  Mapped,
  ParseBody,
  Parsed,
  ReduceBody,
  Reduced,
  Unflat,
} from './schema.ts';
import { unflatten } from './unflatten.ts';

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

/** What searching may take. */
const SEARCHES = `All paths of a call together look at up to ${STEPS_MAX} values, and a filter at up to ${FILTER_STEPS_MAX} for each that it is asked about.`;

export const jsonRoutes: AnyRoute[] = [
  route({
    ...COMMON,
    path: '/json/flatten',
    summary: 'Flatten a value to one object of paths and leaves',
    description:
      'Paths are dotted, `a.b[0].c`; `\\` stands before `.`, `[`, `]` and `\\` of a name, and `\\0` is the empty name. A value that is no object and has no elements stands under the prefix. The result is at most four times as large as a body may be.',
    errors: ['RESULT_TOO_LARGE'],
    body: FlattenBody,
    result: Flat,
    handle: flattenValue,
  }),
  route({
    ...COMMON,
    path: '/json/unflatten',
    summary: 'Make the value again that was flattened',
    description:
      'The body is the flattened object itself. A path that is both a leaf and the parent of others is refused, and so are more than 1000000 elements without a value.',
    errors: [],
    body: Flat,
    result: Unflat,
    handle: (ctx, { body }) => inPieces(ctx, unflatten(body)),
  }),
  route({
    ...COMMON,
    path: '/json/map',
    summary: 'Map a value to another shape',
    description:
      'Builds an output from `mappings` and checks it against `schema`; what does not fit is told with its path. A source that is not there leaves its target out; one that can find several values gives an array of them. The output is no larger than a result of a database may be, `RESULT_MAX_BYTES`.',
    errors: ['RESULT_TOO_LARGE'],
    body: MapBody,
    result: Mapped,
    handle: mapValue,
  }),
  route({
    ...COMMON,
    path: '/json/parse',
    summary: 'Get the values at paths of a document',
    description: `${SEARCHES} The result is at most four times as large as a body may be.`,
    errors: ['RESULT_TOO_LARGE'],
    body: ParseBody,
    result: Parsed,
    handle: parsePaths,
  }),
  route({
    ...COMMON,
    path: '/json/reduce',
    summary: 'Keep only the paths of a document',
    description: `Objects keep the order of their members and arrays stay arrays: an array ends after the last element that is kept, or keeps its length if a path counts from the end of an array. ${SEARCHES}`,
    errors: [],
    body: ReduceBody,
    result: Reduced,
    handle: (ctx, { body }) => inPieces(ctx, reduce(body)),
  }),
];
