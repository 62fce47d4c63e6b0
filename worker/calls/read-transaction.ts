/** Reads transactions: at the edge, or in the process that works on large bodies. Contract §6, "Transactions". */
import * as z from 'zod';
import { type Kind, kindSpec, parseRequest } from '../../kinds/index.ts';
import type { RequestBase } from '../../kinds/kind.ts';
import { TIMEOUT_DEFAULT_MS, TIMEOUT_MAX_MS, TimeoutMs } from '../../kinds/members.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import { OperationBody } from '../endpoints/shapes.ts';

/** Most operations of one transaction. Spec silent. */
const OPERATIONS_MAX = 1_000;

/** Body of a transaction. */
export const TransactionBody = z
  .strictObject({
    operations: z.array(OperationBody).min(1).max(OPERATIONS_MAX).meta({
      description:
        'In the order in which they run; a value that is `{"$result": "[0].rows[0].id"}` is what that path finds in the results before it, `{"$literal": x}` is x itself',
    }),
    timeout_ms: TimeoutMs.meta({
      description:
        'Milliseconds for the whole; left out, what the operations ask for together, at least 30000',
      examples: [10_000],
    }),
  })
  .meta({
    id: 'Transaction',
    description: 'Requests that take effect together or not at all',
    examples: [
      {
        operations: [
          {
            query:
              "INSERT INTO orders (customer_id, status, placed_at) VALUES ($1, 'placed', now()) RETURNING id",
            params: [7],
          },
          {
            query:
              'INSERT INTO order_items (order_id, line, product_id, quantity, unit_price) VALUES ($1, 1, $2, $3, $4)',
            params: [{ $result: '[0].rows[0].id' }, 7, 2, '19.90'],
          },
        ],
      },
    ],
  });
export type TransactionBody = z.infer<typeof TransactionBody>;

/** All of a transaction that decides how it is sent. */
export interface ReadTransaction {
  /** Levels that operations need besides Write. */
  readonly needs: readonly 'Admin'[];
  /** Milliseconds for the whole. */
  readonly timeoutMs: number;
}

/**
 * The operations as requests.
 * @throws GatewayError BAD_REQUEST, NOT_SUPPORTED; the fault names its operation
 */
export function operationsOf(
  kind: Kind,
  operations: readonly Json[],
): { readonly requests: RequestBase[]; readonly needs: 'Admin'[] } {
  const { needs } = kindSpec(kind);
  const requests = operations.map((operation, index) => parsed(kind, operation, index));
  return { requests, needs: requests.flatMap((request) => needs?.(request) ?? []) };
}

/** What the operations ask for together, but no less than one request gets. Spec silent. */
export function timeoutOf(requests: readonly Pick<RequestBase, 'timeout_ms'>[]): number {
  const asked = requests.reduce((sum, { timeout_ms = 0 }) => sum + timeout_ms, 0);
  return Math.min(Math.max(asked, TIMEOUT_DEFAULT_MS), TIMEOUT_MAX_MS);
}

function parsed(kind: Kind, operation: Json, index: number): RequestBase {
  try {
    refuseReference(kind, operation);
    return parseRequest(kind, operation).request;
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const details = thrown.details.map((each) =>
      'path' in each ? { ...each, path: `operations.${index}.${each.path}` } : each,
    );
    throw new GatewayError(thrown.code, `operations.${index}: ${thrown.message}`, { details });
  }
}

/** @throws GatewayError BAD_REQUEST where the kind has no results before a transaction ends */
function refuseReference(kind: Kind, operation: Json): void {
  const { refusesResults, label } = kindSpec(kind);
  const path = refusesResults ? pathOfReference(operation) : undefined;
  if (path === undefined) return;
  const message = `${label} has no results inside a transaction; $result is not taken`;
  throw badRequest(path, message);
}

/** Where an object is whose only member is `$result` with a text that begins with `[`. */
function pathOfReference(value: Json): string | undefined {
  if (!isJsonObject(value) && !Array.isArray(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (isReference(inner)) return name;
    const within = pathOfReference(inner);
    if (within !== undefined) return `${name}.${within}`;
  }
  return undefined;
}

function isReference(value: Json): boolean {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return false;
  return typeof value.$result === 'string' && value.$result.startsWith('[');
}
