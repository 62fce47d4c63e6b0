/** Transactions over many endpoints on the wire. Spec: transactions.md §1, §5. */
import * as z from 'zod';
import { terms } from '../calls/transactions/body.ts';
import { STATUSES } from '../calls/transactions/object.ts';
import { Outcomes } from '../endpoints/shapes.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { ErrorReply } from '../shapes/error-schema.ts';
import { timestamp } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';

/** What a path names. */
export const TransactionPath = z.object({
  transaction: z
    .string()
    .min(1)
    .meta({ description: 'Id of a transaction', examples: [SAMPLE.transaction] }),
});
export type TransactionPath = z.infer<typeof TransactionPath>;

const id = z.string().meta({
  description: 'Its id: 22 letters and digits',
  examples: [SAMPLE.transaction],
});
const sequence = z
  .int()
  .nullable()
  .meta({
    description:
      'Its place in the order of the organization: of two that conflict, the lower one took effect first everywhere; null until it is decided, and of one that only read',
    examples: [41],
  });
const guarantee = z.enum(['atomic', 'last-resource']).meta({
  description:
    '`last-resource`: one participant that writes cannot be prepared, and its own commit is the decision',
  examples: ['atomic'],
});
const status = z.enum(STATUSES).meta({
  description:
    '`committing` is decided: what has not confirmed yet will. `in_doubt`: a participant could not be reached for 60 s, or the decision cannot be learned. `mixed`: a participant ended on the other side',
  examples: ['committed'],
});

/** What a transaction answers. */
export const TransactionReply = z
  .strictObject({
    transaction_id: id,
    sequence,
    guarantee,
    status,
    results: Outcomes,
  })
  .meta({
    id: 'TransactionReply',
    description: 'A transaction that took effect',
    examples: [
      {
        transaction_id: SAMPLE.transaction,
        sequence: 41,
        guarantee: 'atomic',
        status: 'committed',
        results: [
          { columns: [{ name: 'amount', type: 'int4' }], rows: [{ amount: 95 }], row_count: 1 },
          { columns: [], rows: [], row_count: 0, rows_affected: 1 },
        ],
      },
    ],
  });

const Participant = z
  .strictObject({
    endpoint: z.string().meta({ description: 'Id of its endpoint', examples: [SAMPLE.endpoint] }),
    kind: z.string().meta({ description: "The endpoint's kind", examples: ['Postgres'] }),
    status: z.enum(['reading', 'active', 'committed', 'rolled_back', 'in_doubt']).meta({
      description: '`reading`: it has only read, and there is nothing to end',
      examples: ['committed'],
    }),
    gid: z
      .string()
      .optional()
      .meta({
        description: 'Its name in the database, where it is prepared',
        examples: [`causeway_7Gh2kLmN0pQrStUvWxYz12_${SAMPLE.transaction}_0`],
      }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Why it is in doubt', examples: ['connection refused'] }),
  })
  .meta({ id: 'TransactionParticipant', description: 'An endpoint that takes part' });

const members = {
  transaction_id: id,
  sequence,
  guarantee,
  status,
  started: timestamp('When it began', SAMPLE.now),
  decided: timestamp('When it was decided, if it was', SAMPLE.now).optional(),
  ended: timestamp('When all participants had ended, if they have', SAMPLE.now).optional(),
  error: ErrorReply.omit({ request_id: true })
    .optional()
    .meta({ description: 'Why it was rolled back, where it failed' }),
};

const shown = {
  ...{ transaction_id: SAMPLE.transaction, sequence: 41, guarantee: 'atomic' },
  ...{ status: 'committed', started: SAMPLE.now, decided: SAMPLE.now, ended: SAMPLE.now },
} as const;

/** A transaction with its participants. */
export const TransactionRecord = z
  .strictObject({
    ...members,
    participants: z.array(Participant).meta({ description: 'In the order of their first use' }),
  })
  .meta({
    id: 'TransactionRecord',
    description: 'How a transaction stands',
    examples: [
      {
        ...shown,
        participants: [
          {
            ...{ endpoint: SAMPLE.endpoint, kind: 'Postgres', status: 'committed' },
            gid: `causeway_7Gh2kLmN0pQrStUvWxYz12_${SAMPLE.transaction}_0`,
          },
        ],
      },
    ],
  });

/** A page of the list. */
export const TransactionPage = z
  .strictObject({
    transactions: z
      .array(
        z
          .strictObject(members)
          .meta({ id: 'TransactionSummary', description: 'A transaction', examples: [shown] }),
      )
      .meta({ description: 'The newest first' }),
    next_cursor: z
      .string()
      .optional()
      .meta({ description: 'For the next page, where there is one', examples: [SAMPLE.cursor] }),
  })
  .meta({
    id: 'TransactionPage',
    description: 'Transactions of an organization',
    examples: [{ transactions: [shown], next_cursor: SAMPLE.cursor }],
  });

/** Query of the list. */
export const TransactionsQuery = PageQuery.extend({
  status: z
    .enum(STATUSES)
    .optional()
    .meta({ description: 'Only those that stand so', examples: ['in_doubt'] }),
});
export type TransactionsQuery = z.output<typeof TransactionsQuery>;

/** Body of `POST /transactions/begin`. */
export const BeginBody = z
  .strictObject(terms)
  .meta({
    id: 'TransactionTerms',
    description: 'How a transaction runs that goes on request by request; all may be left out',
    examples: [{ isolation: 'repeatable read', keys: ['account-7'] }],
  })
  .prefault({});

/** What beginning one answers. */
export const BegunTransaction = z
  .strictObject({
    transaction_id: id.meta({
      description: 'Send it as `X-Transaction-Id` on `/read`, `/write` and runs of templates',
      examples: [SAMPLE.transaction],
    }),
    expires: timestamp(
      'When it is rolled back if nothing comes: after 30 s, and after `timeout_ms` in any case',
      '2026-03-10T09:30:30.000Z',
    ),
  })
  .meta({
    id: 'BegunTransaction',
    description: 'A transaction that has begun',
    examples: [{ transaction_id: SAMPLE.transaction, expires: '2026-03-10T09:30:30.000Z' }],
  });

/** What committing one answers. */
export const CommittedTransaction = z
  .strictObject({ transaction_id: id, sequence, guarantee, status })
  .meta({
    id: 'CommittedTransaction',
    description: 'A transaction that has committed',
    examples: [
      {
        ...{ transaction_id: SAMPLE.transaction, sequence: 42, guarantee: 'atomic' },
        status: 'committed',
      },
    ],
  });

/** What rolling one back answers. */
export const RolledBackTransaction = z.strictObject({ transaction_id: id, status }).meta({
  id: 'RolledBackTransaction',
  description: 'A transaction of which nothing is left, or nothing will be',
  examples: [{ transaction_id: SAMPLE.transaction, status: 'rolled_back' }],
});

/** What a person found in a database. */
export const ResolveBody = z
  .strictObject({
    participant: z
      .string()
      .min(1)
      .meta({
        description: "Id of the participant's endpoint, as in `participants`",
        examples: [SAMPLE.endpoint],
      }),
    outcome: z.enum(['committed', 'rolled_back']).meta({
      description: 'What was done there: it is recorded, not carried out',
      examples: ['committed'],
    }),
  })
  .meta({ id: 'TransactionResolution', description: 'How a participant in doubt has ended' });
export type ResolveBody = z.infer<typeof ResolveBody>;
