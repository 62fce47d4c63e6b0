/** The body of every error, as the description shows it. Contract: "Errors". */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { ERRORS, type ErrorCode } from '../../proto/errors.ts';
import { AccessLevel } from '../levels.ts';
import { errorExample } from './error-examples.ts';
import { SAMPLE } from './sample.ts';

const Considered = z
  .object({
    rule: z.string().meta({ description: 'The rule, in words', examples: ['no rule'] }),
    decides: z
      .boolean()
      .meta({ description: 'Whether it is the one that decides', examples: [true] }),
    why: z.string().meta({
      description: 'Why it decides, or does not',
      examples: ['Without a rule there is no access'],
    }),
  })
  .meta({ description: 'One rule that bears on the refusal' });

const Grant = z.record(z.string(), z.string()).meta({
  description:
    'The body of the smallest grant that would allow it, for `POST /iam/rbac/…/subjects`',
  examples: [{ access_level: 'Write', subject: SAMPLE.bruno, endpoint_id: SAMPLE.endpoint }],
});

const OfRequest = {
  path: z.string().meta({
    description: 'The member, header or parameter that is wrong, dotted',
    examples: ['operations.0.query'],
  }),
  message: z.string().meta({
    description: "What is wrong with it, or the backend's own words",
    examples: ['is required'],
  }),
  line: z
    .int()
    .min(1)
    .meta({ description: 'Where in an expression or function of a template', examples: [1] }),
  column: z
    .int()
    .min(1)
    .meta({ description: 'The column in that line, from 1', examples: [15] }),
};

const OfBackend = {
  source: z.string().meta({ description: 'Which backend it was', examples: ['postgres'] }),
  code: z.string().meta({
    description: "The backend's own code, such as the SQLSTATE",
    examples: ['23505'],
  }),
  position: z
    .int()
    .meta({ description: 'Where in the statement, in characters from 1', examples: [15] }),
  constraint: z
    .string()
    .meta({ description: 'The constraint that was violated', examples: ['customers_pkey'] }),
  endpoint: z.string().meta({
    description: 'The endpoint whose share of a transaction could not be prepared',
    examples: ['shop'],
  }),
  operation: z
    .int()
    .min(0)
    .meta({ description: 'Which operation of a transaction failed, from 0', examples: [1] }),
  applied: z
    .literal(true)
    .meta({ description: 'The change took effect although the request failed' }),
  result: JsonValue.optional().meta({
    description: 'What an operation answered that took effect although the transaction failed',
    examples: ['OK'],
  }),
};

const OfRule = {
  rule: z.string().meta({ description: 'Which rule refused it', examples: ['address'] }),
  function: z.string().meta({
    description: 'The function that the rule refused',
    examples: ['pg_read_file'],
  }),
  name: z.string().meta({
    description: 'Of the rule `allow`: what was named and is not open',
    examples: ['public.salaries'],
  }),
  field: z
    .string()
    .meta({ description: 'The member that may not be changed', examples: ['username'] }),
  templates: z.array(z.string()).meta({
    description: 'Ids of templates that use it',
    examples: [['order-report']],
  }),
  workflows: z
    .array(z.string())
    .meta({ description: 'Ids of workflows that use it', examples: [[]] }),
  endpoints: z.array(z.string()).meta({
    description: 'Ids of endpoints that it leaves without a node',
    examples: [[SAMPLE.endpoint]],
  }),
  author: z.string().meta({
    description:
      'Of `runAs`: the author who lacks a right; the UUID of one who is no member any more',
    examples: [SAMPLE.ada],
  }),
  runs: z.int().meta({ description: 'Runs that are active', examples: [2] }),
  allowed: z.literal(false).meta({ description: 'Of a level that is too low' }),
  level: AccessLevel.meta({ description: 'The level in force' }),
  needed: AccessLevel.meta({ description: 'The level that the operation needs' }),
  considered: z
    .array(Considered)
    .meta({ description: 'Rules on the organization, then those on the resource' }),
  grant: Grant,
};

/** One entry; what it has depends on what it is of. */
const Detail = z
  .object({ ...OfRequest, ...OfBackend, ...OfRule })
  .partial()
  .meta({
    id: 'ErrorDetail',
    description:
      'Of bad input `path` and `message`; of a backend `source`, `code` and `message`; of a refusal `rule` and what bears on it',
    examples: [{ path: 'limit', message: 'must be a number from 1 to 1000' }],
  });

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]; // The table's own keys; it is not empty.

/** The body of an error reply. */
export const ErrorReply = z
  .object({
    error: z
      .string()
      .meta({ description: 'What happened, in one or two words', examples: ['Bad Request'] }),
    message: z.string().meta({
      description: 'What was wrong and what would be right, in words for people',
      examples: ['limit: must be a number from 1 to 1000'],
    }),
    code: z
      .enum(codes)
      .meta({ description: 'What programs decide by; stable', examples: ['BAD_REQUEST'] }),
    request_id: z.string().meta({
      description: 'Also the header `X-Request-Id`, and in the log of the gateway',
      examples: [SAMPLE.requestId],
    }),
    details: z
      .array(Detail)
      .optional()
      .meta({ description: 'Absent when there is no more to tell' }),
  })
  .meta({
    id: 'Error',
    description: 'Why the request was refused, or failed',
    examples: [errorExample('BAD_REQUEST')],
  });
