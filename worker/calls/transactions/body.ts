/** What a transaction over many endpoints is sent as. Spec: transactions.md §1. */
import * as z from 'zod';
import { JsonValue, TimeoutMs } from '../../../kinds/members.ts';
import { ISOLATIONS } from '../../../proto/prepares.ts';
import { SAMPLE } from '../../shapes/sample.ts';

/** Most operations of one transaction. Spec: transactions.md §1. */
const OPERATIONS_MAX = 1_000;
/** Most endpoints of one transaction. Spec: transactions.md §1. */
export const ENDPOINTS_MAX = 32;
/** Most keys, and characters of one. Spec silent. */
const KEYS_MAX = 100;
const KEY_MAX = 255;

/** One operation: the endpoint, and a request as its kind has it. */
const Operation = z
  .looseObject({
    endpoint: z
      .string()
      .min(1)
      .meta({ description: 'Id or UUID of the endpoint', examples: [SAMPLE.endpoint] }),
  })
  .catchall(JsonValue)
  .meta({
    id: 'TransactionOperation',
    description: "An endpoint, and a request in one of the forms that the endpoint's kind has",
    examples: [
      {
        endpoint: SAMPLE.endpoint,
        query: 'UPDATE orders SET status = $1 WHERE id = $2',
        params: ['paid', 7],
      },
    ],
  });

/** Members that say how a transaction runs. */
export const terms = {
  isolation: z
    .enum(ISOLATIONS)
    .optional()
    .meta({
      description:
        'Each participant runs at that level or a stricter one; left out, at its own, at least `read committed`',
      examples: ['serializable'],
    }),
  timeout_ms: TimeoutMs.meta({
    description:
      'Milliseconds for the whole; left out, what the operations ask for together, at least 30000',
    examples: [10_000],
  }),
  keys: z
    .array(z.string().min(1).max(KEY_MAX))
    .max(KEYS_MAX)
    .optional()
    .meta({
      description:
        'Names of what it works on: two transactions that both give keys and share none do not wait for each other',
      examples: [['account-7', 'account-9']],
    }),
  require: z
    .literal('atomic')
    .optional()
    .meta({
      description: '`atomic` refuses a participant that cannot be prepared, unless it alone writes',
      examples: ['atomic'],
    }),
};

/** Body of `POST /transactions`. */
export const TransactionsBody = z
  .strictObject({
    operations: z.array(Operation).min(1).max(OPERATIONS_MAX).meta({
      description:
        'In the order in which they take effect, on up to 32 endpoints; a value that is `{"$result": "[0].rows[0].id"}` is what that path finds in the results before it, of any endpoint',
    }),
    ...terms,
  })
  .meta({
    id: 'Transactions',
    description: 'Requests to several endpoints that take effect together or not at all',
    examples: [
      {
        operations: [
          {
            endpoint: SAMPLE.endpoint,
            query: 'UPDATE accounts SET amount = amount - 5 WHERE id = $1 RETURNING amount',
            params: [7],
          },
          {
            endpoint: 'ledger',
            query: 'INSERT INTO entries (account, amount) VALUES (?, 5)',
            params: [9],
          },
        ],
        keys: ['account-7', 'account-9'],
      },
    ],
  });
export type TransactionsBody = z.infer<typeof TransactionsBody>;
