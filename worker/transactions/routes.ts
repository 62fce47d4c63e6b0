/** Operations on transactions over many endpoints. Spec: transactions.md §1, §5. */
import { type Access, anyMember } from '../access/access.ts';
import { TransactionsBody } from '../calls/transactions/body.ts';
import { commitInteractive, rollBackInteractive } from '../calls/transactions/closing.ts';
import { beginInteractive, OF_A_TRANSACTION } from '../calls/transactions/interactive.ts';
import { transactOver } from '../calls/transactions/run.ts';
import { OF_A_WRITE } from '../drivers/errors.ts';
import { RunQuery } from '../endpoints/options.ts';
import { type AnyRoute, route } from '../route.ts';
import {
  BeginBody,
  BegunTransaction,
  CommittedTransaction,
  ResolveBody,
  RolledBackTransaction,
  TransactionPage,
  TransactionPath,
  TransactionRecord,
  TransactionReply,
  TransactionsQuery,
} from './schema.ts';
import { listTransactions, resolveTransaction, showTransaction } from './show.ts';

/** The log says whose it is. */
const onTransaction: Access<TransactionPath, undefined> = {
  ...anyMember,
  find: (ctx) => anyMember.find(ctx, {}),
};

export const transactionRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/transactions',
    summary: 'Run requests on several endpoints, all or nothing',
    description:
      'Each operation needs on its endpoint what its request needs. Either all take effect, in one order with all transactions that they conflict with, or nothing is left of any. PostgreSQL, MySQL and MariaDB are prepared; one participant that cannot be prepared may write, and its commit is then the decision. A repeat with an `Idempotency-Key` is answered from the log of decisions.',
    tag: 'Transactions',
    errors: [
      ...OF_A_WRITE,
      'ENDPOINT_NOT_FOUND',
      'FORBIDDEN',
      'TRANSACTION_DEADLOCK',
      'TRANSACTION_IN_DOUBT',
      'SESSIONS_EXHAUSTED',
    ],
    access: anyMember,
    changes: 'backend',
    query: RunQuery,
    body: TransactionsBody,
    asWritten: true,
    idempotency: { own: true },
    reply: 'bare',
    result: TransactionReply,
    names: { transaction: '/transaction_id' },
    async handle(ctx, { query, body, bytes, key }) {
      const form = {
        numbersAsStrings: query.numbers === 'string',
        canonical: query.ejson === 'canonical',
      };
      return transactOver(ctx, body, { form, bytes, key });
    },
  }),
  route({
    method: 'POST',
    path: '/transactions/begin',
    summary: 'Begin a transaction that goes on request by request',
    description:
      'Name it as `X-Transaction-Id` on `/read`, `/write` and runs of templates: each endpoint joins at its first use, and a read sees what the transaction wrote. A request that fails rolls it back at once.',
    tag: 'Transactions',
    errors: ['SERVICE_UNAVAILABLE'],
    access: anyMember,
    changes: 'backend',
    joins: 'steers',
    body: BeginBody,
    idempotency: 'ignored',
    reply: 'bare',
    result: BegunTransaction,
    names: { transaction: '/transaction_id', 'X-Transaction-Id': '/transaction_id' },
    handle: (ctx, { policy, body }) => beginInteractive(ctx, policy, body),
  }),
  route({
    method: 'POST',
    path: '/transactions/:transaction/commit',
    summary: 'Commit a transaction that was begun',
    description:
      'Of all its endpoints, or of none: rolled back where its caller may not do any more what its requests did. Repeated, it answers as the first did.',
    tag: 'Transactions',
    errors: [
      ...OF_A_WRITE,
      ...OF_A_TRANSACTION,
      'FORBIDDEN',
      'ENDPOINT_NOT_FOUND',
      'TEMPLATE_NOT_FOUND',
    ],
    access: onTransaction,
    changes: 'backend',
    joins: 'steers',
    params: TransactionPath,
    idempotency: 'ignored',
    reply: 'bare',
    result: CommittedTransaction,
    handle: (ctx, { policy, params }) => commitInteractive(ctx, policy, params.transaction),
  }),
  route({
    method: 'POST',
    path: '/transactions/:transaction/rollback',
    summary: 'Roll back a transaction that was begun',
    description: 'Nothing of it is left. Repeated, it answers as the first did.',
    tag: 'Transactions',
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_CLOSED', 'SERVICE_UNAVAILABLE'],
    access: onTransaction,
    changes: 'backend',
    joins: 'steers',
    params: TransactionPath,
    idempotency: 'ignored',
    reply: 'bare',
    result: RolledBackTransaction,
    handle: (ctx, { params }) => rollBackInteractive(ctx, params.transaction),
  }),
  route({
    method: 'GET',
    path: '/transactions',
    summary: 'List transactions',
    description: 'The newest first, for 7 days after their end: all for Admin, your own otherwise.',
    tag: 'Transactions',
    errors: [],
    access: anyMember,
    changes: 'nothing',
    query: TransactionsQuery,
    reply: 'bare',
    result: TransactionPage,
    names: { transaction: '/transactions/0/transaction_id', cursor: '/next_cursor' },
    handle: (ctx, { policy, query }) => listTransactions(ctx, policy, query),
  }),
  route({
    method: 'GET',
    path: '/transactions/:transaction',
    summary: 'Show a transaction and how its participants stand',
    description: 'For who sent it, and for Admin.',
    tag: 'Transactions',
    errors: ['TRANSACTION_NOT_FOUND'],
    access: onTransaction,
    changes: 'nothing',
    params: TransactionPath,
    reply: 'bare',
    result: TransactionRecord,
    handle: (ctx, { policy, params }) => showTransaction(ctx, policy, params.transaction),
  }),
  route({
    method: 'POST',
    path: '/transactions/:transaction/resolve',
    summary: 'Say how a participant in doubt has ended',
    description:
      'Records what an Admin found or did in the database; nothing is sent there. Where it differs from what was decided, the transaction is `mixed`.',
    tag: 'Transactions',
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_CLOSED', 'FORBIDDEN'],
    access: onTransaction,
    changes: 'backend',
    joins: 'steers',
    params: TransactionPath,
    body: ResolveBody,
    reply: 'bare',
    result: TransactionRecord,
    handle: (ctx, { params, body, ...rights }) =>
      resolveTransaction(ctx, rights, params.transaction, body),
  }),
];
