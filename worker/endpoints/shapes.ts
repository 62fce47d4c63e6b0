/** Requests to backends and their results: taken as any JSON, and shown as what each kind has. */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { SqlResult } from '../../kinds/sql.ts';
import { ErrorReply } from '../shapes/error-schema.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { shownAs } from '../shapes/shown-as.ts';
import { formsOf, ofKinds } from './schema.ts';

/** A request; which kind it is of, the endpoint decides. */
export const RequestBody = shownAs(
  JsonValue,
  ofKinds(({ body }) => body),
).meta({ description: "A request, in one of the forms that the endpoint's kind has" });

/** What a request answers: exactly one of the forms, told apart by required members. */
export const RequestResult = shownAs(
  JsonValue,
  formsOf(({ results }) => results).meta({
    id: 'Result',
    description: 'What a backend answered, by the type of the request',
  }),
).meta({ description: 'What the backend answered, by the type of the request' });

/** One line of a stream: a row, or the failure that ended it. Contract §6, "Large results". */
const StreamLine = z.union([
  ofKinds(({ line }) => line),
  z
    .object({ columns: SqlResult.shape.columns })
    .meta({ id: 'StreamColumns', description: 'The first line, where it is asked for' }),
  z
    .object({
      $error: ErrorReply.meta({ description: 'What ended the stream before all was sent' }),
    })
    .meta({ id: 'StreamFailure', description: 'The last line of a stream that failed' }),
]);

/** Rows as a table of texts. Contract §6, "Large results". */
const Csv = z.string().meta({
  id: 'Csv',
  description:
    'RFC 4180: a line with the names of the columns, then one a row. NULL is empty, the empty text `""`; a list or object is its JSON',
  examples: ['id,name\r\n1,Lamp\r\n2,"Desk, oak"\r\n'],
});

/** Of operations whose rows can come as they arrive. */
export const LINES = { 'application/x-ndjson': StreamLine, 'text/csv': Csv };

/** What events carry; a type whose kind answers them. Contract §6, "Subscriptions". */
const Event = z
  .union([
    JsonValue,
    ErrorReply.meta({ description: 'Of the event `error`: what ended the subscription' }),
  ])
  .meta({
    id: 'SubscriptionEvent',
    description: 'The `data` of an event, as the type of the request has it; one line of JSON',
  });

/** Of operations that take subscriptions. */
export const EVENTS = { 'text/event-stream': Event };

/** One operation of a transaction. */
export const OperationBody = shownAs(
  JsonValue,
  ofKinds(({ operation }) => operation),
);

/** What the operations of a transaction answer. */
export const Outcomes = z
  .array(
    shownAs(
      JsonValue,
      formsOf(({ outcomes }) => outcomes).meta({
        id: 'Outcome',
        description: 'What one operation of a transaction answered',
      }),
    ),
  )
  .meta({ description: 'One result per operation, in their order' });

/** Names the transaction that a request takes part in. Spec: transactions.md §5. */
export const TransactionHeader = z.object({
  'X-Transaction-Id': z
    .string()
    .optional()
    .meta({
      description:
        'The `transaction_id` of a transaction of yours, to take part in it; a failure rolls it back',
      examples: [SAMPLE.transaction],
    }),
});

/** Names the session that a request runs in. Contract §6, "Sessions". */
export const SessionHeader = z.object({
  'X-Session-Id': z
    .string()
    .optional()
    .meta({
      description: 'The `session_id` of a session of yours on this endpoint, to run in it',
      examples: [SAMPLE.session],
    }),
  ...TransactionHeader.shape,
});

/** Headers of reads: a session, or where a subscription goes on. */
export const ReadHeaders = SessionHeader.extend({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({
      description: 'Of a subscription: the `id` of the event to go on after',
      examples: ['826A1F3C0D000000012B0229296E04'],
    }),
});
