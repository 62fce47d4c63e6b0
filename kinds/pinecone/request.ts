/** Requests to Pinecone, by their types. Spec: "Vector store requests". */

import * as z from 'zod';
import { parseJson } from '../../proto/json.ts';
import { passedOf } from '../../proto/passed.ts';
import { parseAsWritten } from '../../proto/written-json.ts';
import { kindMember, TimeoutMs } from '../members.ts';
import { Ids, NamedNamespace, PAGE_MAX, Text } from './members.ts';
import {
  DeleteParameters,
  PASSED_PARAMETERS,
  QueryParameters,
  UpdateParameters,
  UpsertParameters,
} from './parameters.ts';

const shared = { kind: kindMember('Pinecone'), timeout_ms: TimeoutMs };

const LIMIT = `must be a whole number from 1 to ${PAGE_MAX}, or its text`;
/** Member `limit` of a list: a number, or the text of one. */
const Limit = z
  .union([z.number(), z.string()], { error: LIMIT })
  .refine((limit) => /^[1-9]\d{0,2}$/.test(String(limit)) && Number(limit) <= PAGE_MAX, LIMIT)
  .optional()
  .meta({
    description: `Most ids of the page, 1 to ${PAGE_MAX} as a text or a number; ${PAGE_MAX} when left out`,
    examples: ['50'],
  });

/** Requests of all types, with the form that `body` has. */
function requestsOf(bodyOf: <Parameters extends z.ZodType>(parameters: Parameters) => z.ZodType) {
  const withBody = <Type extends string>(
    type: Type,
    id: string,
    description: string,
    parameters: z.ZodType,
  ) =>
    z
      .strictObject({
        type: z.literal(type).meta({ description }),
        body: bodyOf(parameters).meta({ description: 'The parameters, as JSON text or an object' }),
        ...shared,
      })
      .meta({ id, description, examples: examplesOf(type, parameters) });
  return [
    withBody('query', 'PineconeQuery', 'Finds the records nearest to a vector', QueryParameters),
    withBody('upsert', 'PineconeUpsert', 'Adds or replaces records', UpsertParameters),
    withBody('update', 'PineconeUpdate', 'Changes one record', UpdateParameters),
    withBody('delete', 'PineconeDelete', 'Deletes records', DeleteParameters),
    Fetch,
    List,
    DescribeIndexStats,
  ] as const;
}

function examplesOf(type: string, parameters: z.ZodType): object[] {
  const [body] = (parameters.meta()?.examples ?? []) as object[]; // Each of them has one.
  return [
    { type, body },
    { type, body: JSON.stringify(body) },
  ];
}

const Fetch = z
  .strictObject({
    type: z.literal('fetch').meta({ description: 'Answers records by their ids' }),
    ids: Ids,
    namespace: NamedNamespace,
    ...shared,
  })
  .meta({
    id: 'PineconeFetch',
    description: 'Answers records by their ids',
    examples: [{ type: 'fetch', ids: ['product-7'], namespace: null }],
  });

const List = z
  .strictObject({
    type: z.literal('list').meta({ description: 'Answers ids, in their order' }),
    prefix: Text.nullish().meta({
      description: 'How the ids begin; all when left out',
      examples: ['product-'],
    }),
    namespace: NamedNamespace,
    limit: Limit,
    pagination_token: Text.nullish().meta({
      description: 'Member `pagination.next` of the page before',
      examples: [null],
    }),
    ...shared,
  })
  .meta({
    id: 'PineconeList',
    description: 'Answers ids, in their order',
    examples: [{ type: 'list', prefix: 'product-', namespace: null, limit: '50' }],
  });

const DescribeIndexStats = z
  .strictObject({
    type: z.literal('describe_index_stats').meta({ description: 'Counts the records' }),
    ...shared,
  })
  .meta({
    id: 'PineconeDescribeIndexStats',
    description: 'Counts the records of the index by namespace',
    examples: [{ type: 'describe_index_stats' }],
  });

/** JSON text becomes what it says; whatever is no text is looked at as it is. */
function parsedText(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (value === undefined) {
    context.issues.push(issue('is required: the parameters, as JSON text or an object', value));
    return z.NEVER;
  }
  if (typeof value !== 'string') return value;
  try {
    const plain = parseJson(value);
    const written = parseAsWritten(value, plain);
    return written === plain ? plain : passedOf(written, PASSED_PARAMETERS);
  } catch {
    context.issues.push(issue('is not JSON text', value));
    return z.NEVER;
  }
}

const issue = (message: string, input: unknown) =>
  ({ code: 'custom', message, input, continue: false }) as const;

/** A request as clients write it, for the API's description. */
export const NamedRequest = z
  .discriminatedUnion(
    'type',
    requestsOf((parameters) =>
      z.union([
        parameters,
        z.string().meta({ description: 'The same as JSON text', examples: ['{"deleteAll":true}'] }),
      ]),
    ),
  )
  .meta({
    id: 'PineconeRequest',
    description: 'A request to a Pinecone endpoint, told by its `type`',
  });

const parsedRequest = z.discriminatedUnion(
  'type',
  requestsOf((parameters) => z.preprocess(parsedText, parameters)),
);

type Shared = { readonly timeout_ms?: number | undefined };
/** A request of any type, without `kind`: parameters as an object, with their defaults. */
export type PineconeRequest = Shared &
  (
    | { readonly type: 'query'; readonly body: z.output<typeof QueryParameters> }
    | { readonly type: 'upsert'; readonly body: z.output<typeof UpsertParameters> }
    | { readonly type: 'update'; readonly body: z.output<typeof UpdateParameters> }
    | { readonly type: 'delete'; readonly body: z.output<typeof DeleteParameters> }
    | z.output<typeof Fetch>
    | z.output<typeof List>
    | z.output<typeof DescribeIndexStats>
  );
/** Reads a request; what it answers it reads again as the same. */
// That each type's `body` is that type's own is lost in `requestsOf`.
export const PineconeRequest = parsedRequest as unknown as z.ZodType<PineconeRequest>;
